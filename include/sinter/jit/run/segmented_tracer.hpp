#pragma once
// Traces a call in segments: recorded operations are compiled and executed at each graph break,
// where the function reads elements, and when it returns.

#include <cstdint>  // std::uint32_t
#include <string>   // std::string
#include <vector>   // std::vector

#include <sinter/base/container/hash_map.hpp>
#include <sinter/base/container/shared_ptr.hpp>
#include <sinter/base/container/span.hpp>
#include <sinter/base/container/unique_ptr.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/base/hash.hpp>
#include <sinter/config.hpp>
#include <sinter/jit/lower/program.hpp>
#include <sinter/jit/record/ticket.hpp>
#include <sinter/jit/record/tracer.hpp>
#include <sinter/jit/run/differentiated.hpp>
#include <sinter/jit/run/tape_graph.hpp>
#include <sinter/jit/state/differentiated.hpp>
#include <sinter/jit/state/miss.hpp>
#include <sinter/jit/state/segment.hpp>
#include <sinter/jit/state/size_history.hpp>
#include <sinter/jit/state/variant.hpp>
#include <sinter/trace/context/random_state.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

class State;
struct SegmentProgram;

/// A tracer that executes what it recorded in segments: at each graph break and at the end.
class SegmentedTracer : public Tracer {
 public:
  /// `call` is the signature before the function runs; `on_miss` says what to do about new graphs.
  SegmentedTracer(State& state, const CallSignature& call, const LeafNames& names, Varying varying,
                  OnMiss on_miss);
  /// Values that are still referenced become values of the program.
  ~SegmentedTracer() override;
  SegmentedTracer(const SegmentedTracer&) = delete;
  SegmentedTracer& operator=(const SegmentedTracer&) = delete;

  /// A graph break: computes `values` and what else is needed to go on.
  void interrupt(Span<const Tensor> values, Break found) override;
  void interrupt_all(Break found) override;
  void pause() override { draw().end(recorder().draws()); }
  void resume() override { recorder().skip_draws(draw().resume()); }
  TensorType type_of_outside(const Tensor& outside, std::size_t index) override;
  bool runs_on_every_call() const override {
    return requester_ == Requester::call && (traced_on_every_call_ || was_interrupted());
  }
  Extent size_of_program(Extent size, bool of_elements, Where where) override;

  /// After the function returned: why it has to be traced on every call; empty if it can be
  /// replayed. `results` and `after` are the leaves of its result and of its arguments. Captures of
  /// a pure function do not change.
  std::string reason_to_retrace(const guard::Leaves& results, const guard::Leaves& after,
                                bool is_pure);
  /// True if the function used a tensor that is not an argument, or looked at its type.
  bool reads_outside() const {
    return recorder().outside_read() != nullptr || !recorder().outside().empty();
  }
  /// True if the last segment was compiled before.
  bool is_known(const guard::Leaves& after, const LeafNames& names_after);

  /// True if the same graph was compiled before with other floating-point constants.
  bool is_known_but_for_numbers();
  /// Remembers the floating-point constants of this call, which is compiled as one recording.
  void note_numbers();

  /// Executes the last segment: results, new values of arguments, and other values still
  /// referenced. Arguments with no other holder are updated in place. Then calls the remaining host
  /// functions.
  void run_last_segment(const guard::Leaves& after, const LeafNames& names_after);
  /// Replaces placeholders in `tensors` by the values that they stand for. After
  /// run_last_segment().
  void replace_by_values(const guard::Leaves& tensors) const;

  /// Compiles what run_last_segment() would execute. Requires expect_prepare() before the trace.
  void compile_last_segment(const guard::Leaves& after, const LeafNames& names_after);
  /// The arguments have no elements: a read throws GraphBreakError. Captures of a pure function do
  /// not change.
  void expect_prepare(bool is_pure) { requester_ = Requester::prepare, may_capture_ = is_pure; }
  /// The function is not replayed, whatever it records.
  void expect_trace_on_every_call() { traced_on_every_call_ = true; }
  /// Releases `ticket` at the first graph break: the host code that follows may take long and may
  /// call the function again.
  void release_when_interrupted(Ticket* ticket) { ticket_ = ticket; }
  OnMiss on_miss() const { return on_miss_; }

  /// Executes nothing: the trace becomes a recording.
  void use_as_recording() { is_used_as_recording_ = true; }

  bool was_interrupted() const { return !report_.breaks.empty(); }
  const TraceReport& report() const { return report_; }

 private:
  /// Which leaves, followed by captured tensors, require gradients; empty if none does.
  Vector<bool> requires_grad() const;
  void save_for_gradients(Segment& segment, const std::vector<Tensor>& inputs) const;
  void add_callee(Segment& segment, const SegmentProgram& lowered) const;
  void attach_grad_fn(const Segment& segment);
  LazyValue operand_at(std::uint32_t position);

  Hash final_key(const guard::Leaves& after, const LeafNames& names_after);
  void start_created_state();
  Vector<LeafUpdate> leaf_updates(const guard::Leaves& after, const LeafNames& names_after) const;
  void keep_held_inputs(const guard::Leaves& after);
  Hash key_of(const Positions& outputs, Span<const LeafUpdate> updates) const;
  // The sizes of the symbols in this call.
  std::vector<std::int64_t> hints() const;
  void fix_sizes_once();
  void compute(const Positions& outputs, Span<const LeafUpdate> updates);
  SharedPtr<const Segment> segment_for(const Positions& outputs, Span<const LeafUpdate> updates);
  void require_same_graph(const Segment& segment, const Positions& outputs,
                          Span<const LeafUpdate> updates) const;
  [[noreturn]] void refuse() const;
  SharedPtr<const Segment> make_segment(const Hash& key, const Positions& outputs,
                                        Span<const LeafUpdate> updates);
  /// Floating-point constants that a graph reads.
  struct Numbers {
    Hash kind{};  ///< The hash of the graph in which all of them are inputs.
    Vector<const Lazy*> values{};
    Vector<std::uint64_t> bits{};
  };

  Graph extract(const Positions& outputs, HashSet<const Lazy*> numbers, std::vector<Tensor>& inputs,
                Span<const LeafUpdate> updates = {}) const;
  Numbers numbers_of(const Positions& outputs) const;
  void give_results(const Segment& segment);
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
  Requester requester_ = Requester::call;
  bool traced_on_every_call_ = false;
  bool may_capture_ = true;  // tensors that are not arguments
  Ticket* ticket_ = nullptr;
  SharedPtr<const OutsideSizes> seen_outside_;
  TraceReport report_;
  CallMemory memory_;
  HashMap<std::uint64_t, int> sizes_at_;             // the number of sizes seen at each place
  Vector<UniquePtr<std::uint64_t>> numbers_;         // elements of constants that are inputs
  Vector<Lazy*> read_inputs_;  // placeholders that have elements during the trace
  Vector<DifferentiatedSegment> differentiated_{};
  int outer_differentiations_ = 0;                        // active when the trace began
  Vector<std::pair<LazyRef, LazyRef>> held_inputs_;       // placeholders and their values
  bool sizes_fixed_ = false;
  bool is_finished_ = false;
  bool is_used_as_recording_ = false;
};

}  // namespace sinter::inline SINTER_ABI::detail::jit

#ifdef SINTER_DEFINITIONS
#include <sinter/jit/run/segmented_tracer.ipp>
#endif
