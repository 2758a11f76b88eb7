#pragma once
// What a compiled function keeps: its variants, its statistics, and why it was recorded again.

#include <atomic>         // std::atomic
#include <exception>      // std::exception
#include <map>            // std::map
#include <memory>         // std::shared_ptr, std::unique_ptr
#include <set>            // std::set
#include <span>           // std::span
#include <string>         // std::string
#include <unordered_map>  // std::unordered_map
#include <vector>         // std::vector

#include <sinter/base/process_mutex.hpp>
#include <sinter/config.hpp>
#include <sinter/jit/interface/options.hpp>
#include <sinter/jit/lower/options.hpp>
#include <sinter/jit/lower/program.hpp>
#include <sinter/jit/record/recording.hpp>
#include <sinter/jit/state/failure.hpp>
#include <sinter/jit/state/miss.hpp>
#include <sinter/jit/state/report.hpp>
#include <sinter/jit/state/segment.hpp>
#include <sinter/jit/state/ticket.hpp>
#include <sinter/jit/state/variant.hpp>
#include <sinter/jit/state/varying.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

/// A graph of a run, compiled.
struct Lowering {
  std::shared_ptr<const Program> program{};
  std::vector<std::uint32_t> symbols{};  ///< As of Lowered.
  bool is_new = false;                   ///< The function had nothing like it.
  bool is_passing = false;               ///< It is interpreted, for this call only.
  bool is_interim = false;  ///< It is interpreted until it is compiled in the background.
};

class State : public std::enable_shared_from_this<State> {
 public:
  State(const CompileOptions& options, Where where);

  /// The variant that serves the call, with the sizes of its symbols; null if it has to be
  /// recorded.
  std::shared_ptr<const Variant> find(const CallSignature& call,
                                      std::vector<std::int64_t>& symbols);
  /// The sizes that vary between calls with as many leaves as this one. A call that may compile
  /// counts; one that is refused or interpreted does not, so that it cannot invalidate programs of
  /// other calls.
  Varying varying(const CallSignature& call, OnMiss on_miss);
  /// `call` has the state that a call without it created; `before` and `now` are the names of their
  /// leaves. What varies in calls like it, varies in calls like that one.
  void note_created_state(const CallSignature& call, std::span<const std::string> before,
                          std::span<const std::string> now);
  /// Why `call` fits no variant; empty if there is none.
  std::string reason_for(const CallSignature& call, std::span<const std::string> names,
                         std::span<const guard::PlainValue> plain);
  /// Why `report`, of a run of `call`, needed something new.
  std::string reason_for_run(const CallSignature& call, std::span<const std::string> names,
                             std::span<const guard::PlainValue> plain, const RunReport& report);
  /// Why a run needs a graph that is not known.
  guard::Failure failure_of_run(const guard::Leaves& leaves, const Hash& structure,
                                std::span<const std::string> names,
                                std::span<const guard::PlainValue> plain);
  /// Why a call fits no variant, of which there are some.
  guard::Failure failure_of(const CallSignature& call, std::span<const std::string> names,
                            std::span<const guard::PlainValue> plain);
  /// True if the call fits a variant but for plain floating numbers.
  bool differs_in_numbers(std::span<const guard::PlainValue> plain);

  /// What a call may do now where something was not compiled before.
  OnMiss on_miss();
  /// The same for derivatives of calls and for calls inside of vmap or a body. Here the first call
  /// is the first evaluation that needs any of them; all that it needs may be compiled.
  OnMiss on_miss_of_derived(std::uint64_t evaluation);
  /// The same for prepare(): stances are for calls.
  OnMiss on_miss_of_prepare();
  /// Nothing new is compiled from now on.
  ///
  /// Throws CompilerError if something is interpreted that may not be.
  void freeze();
  bool is_frozen() const { return is_frozen_.load(std::memory_order_relaxed); }
  /// True if a call may not be interpreted: by the options of the function, or by the stance.
  bool demands_code() const;
  /// Throws CompilerError unless `program` is compiled.
  void require_code(const Program& program) const;
  /// Compiles `variant`, which is interpreted, and puts what comes of it in its place.
  ///
  /// Throws CompilerError if it cannot.
  void compile_now(const std::shared_ptr<const Variant>& variant);
  /// Throws RecompileLimitError: `failure` is why the call fits nothing that was compiled.
  [[noreturn]] void refuse(const guard::Failure& failure);

  /// The same where recompile_limit is reached.
  [[noreturn]] void refuse_at_limit(Asker asker, std::string reason = {}) const;

  /// The key under which recording_turns() serializes calls that may share a recording. Before the
  /// first compilation, under a stance that lets only the first call compile, all calls have one
  /// key.
  Hash recording_key(const CallSignature& call);

  /// Compiles a recording, for this reason. Past the limit it is for this call only, and
  /// interpreted.
  std::shared_ptr<const Variant> add(Recording recording, std::string reason,
                                     std::shared_ptr<const void> result,
                                     std::shared_ptr<const void> arguments, Asker asker);
  /// Compiles a graph of a run.
  Lowering lower(const Graph& graph, const std::vector<schedule::Update>& updates, Device device,
                 OnMiss on_miss, Asker asker);

