#pragma once

#include <chrono>   // std::chrono::steady_clock
#include <mutex>    // std::lock_guard
#include <utility>  // std::exchange

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/base/log.hpp>
#include <sinter/graph/callee.hpp>
#include <sinter/graph/hash.hpp>
#include <sinter/graph/print.hpp>
#include <sinter/graph/verify.hpp>
#include <sinter/jit/interface/backend_names.hpp>
#include <sinter/jit/interface/option_table.hpp>
#include <sinter/jit/lower/lower.hpp>
#include <sinter/jit/lower/options.hpp>
#include <sinter/jit/lower/program_cache.hpp>
#include <sinter/jit/state/background.hpp>
#include <sinter/jit/state/callee.hpp>
#include <sinter/jit/state/report.hpp>
#include <sinter/jit/state/state.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

namespace detail {

inline constexpr std::size_t max_traced_arguments = 64;

}  // namespace detail

SINTER_INLINE double seconds_now() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(now).count();
}

SINTER_INLINE State::State(const CompileOptions& options, Where where)
    : options_(with_environment(options, where)),
      name_(options_.name),
      interpret_(options_.interpret),
      where_(where),
      sizes_(options_.dynamic, name_, where) {
  options_.name = name_, options_.interpret = interpret_;
  require_options(options_, where);
  if (!options_.custom_backend.empty()) {
    custom_ = require_custom_backend(options_.custom_backend, where);
    options_.custom_backend = custom_->name();
  }
  if (state_observer().created != nullptr) is_observed_ = state_observer().created(*this);
}

SINTER_INLINE State::~State() {
  if (is_observed_) state_observer().destroyed(*this);
}

SINTER_INLINE std::string State::label() const {
  return text(name_.empty() ? "compile" : name_, " at ", sinter::to_string(where_));
}

SINTER_INLINE SharedPtr<const Variant> State::find(const CallSignature& call,
                                                   std::vector<std::int64_t>& symbols) {
  if (reads_outside()) return nullptr;
  const std::lock_guard lock(mutex_);
  for (const auto& variant : variants_) {
    symbols.resize(variant->recording.guard.symbols.size());
    if (matches(variant->recording.guard, call.structure, call.leaves.list, symbols)) {
      return variant;
    }
  }
  return nullptr;
}

SINTER_INLINE void State::note_arguments(const CallSignature& call, Span<const std::string> names,
                                         Span<const guard::PlainValue> plain) {
  guard::Guard known = detail::guard_of_arguments(call, names, plain);
  const std::lock_guard lock(mutex_);
  if (traced_arguments_.size() == detail::max_traced_arguments) {
    traced_arguments_.erase(traced_arguments_.begin());
  }
  traced_arguments_.push_back({std::move(known), sizes_.known(call.leaves.list.size())});
}

SINTER_INLINE bool State::varies(const SizePlace& place, std::int64_t number, bool notes) {
  const std::lock_guard lock(mutex_);
  return sizes_.varies(place, number, notes);
}

SINTER_INLINE Varying State::varying(const CallSignature& call, OnMiss on_miss) {
  const std::lock_guard lock(mutex_);
  return sizes_.varying(call.leaves.list, on_miss);
}

SINTER_INLINE void State::note_created_state(const CallSignature& call,
                                             Span<const std::string> before,
                                             Span<const std::string> now) {
  const std::lock_guard lock(mutex_);
  sizes_.note_created_state(call.leaves.list, before, now);
}

SINTER_INLINE SharedPtr<const OutsideSizes> State::outside_sizes() {
  const std::lock_guard lock(mutex_);
  return sizes_.outside();
}

SINTER_INLINE SharedPtr<const OutsideSizes> State::note_outside(std::size_t index,
                                                                const Shape& shape) {
  const std::lock_guard lock(mutex_);
  return sizes_.note_outside(index, shape);
}

