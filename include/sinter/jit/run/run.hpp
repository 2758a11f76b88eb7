#pragma once
// A run of a function in which its operations are recorded, and computed where the function reads
// what they give, and at its end.

#include <cstdint>        // std::uint32_t
#include <deque>          // std::deque
#include <memory>         // std::shared_ptr
#include <optional>       // std::optional
#include <span>           // std::span
#include <string>         // std::string
#include <unordered_map>  // std::unordered_map
#include <unordered_set>  // std::unordered_set
#include <vector>         // std::vector

#include <sinter/base/hash.hpp>
#include <sinter/config.hpp>
#include <sinter/jit/lower/program.hpp>
#include <sinter/jit/record/session.hpp>
#include <sinter/jit/run/differentiated.hpp>
#include <sinter/jit/run/tape_graph.hpp>
#include <sinter/jit/state/differentiated.hpp>
#include <sinter/jit/state/miss.hpp>
#include <sinter/jit/state/segment.hpp>
#include <sinter/jit/state/ticket.hpp>
#include <sinter/jit/state/variant.hpp>
#include <sinter/jit/state/varying.hpp>
#include <sinter/trace/context/random_state.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

class State;
struct Lowering;

class Run : public RecordingSession {
 public:
  /// `call` is what there is before the run, `on_miss` what it may do about graphs that are new.
  Run(State& state, const CallSignature& call, const LeafNames& names, Varying varying,
      OnMiss on_miss);
  /// Values of the run that somebody still holds are values of the program from now on.
  ~Run() override;
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  /// A graph break.
  void interrupt(std::span<const Tensor> values, Break found) override;
  void interrupt_all(Break found) override;
  void pause() override { draw().end(recorder().draws()); }
  void resume() override { recorder().skip_draws(draw().resume()); }
  TensorType type_of_outside(const Tensor& outside, std::size_t index) override;
  bool runs_on_every_call() const override {
    return asker_ == Asker::call && (runs_again_ || was_interrupted());
  }
  Extent size_of_program(Extent size, bool of_elements, Where where) override;

  /// Why the function has to run on every call, after it returned; empty if a recording can stand
  /// for it. `results` and `after` are the leaves of its result and of its arguments. Captures of
  /// what is pure do not change.
  std::string reason_to_run_again(const guard::Leaves& results, const guard::Leaves& after,
                                  bool is_pure);
  /// True if the function used or looked at a tensor that is no argument.
  bool reads_outside() const {
    return recorder().outside_read() != nullptr || !recorder().outside().empty();
  }
  /// True if what the run computes at its end was compiled for another run.
  bool is_known(const guard::Leaves& after, const LeafNames& names_after);

  /// True if the same was done before, but for floating numbers.
  bool is_known_but_for_numbers();
  /// Lets later runs be compared with this one, which is compiled as a whole.
  void note_numbers();

  /// Computes what is still held: results, new values of arguments, and whatever else. Arguments
  /// that nobody else holds are updated in place. Then the host functions that are left are called.
  void finish(const guard::Leaves& after, const LeafNames& names_after);
  /// `tensors` as they are outside, after finish().
  void settle(const guard::Leaves& tensors) const;

  /// Compiles what finish() would run. Before the run, expect_no_elements().
  void prepare(const guard::Leaves& after, const LeafNames& names_after);
  /// The arguments have no elements: a read throws GraphBreakError.
  /// Captures of what is pure do not change.
  void expect_no_elements(bool is_pure) { asker_ = Asker::prepare, may_capture_ = is_pure; }
  /// The function is not replayed, whatever it does.
  void expect_to_run_again() { runs_again_ = true; }
  /// Ends `turn` when the run is interrupted: what the program does on the host may take long, and
  /// may call the function.
  void end_when_interrupted(Turn* turn) { turn_ = turn; }
  OnMiss on_miss() const { return on_miss_; }

  /// Nothing is to be computed: what was recorded is used as a recording.
  void leave() { is_left_ = true; }

  bool was_interrupted() const { return !report_.breaks.empty(); }
  const RunReport& report() const { return report_; }

 private:
  /// Which leaves, and then which tensors of outside, gradients are being found for outside of this
  /// run; empty if there are none.
  std::vector<bool> wanted() const;
  void save_for_gradients(Segment& segment, const std::vector<Tensor>& inputs) const;
  void add_callee(Segment& segment, const Lowering& lowering) const;
  void remember_call(const Segment& segment);
  LazyValue operand_at(std::uint32_t position);

  Hash key_of_end(const guard::Leaves& after, const LeafNames& names_after);
  void start_created_state();
  std::vector<NewValue> new_values(const guard::Leaves& after, const LeafNames& names_after) const;
  void keep_held_inputs(const guard::Leaves& after);
  Hash key_of(const Positions& outputs, std::span<const NewValue> updates) const;
  // The sizes that symbols have in this call.
  std::vector<std::int64_t> hints() const;
  void end_sizes();
  void compute(const Positions& outputs, std::span<const NewValue> updates);
  std::shared_ptr<const Segment> segment_for(const Positions& outputs,
                                             std::span<const NewValue> updates);
  void require_same_graph(const Segment& segment, const Positions& outputs,
                          std::span<const NewValue> updates) const;
  [[noreturn]] void refuse() const;
  std::shared_ptr<const Segment> make_segment(const Hash& key, const Positions& outputs,
                                              std::span<const NewValue> updates);
  /// Floating numbers that a graph reads.
  struct Numbers {
    Hash kind{};  ///< Of the graph in which all of them are inputs.
    std::vector<const Lazy*> values{};
    std::vector<std::uint64_t> bits{};
  };

  Graph extract(const Positions& outputs, std::unordered_set<const Lazy*> numbers,
                std::vector<Tensor>& inputs, std::span<const NewValue> updates = {}) const;
  Numbers numbers_of(const Positions& outputs) const;
  void attach(const Segment& segment);
  const void* input_at(const Segment& segment, std::uint32_t position);
  const Storage* storage_at(std::uint32_t position) const;
  const void* number_at(const Lazy& number);
  const void* random_input(const Lazy& input);
  random::Draw& draw();
  const Tensor* real_of(const Lazy& input) const;
  void give_elements(const Tensor& value);
  Tensor real_value(const Tensor& value);
  void call_host_functions();
  void release();
  void release_own_input(Lazy& input);

  State& state_;
  const Hash structure_;
  const OnMiss on_miss_;
  Asker asker_ = Asker::call;
  bool runs_again_ = false;
  bool may_capture_ = true;  // tensors that are no arguments
  Turn* turn_ = nullptr;
  std::shared_ptr<const OutsideSizes> seen_outside_;
  RunReport report_;
  Memory memory_;
  std::unordered_map<std::uint64_t, int> sizes_at_;  // how many sizes each place had so far
  std::deque<std::uint64_t> numbers_;                // the elements of numbers that are inputs
  std::vector<Lazy*> read_inputs_;  // placeholders that have elements for the time of the run
  std::vector<Called> called_{};
  int outer_differentiations_ = 0;                        // active when the run began
  std::vector<std::pair<LazyRef, LazyRef>> held_inputs_;  // placeholders, and what they are
  bool sizes_ended_ = false;
  bool is_finished_ = false;
  bool is_left_ = false;
};

}  // namespace sinter::inline SINTER_ABI::detail::jit

#ifdef SINTER_DEFINITIONS
#include <sinter/jit/run/run.ipp>
#endif
