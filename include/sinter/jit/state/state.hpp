#pragma once
// The state of a compiled function: variants, segments, statistics, and reasons for recompilation.

#include <atomic>     // std::atomic
#include <exception>  // std::exception
#include <string>     // std::string
#include <vector>     // std::vector

#include <sinter/base/container/hash_map.hpp>
#include <sinter/base/container/shared_ptr.hpp>
#include <sinter/base/container/sorted_map.hpp>
#include <sinter/base/container/span.hpp>
#include <sinter/base/container/unique_ptr.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/base/process_mutex.hpp>
#include <sinter/base/time/phase.hpp>
#include <sinter/config.hpp>
#include <sinter/jit/interface/options.hpp>
#include <sinter/jit/lower/options.hpp>
#include <sinter/jit/lower/program.hpp>
#include <sinter/jit/record/recording.hpp>
#include <sinter/jit/record/ticket.hpp>
#include <sinter/jit/state/miss.hpp>
#include <sinter/jit/state/observed.hpp>
#include <sinter/jit/state/recompile_reason.hpp>
#include <sinter/jit/state/report.hpp>
#include <sinter/jit/state/segment.hpp>
#include <sinter/jit/state/size_history.hpp>
#include <sinter/jit/state/variant.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

/// The program of a segment.
struct SegmentProgram {
  SharedPtr<const Program> program{};
  Vector<std::uint32_t> symbols{};  ///< See LoweredProgram.
  bool is_new = false;              ///< The function did not have this program before.
  bool is_for_one_call = false;     ///< Interpreted, for this call only.
  bool is_interim = false;          ///< Interpreted until the background compilation is done.
  double compile_seconds = 0;
};

class State : public SharedFromThis<State> {
 public:
  State(const CompileOptions& options, Where where);
  ~State();

  /// The variant that serves the call, and the sizes of its symbols; null if there is none.
  SharedPtr<const Variant> find(const CallSignature& call, std::vector<std::int64_t>& symbols);
  /// The sizes that vary between calls with this number of leaves. Only calls that may compile
  /// count, so that refused and interpreted calls do not invalidate programs of other calls.
  Varying varying(const CallSignature& call, OnMiss on_miss);
  /// `call` has state that an earlier call created; `before` and `now` are the leaf names of the
  /// two. Sizes that vary in one vary in the other.
  void note_created_state(const CallSignature& call, Span<const std::string> before,
                          Span<const std::string> now);
  /// Why `call` fits no variant; empty if there is none.
  std::string reason_for(const CallSignature& call, Span<const std::string> names,
                         Span<const guard::PlainValue> plain);
  /// Why the traced `call` with this `report` compiled something.
  std::string reason_for_traced_call(const CallSignature& call, Span<const std::string> names,
                                     Span<const guard::PlainValue> plain,
                                     const TraceReport& report);
  /// Why a traced call needs a new segment.
  guard::Failure failure_of_traced_call(const guard::Leaves& leaves, const Hash& structure,
                                        Span<const std::string> names,
                                        Span<const guard::PlainValue> plain);
  /// Why a call fits none of the existing variants.
  guard::Failure failure_of(const CallSignature& call, Span<const std::string> names,
                            Span<const guard::PlainValue> plain);
  /// True if the call differs from a variant in plain floating-point numbers only.
  bool differs_in_numbers(Span<const guard::PlainValue> plain);

  /// What a call may do now if something is not compiled.
  OnMiss on_miss();
  /// The same for derivatives of calls and for calls within vmap or a body. The first evaluation
  /// that needs any of them counts as the first call: it may compile everything that it needs.
  OnMiss on_miss_of_derivative(std::uint64_t evaluation);
  /// The same for prepare(), to which stances do not apply.
  OnMiss on_miss_of_prepare();
  /// Compiles nothing new from now on.
  ///
  /// Throws CompilerError if compiled code is required and a program is interpreted.
  void freeze();
  bool is_frozen() const { return is_frozen_.load(std::memory_order_relaxed); }
  /// True if the options or the stance require compiled code.
  bool requires_compiled() const;
  /// Throws CompilerError unless `program` is compiled.
  void require_compiled(const Program& program) const;
  /// Compiles `variant`, which is interpreted, and replaces it.
  ///
  /// Throws CompilerError if it still would be interpreted.
  void compile_now(const SharedPtr<const Variant>& variant);
  /// Throws RecompileLimitError: no compiled variant fits the call because of `failure`.
  [[noreturn]] void refuse(const guard::Failure& failure);

  /// Throws RecompileLimitError because recompile_limit is reached.
  [[noreturn]] void refuse_at_limit(Requester requester, std::string reason = {}) const;