SINTER_INLINE guard::Failure State::failure_of_traced_call(const guard::Leaves& leaves,
                                                           const Hash& structure,
                                                           Span<const std::string> names,
                                                           Span<const guard::PlainValue> plain) {
  const std::lock_guard lock(mutex_);
  if (!has_compiled()) {
    return {.leaf = "function", .expected = "a compiled variant", .found = "none"};
  }
  return failure_of_arguments(traced_arguments_, leaves, structure, names, plain);
}

SINTER_INLINE guard::Failure State::failure_of(const CallSignature& call,
                                               Span<const std::string> names,
                                               Span<const guard::PlainValue> plain) {
  {
    const std::lock_guard lock(mutex_);
    if (!variants_.empty()) return failure_of_nearest(variants_, call, names, plain);
  }
  return failure_of_traced_call(call.leaves, call.structure, names, plain);
}

SINTER_INLINE std::string State::reason_for_traced_call(const CallSignature& call,
                                                        Span<const std::string> names,
                                                        Span<const guard::PlainValue> plain,
                                                        const TraceReport& report) {
  const std::string reason = reason_for(call, names, plain);
  const std::lock_guard lock(mutex_);
  if (!has_compiled() || !variants_.empty()) return reason;
  const guard::Failure failure =
      failure_of_arguments(traced_arguments_, call.leaves, call.structure, names, plain);
  const Difference found = difference(last_.trace, report);
  if (failure.found != "others" || found.place.empty()) return reason;
  return text(label(), ": ",
              guard::to_string(guard::Failure{.leaf = found.place,
                                              .expected = found.before,
                                              .found = found.now,
                                              .fix = failure.fix,
                                              .where = found.where}));
}

SINTER_INLINE std::string State::reason_for(const CallSignature& call,
                                            Span<const std::string> names,
                                            Span<const guard::PlainValue> plain) {
  const std::lock_guard lock(mutex_);
  if (!has_compiled()) return {};
  const guard::Failure failure =
      variants_.empty()
          ? failure_of_arguments(traced_arguments_, call.leaves, call.structure, names, plain)
          : failure_of_nearest(variants_, call, names, plain);
  if (log_enabled(Log::recompiles_verbose)) log_all_failures(call, names, plain);
  return text(label(), ": ", guard::to_string(failure));
}

// Logs why the call fits none of the variants, with the lines of the user behind each reason.
SINTER_INLINE void State::log_all_failures(const CallSignature& call, Span<const std::string> names,
                                           Span<const guard::PlainValue> plain) const {
  for (std::size_t i = 0; i < variants_.size(); ++i) {
    const Recording& recording = variants_[i]->recording;
    const guard::Failure failure =
        first_failure(recording.guard, call.structure, call.leaves.list, names, plain);
    log(Log::recompiles_verbose,
        text(label(), ": recording ", i + 1, " of ", variants_.size(),
             " does not fit: ", guard::to_string(failure), trace_of(failure, recording, where_)));
  }
}

SINTER_INLINE bool State::differs_in_numbers(Span<const guard::PlainValue> plain) {
  const std::lock_guard lock(mutex_);
  return any_of(variants_, [&](const auto& variant) {
    return guard::differ_in_numbers(variant->recording.guard.plain, plain);
  });
}

// Called when the recording is done. Calls past recompile_limit are not noted.
SINTER_INLINE void State::note_recompile(std::string reason) {
  if (reason.empty() || limit_was_reported_) return;
  log(Log::recompiles, reason);
  recompiles_.push_back(std::move(reason));
}

SINTER_INLINE void State::note_work(const compiler::CompileStats& work) {
  stats_.compiler_runs += work.compiler_runs;
  stats_.kernels_compiled += work.kernels_compiled;
  stats_.disk_hits += work.disk_hits;
  stats_.compile_seconds += work.seconds;
}

SINTER_INLINE void State::note_work_of(const LoweredProgram& lowered) {
  const std::lock_guard lock(mutex_);
  note_work(lowered.work);
}

SINTER_INLINE void State::note_derivative(SharedPtr<const Runnable> runnable,
                                          Span<const std::int64_t> symbols) {
  const std::lock_guard lock(mutex_);
  for (const DerivativeRun& known : last_.derived) {
    if (known.runnable == runnable) return;
  }
  last_.derived.push_back({std::move(runnable), {symbols.begin(), symbols.end()}});
}