  /// The arguments of a run that compiled something, for failure_of_run().
  void note_arguments(const CallSignature& call, std::span<const std::string> names,
                      std::span<const guard::PlainValue> plain);
  /// How a graph is compiled that runs on `device`.
  LowerOptions lower_options(std::vector<schedule::Update> updates, Device device) const;
  /// `graph` as what a gradient can flow through.
  std::shared_ptr<const Callee> callee(Graph graph, const LowerOptions& options) const;
  /// The same for a call inside of a batch or a body; calls of equal graphs share it.
  std::shared_ptr<const Callee> callee_in_body(Graph graph, Device device);
  /// Says once that compiling in the background failed.
  void note_background_failure(const std::exception& error);
  /// What was compiled for a derivative of the function.
  void note_work_of(const Lowered& lowered);
  /// A derivative of the last call that ran.
  void note_derived(std::shared_ptr<const Runnable> runnable,
                    std::span<const std::int64_t> symbols);
  /// A run that computed everything by itself. `reason` is why something was compiled.
  void note_run(const RunReport& report, std::string reason);
  /// Says once for each line that the graph breaks there.
  void note_break(const Break& found);
  /// Says once why the function runs on every call.
  void note_open(const std::string& reason);
  /// The function was recorded, from `start` on, a time of seconds_now().
  void note_record_time(double start);
  void count_recording();
  /// A call of the function as it is written.
  void note_eager_call();
  /// prepare() found or made `variant`, for these sizes.
  void note_prepared(std::shared_ptr<const Variant> variant, std::vector<std::int64_t> symbols);
  /// prepare() of a function that runs on every call.
  void note_prepared(const RunReport& report);
  /// True if some calls run the function each time.
  bool runs_again() const { return runs_again_.load(std::memory_order_relaxed); }
  /// The function uses tensors that are no arguments: what they are decides what it does, so no
  /// recording stands for it any more.
  void note_reads_outside() { reads_outside_.store(true, std::memory_order_relaxed); }
  bool reads_outside() const { return reads_outside_.load(std::memory_order_relaxed); }

  /// What is known of tensors of outside.
  std::shared_ptr<const OutsideSizes> outside_sizes();
  /// The same with `shape` of the one number `index`.
  std::shared_ptr<const OutsideSizes> note_outside(std::size_t index, const Shape& shape);
  /// True if the number at `place` has differed between calls; `number` is recorded if `notes`.
  bool varies(const SizePlace& place, std::int64_t number, bool notes);

  Segments& segments() { return segments_; }
  /// Each signature is recorded by one thread, each graph compiled by one.
  Turns& recording_turns() { return recording_turns_; }
  Turns& compile_turns() { return compile_turns_; }

  /// What a call before worked with, or something new.
  std::unique_ptr<Call> take_call();
  /// Keeps `call` for another one, and counts it if it had a variant.
  void give_back(std::unique_ptr<Call> call);

  Stats stats();
  Explanation explain();

  const CompileOptions& options() const { return options_; }
  /// Whether `program` runs eagerly though it was to be compiled: it is not yet, or there is no
  /// compiler.
  bool is_eager(const Program& program) const;
  Where where() const { return where_; }

 private:
  friend class CompileVariant;
  friend class CompileSegment;

  template <class Finish>
  void finish_later(const Graph& graph, const LowerOptions& options, Finish finish) noexcept;
  std::shared_ptr<Variant> make_variant(Recording recording, const LowerOptions& options,
                                        const Lowered& lowered) const;
  void keep(const std::shared_ptr<const Variant>& variant, const Lowered& lowered,
            std::string reason);
  bool is_compiled_later(const Graph& graph, const LowerOptions& options, Asker asker) const;
  bool has_program(const std::shared_ptr<const Program>& program) const;
  bool has_compiled() const { return !variants_.empty() || compiled_runs_ != 0; }
  void replace(const std::shared_ptr<const Variant>& interim, const Lowered& lowered);
  std::int64_t count_interpreted() const;
  std::string why_interpreted(const Program& program, bool is_kept, bool is_interim) const;
  std::string label() const;
  bool is_full() const;
  void note_recompile(std::string reason);
  void note_work(const compiler::Work& work);
  void warn_of_limit();
  void note_move(const std::string& leaf);

  CompileOptions options_;
  std::string name_;
  Where where_;
  ProcessMutex mutex_;
  Turns recording_turns_, compile_turns_;
  std::vector<std::shared_ptr<const Variant>> variants_;
  std::vector<std::unique_ptr<Call>> idle_;  // one for each call at the same time
  SizeHistory sizes_;
  Segments segments_;
  std::set<std::shared_ptr<const Program>> programs_;  // of segments
  std::set<std::shared_ptr<const Program>> interim_programs_;
  std::int64_t compiled_runs_ = 0;
  std::vector<RunArguments> run_arguments_;  // of the runs that compiled something last
  LastCall last_;
  std::unordered_map<Hash, std::shared_ptr<const Callee>, HashOfHash> body_callees_;
  std::uint64_t first_evaluation_ = 0;  // that compiled derivatives; 0 if none did
  std::set<std::pair<std::string, std::uint32_t>> said_breaks_;
  std::vector<std::string> recompiles_;
  Stats stats_;
  bool limit_was_said_ = false;
  bool open_was_said_ = false;
  bool move_was_said_ = false;
  bool background_failure_was_said_ = false;
  std::atomic<bool> runs_again_{false};
  std::atomic<bool> reads_outside_{false};
  std::atomic<bool> is_frozen_{false};
};

/// A clock that never goes back.
double seconds_now();

/// A Call on loan.
class CallLoan {
 public:
  explicit CallLoan(State& state) : state_(state), call_(state.take_call()) {}
  CallLoan(const CallLoan&) = delete;
  CallLoan& operator=(const CallLoan&) = delete;
  ~CallLoan() { state_.give_back(std::move(call_)); }

  Call& operator*() const { return *call_; }

 private:
  State& state_;
  std::unique_ptr<Call> call_;
};

}  // namespace sinter::inline SINTER_ABI::detail::jit

#ifdef SINTER_DEFINITIONS
#include <sinter/jit/state/state.ipp>
#endif