  /// The ticket key of calls that may share a recording. Before the first compilation, under a
  /// stance that lets only the first call compile, all calls have the same key.
  Hash recording_key(const CallSignature& call);

  /// Compiles a recording and adds it as a variant. `reason` is why it was needed. Past
  /// recompile_limit the variant is interpreted and serves this call only.
  SharedPtr<const Variant> add(Recording recording, std::string reason,
                               SharedPtr<const void> result, SharedPtr<const void> arguments,
                               Requester requester);
  /// Compiles the graph of a segment.
  SegmentProgram lower_segment(const Graph& graph, const Vector<schedule::Update>& updates,
                               Device device, OnMiss on_miss, Requester requester);

  /// Notes the arguments of a traced call that compiled something, for failure_of_traced_call().
  void note_arguments(const CallSignature& call, Span<const std::string> names,
                      Span<const guard::PlainValue> plain);
  /// How a graph for `device` is compiled.
  LowerOptions lower_options(Vector<schedule::Update> updates, Device device) const;
  /// `graph` as a callee that can be differentiated.
  SharedPtr<const Callee> callee(Graph graph, const LowerOptions& options) const;
  /// The same for a call within vmap or a body; calls with equal graphs share it.
  SharedPtr<const Callee> callee_in_body(Graph graph, Device device);
  /// With compile_seconds: `options` without autotuning if there is no time left for it, and those
  /// of an interpreted program if there is none at all, unless the program is known.
  void apply_budget(const Graph& graph, LowerOptions& options);
  /// With memory_bytes: throws ValueError if a call with these sizes needs more.
  void require_memory(const Runnable& runnable, Span<const std::int64_t> symbols) const;
  /// Warns once that a background compilation failed.
  void note_background_failure(const std::exception& error);
  /// Adds the compilation work for a derivative of the function to the statistics.
  void note_work_of(const LoweredProgram& lowered);
  /// Notes a program that computed a derivative of the last call.
  void note_derivative(SharedPtr<const Runnable> runnable, Span<const std::int64_t> symbols);
  /// Notes a traced call that executed its segments. `reason` is why something was compiled.
  void note_traced_call(const TraceReport& report, std::string reason);
  /// Warns about a graph break, once per line.
  void note_break(const Break& found);
  /// Logs once why the function is traced on every call.
  void note_traced_on_every_call(const std::string& reason);
  /// Adds the times of a call that recorded, and logs them.
  void note_phases(const PhaseTimes& times);
  void count_recording();
  /// Counts a call that ran the function without compiled code.
  void note_eager_call();
  /// Notes that prepare() found or compiled `variant`, for these sizes.
  void note_prepared(SharedPtr<const Variant> variant, std::vector<std::int64_t> symbols);
  /// The same for a function that is traced on every call.
  void note_prepared(const TraceReport& report);
  /// True if some calls have to be traced every time.
  bool is_traced_on_every_call() const {
    return traced_on_every_call_.load(std::memory_order_relaxed);
  }
  /// The function uses captured tensors, whose types decide what it records, so it is not replayed
  /// any more.
  void note_reads_outside() { reads_outside_.store(true, std::memory_order_relaxed); }
  bool reads_outside() const { return reads_outside_.load(std::memory_order_relaxed); }

  /// The known sizes of captured tensors.
  SharedPtr<const OutsideSizes> outside_sizes();
  /// The same after noting `shape` for captured tensor `index`.
  SharedPtr<const OutsideSizes> note_outside(std::size_t index, const Shape& shape);
  /// True if the number at `place` has differed between calls; `number` is recorded if `notes`.
  bool varies(const SizePlace& place, std::int64_t number, bool notes);

  Segments& segments() { return segments_; }
  Observers& observers() { return observers_; }
  /// One thread at a time records a signature, and one compiles a graph.
  Tickets& recording_tickets() { return recording_tickets_; }
  Tickets& compile_tickets() { return compile_tickets_; }

  /// The frame of an earlier call, or a new one.
  UniquePtr<CallFrame> take_frame();
  /// Keeps `frame` for later calls, and counts the call if a variant served it.
  void return_frame(UniquePtr<CallFrame> frame);

  Stats stats();
  Explanation explain();
  /// Drops recordings, statistics of sizes and reports, as if no call had been made; counters go
  /// on. A frozen function keeps everything.
  void reset();
  /// The recordings so far, with what stats() and explain() say.
  History history();
  bool is_observed() const { return is_observed_; }