SINTER_INLINE void State::note_phases(const PhaseTimes& times) {
  if (log_enabled(Log::phases)) log(Log::phases, text(label(), ": ", to_string(times)));
  const std::lock_guard lock(mutex_);
  stats_.record_seconds += times[CallPhase::record];
  stats_.initialize_seconds += times[CallPhase::initialize];
  stats_.pass_seconds += times[CallPhase::passes];
  stats_.plan_seconds += times[CallPhase::plan];
  stats_.emit_seconds += times[CallPhase::emit];
  stats_.first_run_seconds += times[CallPhase::run];
}

SINTER_INLINE void State::count_recording() {
  const std::lock_guard lock(mutex_);
  ++stats_.recordings;
}

SINTER_INLINE void State::note_eager_call() {
  const std::lock_guard lock(mutex_);
  ++stats_.calls, ++stats_.eager_calls;
  last_.variant = nullptr, last_.derived.clear();
  last_.trace = {};
}

SINTER_INLINE void State::note_traced_call(const TraceReport& report, std::string reason) {
  const std::lock_guard lock(mutex_);
  ++stats_.calls;
  stats_.eager_calls += report.interpreted ? 1 : 0;
  stats_.allocations += report.allocations;
  if (!report.moved.empty()) note_move(report.moved);
  last_.variant = nullptr, last_.derived.clear();
  last_.trace = report;
  if (!report.compiled) return;
  const bool is_first = variants_.empty() && traced_compilations_ == 0;
  ++traced_compilations_;
  traced_recordings_.push_back({is_first ? std::string() : reason, report});
  if (is_first) return;
  ++stats_.recompiles;
  note_recompile(std::move(reason));
}

SINTER_INLINE void State::note_break(const Break& found) {
  const std::lock_guard lock(mutex_);
  if (!reported_breaks_.emplace(found.where.file_name(), found.where.line()).second) return;
  warn(text(label(), ": graph break at ", sinter::to_string(found.where), ": ", found.reason, "; ",
            found.fix));
}

SINTER_INLINE void State::note_traced_on_every_call(const std::string& reason) {
  traced_on_every_call_.store(true, std::memory_order_relaxed);
  const std::lock_guard lock(mutex_);
  if (std::exchange(tracing_was_reported_, true)) return;
  log(Log::perf, text(label(), ": the function is traced on every call, because ", reason,
                      "; pass what it uses as arguments, list it in a module, or promise that it "
                      "does not change with assume_pure(f)"));
}

SINTER_INLINE void State::note_move(const std::string& leaf) {
  if (std::exchange(move_was_reported_, true)) return;
  log(Log::perf, text(label(), ": ", leaf,
                      " was not updated in place, because something else holds its tensor, which "
                      "keeps its value; release that handle, or let it hold a copy, x + 0"));
}

SINTER_INLINE bool State::is_eager(const Program& program) const {
  return options_.backend == Backend::fused && program.is_interpreted();
}

SINTER_INLINE UniquePtr<CallFrame> State::take_frame() {
  {
    const std::lock_guard lock(mutex_);
    if (!idle_frames_.empty()) {
      UniquePtr<CallFrame> frame = std::move(idle_frames_.back());
      idle_frames_.pop_back();
      frame->forgotten = forgotten_;
      return frame;
    }
  }
  return make_unique_ptr<CallFrame>();  // a call or two may look for their variant again
}

// Makes later calls look for their variant, if it is `variant` or that is null. Frames in use
// follow when they are returned.
SINTER_INLINE void State::forget_frames(const Variant* variant) {
  ++forgotten_;
  for (const auto& frame : idle_frames_) {
    if (variant != nullptr && frame->variant.get() != variant) continue;
    frame->snapshot.type = nullptr, frame->variant = nullptr;
  }
}

SINTER_INLINE void State::return_frame(UniquePtr<CallFrame> frame) {
  const std::lock_guard lock(mutex_);
  if (frame->variant != nullptr) {
    ++stats_.calls;
    const bool is_cached = frame->variant->is_cached;  // others were counted when they were added
    stats_.eager_calls += is_cached && is_eager(*frame->variant->runnable.program) ? 1 : 0;
    stats_.allocations += std::exchange(frame->memory.allocations, 0);
    const std::int32_t moved = std::exchange(frame->memory.moved, -1);
    if (moved >= 0) {
      note_move(frame->variant->recording.guard.leaves[static_cast<std::size_t>(moved)].name);
    }
    frame->variant->last_used = ++uses_;
    note_served(*frame);
    last_.derived.clear();
    last_.symbols.assign(frame->symbols.begin(), frame->symbols.end());
  }
  if (frame->forgotten != forgotten_) frame->snapshot.type = nullptr, frame->variant = nullptr;
  idle_frames_.push_back(std::move(frame));
}

SINTER_INLINE void State::note_served(const CallFrame& frame) {
  VariantUse& use = *frame.variant->use;
  ++use.calls;
  if (last_.variant == frame.variant) return;
  last_.variant = frame.variant;
  use.symbols.assign(frame.symbols.begin(), frame.symbols.end());
}

SINTER_INLINE void State::refuse(const guard::Failure& failure) {
  const bool frozen = is_frozen_.load(std::memory_order_relaxed);
  detail::throw_refused(failure, name_, frozen, where_);
}

SINTER_INLINE Hash State::recording_key(const CallSignature& call) {
  if (on_recompile() != OnMiss::compile) {
    const std::lock_guard lock(mutex_);
    if (!has_compiled()) return {};
  }
  return detail::key_of_sizes(call, options_.dynamic != Dynamic::off);
}

SINTER_INLINE LowerOptions State::lower_options(Vector<schedule::Update> updates,
                                                Device device) const {
  LowerOptions result{.backend = options_.backend,
                      .numerics = options_.numerics,
                      .updates = std::move(updates),
                      .tunes_in_background = options_.background,
                      .device = device,
                      .interpreted = interpreted_names(options_.interpret),
                      .memory_bytes = options_.memory_bytes,
                      .custom = custom_};
  detail::set_mode(result, options_.mode, options_.autotune_seconds);
  return result;
}

SINTER_INLINE bool State::compiles_in_background(const Graph& graph, const LowerOptions& options,
                                                 Requester requester) const {
  return options_.background && requester == Requester::call && options.backend != Backend::eager &&
         known_program(graph, options) == nullptr;
}

SINTER_INLINE SharedPtr<Variant> State::make_variant(Recording recording,
                                                     const LowerOptions& options,
                                                     const LoweredProgram& lowered) const {
  Runnable runnable =
      runnable_of(recording.graph, options.updates, lowered.program, lowered.symbols);
  auto variant =
      make_shared_ptr<Variant>(Variant{.recording = std::move(recording),
                                       .runnable = std::move(runnable),
                                       .is_interpreted = lowered.program->is_interpreted(),
                                       .compile_seconds = lowered.work.seconds});
  const Recording& kept = variant->recording;
  if (!kept.requires_grad.empty()) variant->callee = callee(kept.graph, options);
  return variant;
}

SINTER_INLINE SharedPtr<const Callee> State::callee(Graph graph,
                                                    const LowerOptions& options) const {
  LowerOptions alone = options;
  alone.updates.clear();
  return make_shared_ptr<CompiledCallee>(std::move(graph), std::move(alone), weak_from_this());
}

SINTER_INLINE SharedPtr<const Callee> State::callee_in_body(Graph graph, Device device) {
  const Hash key = detail::program_key(graph, lower_options({}, device)).hash;
  const std::lock_guard lock(mutex_);
  ++stats_.calls;
  last_.variant = nullptr, last_.trace = {}, last_.derived.clear();
  const auto [entry, is_new] = body_callees_.try_emplace(key);
  if (is_new) {
    ++stats_.recordings;
    entry->second = callee(std::move(graph), lower_options({}, device));
  } else if (verifies()) {
    require_shared(hash_with_symbols(entry->second->graph()), hash_with_symbols(graph),
                   "different graphs share a callee\n", graph);
  }
  return entry->second;
}