  const CompileOptions& options() const { return options_; }
  /// True if `program` should be compiled but is interpreted: not yet compiled, or no compiler.
  bool is_eager(const Program& program) const;
  Where where() const { return where_; }
  /// "classifier at model.cpp:14", for logs.
  std::string label() const;
  /// True for one of the first calls after a recording, if SINTER_LOGS names perf.
  bool is_time_for_hints() {
    return calls_until_hints_.load(std::memory_order_relaxed) > 0 &&
           calls_until_hints_.fetch_sub(1, std::memory_order_relaxed) == 1;
  }

 private:
  friend class CompileVariant;
  friend class CompileSegment;

  template <class Finish>
  void compile_and_finish(const Graph& graph, const LowerOptions& options, Finish finish) noexcept;
  SharedPtr<Variant> make_variant(Recording recording, const LowerOptions& options,
                                  const LoweredProgram& lowered) const;
  void keep(const SharedPtr<const Variant>& variant, const LoweredProgram& lowered,
            std::string reason);
  bool compiles_in_background(const Graph& graph, const LowerOptions& options,
                              Requester requester) const;
  bool has_program(const SharedPtr<const Program>& program) const;
  bool has_compiled() const { return !variants_.empty() || traced_compilations_ != 0; }
  void replace(const SharedPtr<const Variant>& interim, const LoweredProgram& lowered);
  std::int64_t count_interpreted() const;
  std::string why_interpreted(const Program& program, bool is_cached, bool is_interim) const;
  bool is_full() const;
  double seconds_left() const;
  void note_recompile(std::string reason);
  void log_all_failures(const CallSignature& call, Span<const std::string> names,
                        Span<const guard::PlainValue> plain) const;
  void note_work(const compiler::CompileStats& work);
  void note_served(const CallFrame& frame);
  void warn_of_limit();
  void warn_of_unused_names(const Graph& graph, const LowerOptions& options);
  void note_move(const std::string& leaf);
  void forget_frames(const Variant* variant);
  void evict();

  CompileOptions options_;
  std::string name_, interpret_;  // what the texts in options_ refer to
  SharedPtr<const CustomBackend> custom_;
  Where where_;
  ProcessMutex mutex_;
  Tickets recording_tickets_, compile_tickets_;
  Vector<SharedPtr<const Variant>> variants_;
  Vector<UniquePtr<CallFrame>> idle_frames_;  // at most one per concurrent call
  std::uint64_t forgotten_ = 0;               // how often variants were dropped
  std::uint64_t uses_ = 0;                    // of variants: the clock of Variant::last_used
  SizeHistory sizes_;
  Segments segments_;
  Observers observers_;
  SortedSet<SharedPtr<const Program>> programs_;  // of segments
  SortedSet<SharedPtr<const Program>> interim_programs_;
  std::int64_t traced_compilations_ = 0;
  Vector<TracedArguments> traced_arguments_;  // of the latest calls that compiled something
  Vector<TracedRecording> traced_recordings_;
  LastCall last_;
  HashMap<Hash, SharedPtr<const Callee>, HashOfHash> body_callees_;
  std::uint64_t first_evaluation_ = 0;  // the first that compiled derivatives; 0 if none did
  SortedSet<std::pair<std::string, std::uint32_t>> reported_breaks_;
  std::vector<std::string> recompiles_;
  Stats stats_;
  double tuning_seconds_ = 0;        // what programs so far may take for autotuning
  double seconds_before_reset_ = 0;  // of compiling
  bool limit_was_reported_ = false;
  bool names_were_reported_ = false;
  bool tracing_was_reported_ = false;
  bool move_was_reported_ = false;
  bool background_failure_was_reported_ = false;
  bool is_observed_ = false;
  std::atomic<bool> traced_on_every_call_{false};
  std::atomic<bool> reads_outside_{false};
  std::atomic<bool> is_frozen_{false};
  std::atomic<int> calls_until_hints_{0};
};

/// A monotonic clock.
double seconds_now();

/// Borrows a CallFrame from the state during its lifetime.
class FrameLease {
 public:
  explicit FrameLease(State& state) : state_(state), frame_(state.take_frame()) {}
  FrameLease(const FrameLease&) = delete;
  FrameLease& operator=(const FrameLease&) = delete;
  ~FrameLease() { state_.return_frame(std::move(frame_)); }

  CallFrame& operator*() const { return *frame_; }

 private:
  State& state_;
  UniquePtr<CallFrame> frame_;
};

}  // namespace sinter::inline SINTER_ABI::detail::jit

#ifdef SINTER_DEFINITIONS
#include <sinter/jit/state/state.ipp>
#endif