SINTER_INLINE SharedPtr<const Variant> State::add(Recording recording, std::string reason,
                                                  SharedPtr<const void> result,
                                                  SharedPtr<const void> arguments,
                                                  Requester requester) {
  if (options_.evict) evict();
  bool full = false;
  {
    const std::lock_guard lock(mutex_);
    full = is_full();
  }
  const bool demands = requires_compiled();
  if (full && (demands || requester == Requester::prepare))
    refuse_at_limit(requester, std::move(reason));
  LowerOptions options = lower_options(recording.updates(), recording.device);
  warn_of_unused_names(recording.graph, options);
  full ? interpret(options) : apply_budget(recording.graph, options);
  const bool later = !demands && compiles_in_background(recording.graph, options, requester);
  if (later) interpret(options);
  const LoweredProgram lowered = jit::lower(recording.graph, options);
  if (demands) require_compiled(*lowered.program);
  const SharedPtr<Variant> variant = make_variant(std::move(recording), options, lowered);
  variant->result = std::move(result), variant->arguments = std::move(arguments);
  variant->is_cached = !full, variant->is_interim = later;
  keep(variant, lowered, std::move(reason));
  if (later) compile_in_background(weak_from_this(), variant);
  return variant;
}

SINTER_INLINE void State::keep(const SharedPtr<const Variant>& variant,
                               const LoweredProgram& lowered, std::string reason) {
  const std::lock_guard lock(mutex_);
  note_work(lowered.work);
  variant->use->reason = reason, variant->use->work = lowered.work;
  note_recompile(std::move(reason));
  if (!variant->is_cached) {
    warn_of_limit();
    ++stats_.eager_calls;
    return;
  }
  stats_.recompiles += has_compiled() ? 1 : 0;
  variant->last_used = ++uses_;
  variants_.push_back(variant);
  constexpr int calls_before_hints = 2;  // they warm up
  if (log_enabled(Log::perf)) calls_until_hints_ = calls_before_hints;
  for (const std::string& line : describe(variant->recording.guard)) {
    log(Log::guards, text(label(), ": ", line));
  }
}

// True if a segment or a variant runs `program`.
SINTER_INLINE bool State::has_program(const SharedPtr<const Program>& program) const {
  return programs_.count(program) != 0 || any_of(variants_, [&](const auto& variant) {
           return variant->runnable.program == program;
         });
}

SINTER_INLINE SegmentProgram State::lower_segment(const Graph& graph,
                                                  const Vector<schedule::Update>& updates,
                                                  Device device, OnMiss on_miss,
                                                  Requester requester) {
  LowerOptions options = lower_options(updates, device);
  bool passing = false, full = false;
  {
    const std::lock_guard lock(mutex_);
    full = is_full();
    if (full || on_miss != OnMiss::compile) {
      passing = !has_program(known_program(graph, options));
    }
  }
  if (passing && on_miss == OnMiss::refuse) return {};
  if (passing && options_.evict && on_miss == OnMiss::compile) evict(), passing = full = false;
  const bool demands = on_miss == OnMiss::compile && requires_compiled();
  if (passing && (demands || requester == Requester::prepare)) refuse_at_limit(requester);
  warn_of_unused_names(graph, options);
  if (!passing) apply_budget(graph, options);
  const bool later = !passing && !demands && compiles_in_background(graph, options, requester);
  if (passing || later) interpret(options);
  const LoweredProgram lowered = jit::lower(graph, options);
  if (demands) require_compiled(*lowered.program);
  const std::lock_guard lock(mutex_);
  note_work(lowered.work);
  if (passing && full) warn_of_limit();
  if (passing) {
    return {.program = lowered.program, .symbols = lowered.symbols, .is_for_one_call = true};
  }
  const bool is_new = !has_program(lowered.program);
  return {
      .program = lowered.program,
      .symbols = lowered.symbols,
      .is_new = (later ? interim_programs_ : programs_).insert(lowered.program).second && is_new,
      .is_interim = later,
      .compile_seconds = lowered.work.seconds};
}

SINTER_INLINE void State::note_background_failure(const std::exception& error) {
  const std::lock_guard lock(mutex_);
  if (std::exchange(background_failure_was_reported_, true)) return;
  warn(text(label(), ": compiling in the background failed, calls stay on the eager backend: ",
            error.what()));
}

SINTER_INLINE void State::replace(const SharedPtr<const Variant>& interim,
                                  const LoweredProgram& lowered) {
  const LowerOptions options =
      lower_options(interim->recording.updates(), interim->recording.device);
  auto variant = make_variant(interim->recording, options, lowered);
  variant->result = interim->result, variant->arguments = interim->arguments;
  variant->use = interim->use, variant->use->work = lowered.work;
  for (auto& known : variants_) {
    if (known == interim) known = variant;
  }
}

SINTER_INLINE void State::compile_now(const SharedPtr<const Variant>& variant) {
  const Ticket ticket(compile_tickets_, hash_of(variant->recording.graph));
  const LoweredProgram lowered =
      jit::lower(variant->recording.graph,
                 lower_options(variant->recording.updates(), variant->recording.device));
  require_compiled(*lowered.program);
  const std::lock_guard lock(mutex_);
  note_work(lowered.work);
  replace(variant, lowered);
}

SINTER_INLINE void State::note_prepared(SharedPtr<const Variant> variant,
                                        std::vector<std::int64_t> symbols) {
  const std::lock_guard lock(mutex_);
  last_.variant = std::move(variant);
  last_.symbols = std::move(symbols);
}

SINTER_INLINE void State::note_prepared(const TraceReport& report) {
  const std::lock_guard lock(mutex_);
  last_.variant = nullptr;
  last_.trace = report;
  if (!report.compiled) return;
  stats_.recompiles += has_compiled() ? 1 : 0;
  ++traced_compilations_;
}

// The number of interpreted programs, without those that the background thread is compiling.
SINTER_INLINE std::int64_t State::count_interpreted() const {
  const auto variants = count_if(variants_, [](const auto& variant) {
    return variant->is_interpreted && !variant->is_interim;
  });
  const auto graphs =
      count_if(programs_, [](const auto& program) { return program->is_interpreted(); });
  return variants + graphs;
}

SINTER_INLINE std::string State::why_interpreted(const Program& program, bool is_cached,
                                                 bool is_interim) const {
  if (!program.is_interpreted()) return {};
  if (options_.backend == Backend::eager) return "Backend::eager";
  if (options_.backend == Backend::aot_eager) return "Backend::aot_eager";
  if (is_interim) return "it is being compiled in the background";
  if (stats_.over_budget != 0)
    return text("compile_seconds = ", options_.compile_seconds, " is used up");
  if (is_cached) return detail::missing_compiler(program.device());
  return is_full() ? text("recompile_limit = ", options_.recompile_limit, " is reached")
                   : "Stance::eager_on_recompile";
}

SINTER_INLINE Stats State::stats() {
  const std::lock_guard lock(mutex_);
  Stats result = stats_;
  result.variants = static_cast<std::int64_t>(variants_.size()) + traced_compilations_;
  result.interpreted = count_interpreted();
  detail::count_launches(result, last_);
  return result;
}

SINTER_INLINE Explanation State::explain() {
  const std::lock_guard lock(mutex_);
  Explanation result;
  result.recompiles = recompiles_;
  detail::add_graphs(result, last_, [this](const Program& program, bool kept, bool interim) {
    return why_interpreted(program, kept, interim);
  });
  return result;
}

SINTER_INLINE History State::history() {
  const Stats so_far = stats();
  const Explanation explanation = explain();
  const std::lock_guard lock(mutex_);
  return {name_, where_, options_, so_far, explanation, variants_, traced_recordings_, last_};
}

}  // namespace sinter::inline SINTER_ABI::detail::jit
