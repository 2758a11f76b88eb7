#pragma once

#include <mutex>    // std::lock_guard
#include <utility>  // std::exchange, std::swap

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/base/log.hpp>
#include <sinter/base/process_mutex.hpp>
#include <sinter/jit/lower/memory_budget.hpp>
#include <sinter/jit/lower/partition.hpp>
#include <sinter/jit/lower/process.hpp>
#include <sinter/jit/lower/program_cache.hpp>
#include <sinter/jit/state/limits.hpp>
#include <sinter/jit/state/state.hpp>
#include <sinter/runtime/host/memory_report.hpp>
#include <sinter/symbol/solve/evaluate.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

namespace detail {

// The compiled functions of the process.
struct Functions {
  ProcessMutex mutex;
  Vector<WeakPtr<State>> list;
  std::size_t size_after_pruning = 0;
};

SINTER_INLINE Functions& functions() {
  static auto& all = *new Functions;
  return all;
}

}  // namespace detail

SINTER_INLINE void register_function(const SharedPtr<State>& state) {
  on_reset(reset_functions);
  detail::Functions& all = detail::functions();
  const std::lock_guard lock(all.mutex);
  if (all.list.size() > 64 + 2 * all.size_after_pruning) {
    Vector<WeakPtr<State>> living;
    for (const WeakPtr<State>& one : all.list) {
      if (!one.expired()) living.push_back(one);
    }
    all.list = std::move(living);
    all.size_after_pruning = all.list.size();
  }
  all.list.push_back(state);
}

SINTER_INLINE void reset_functions() {
  Vector<SharedPtr<State>> living;
  {
    detail::Functions& all = detail::functions();
    const std::lock_guard lock(all.mutex);
    for (const WeakPtr<State>& one : all.list) {
      if (SharedPtr<State> state = one.lock()) living.push_back(std::move(state));
    }
  }
  for (const SharedPtr<State>& state : living) state->reset();
}

// What is dropped is destroyed after the mutex is released: a result or an argument may hold
// another compiled function.
SINTER_INLINE void State::reset() {
  if (is_frozen()) return;
  Vector<SharedPtr<const Variant>> variants;
  SortedSet<SharedPtr<const Program>> programs, interim_programs;
  HashMap<Hash, SharedPtr<const Callee>, HashOfHash> callees;
  Vector<TracedArguments> arguments;
  LastCall last;
  segments_.clear();
  const std::lock_guard lock(mutex_);  // released before these are destroyed
  std::swap(variants, variants_), std::swap(programs, programs_);
  std::swap(interim_programs, interim_programs_), std::swap(callees, body_callees_);
  std::swap(arguments, traced_arguments_), std::swap(last, last_);
  forget_frames(nullptr);
  sizes_ = SizeHistory(options_.dynamic, name_, where_);
  traced_compilations_ = 0, first_evaluation_ = 0;
  tuning_seconds_ = 0, seconds_before_reset_ = stats_.compile_seconds;
  recompiles_.clear(), reported_breaks_.clear();
  limit_was_reported_ = names_were_reported_ = false, tracing_was_reported_ = false,
  move_was_reported_ = false;
  background_failure_was_reported_ = false;
  traced_on_every_call_.store(false, std::memory_order_relaxed);
  reads_outside_.store(false, std::memory_order_relaxed);
}

// At recompile_limit: drops the least recently used variant, or what the least recently used call
// of a traced function compiled.
SINTER_INLINE void State::evict() {
  SharedPtr<const Variant> variant;
  Vector<SharedPtr<const Segment>> segments;
  const std::lock_guard lock(mutex_);  // released before these are destroyed
  if (!is_full()) return;
  std::string what = "the graphs of the least recently used call";
  if (!variants_.empty()) {
    auto oldest = variants_.begin();
    for (auto it = variants_.begin(); it != variants_.end(); ++it) {
      if ((*it)->last_used < (*oldest)->last_used) oldest = it;
    }
    variant = *oldest;
    variants_.erase(oldest);
    forget_frames(variant.get());
    what = "the least recently used recording:";
    for (const std::string& line : describe(variant->recording.guard)) what += text("\n  ", line);
  } else {
    segments = segments_.evict();
    for (const auto& segment : segments) {
      programs_.erase(segment->runnable.program);
      interim_programs_.erase(segment->runnable.program);
    }
    --traced_compilations_;
  }
  ++stats_.evictions;
  log(Log::recompiles, text(label(), ": recompile_limit = ", options_.recompile_limit,
                            " is reached; dropped ", what));
}

SINTER_INLINE void State::warn_of_limit() {
  if (limit_was_reported_) return;
  limit_was_reported_ = true;
  std::string message = text(label(), ": recompile_limit = ", options_.recompile_limit,
                             " is reached; other signatures run on the eager backend");
  for (const std::string& reason : recompiles_) message += text("\n  ", reason);
  warn(message);
}

// A name that no operation has would make the result look innocent of it.
SINTER_INLINE void State::warn_of_unused_names(const Graph& graph, const LowerOptions& options) {
  if (options.interpreted.empty()) return;
  const std::string unused = unused_names(graph, options);
  const std::lock_guard lock(mutex_);
  if (unused.empty() || std::exchange(names_were_reported_, true)) return;
  warn(text(label(), ": ", unused));
}

SINTER_INLINE bool State::is_full() const {
  const auto count = static_cast<std::int64_t>(variants_.size()) + traced_compilations_;
  return count >= options_.recompile_limit;
}

SINTER_INLINE void State::refuse_at_limit(Requester requester, std::string reason) const {
  detail::throw_at_limit(requester, name_, options_.recompile_limit, std::move(reason), where_);
}

SINTER_INLINE void State::freeze() {
  const bool demands = requires_compiled();
  const std::lock_guard lock(mutex_);
  std::string reason;
  for (const auto& variant : variants_) {
    if (variant->is_interim || !variant->is_interpreted) continue;
    if (demands) require_compiled(*variant->runnable.program);
    reason = why_interpreted(*variant->runnable.program, true, false);
  }
  for (const auto& program : programs_) {
    if (!program->is_interpreted()) continue;
    if (demands) require_compiled(*program);
    reason = why_interpreted(*program, true, false);
  }
  const bool was_frozen = is_frozen_.exchange(true, std::memory_order_relaxed);
  if (was_frozen || reason.empty() || options_.backend != Backend::fused) return;
  warn(text(label(), ": frozen with ", quantity(count_interpreted(), "interpreted program"), ": ",
            reason, "; with .force_compiled = true, prepare throws in that case"));
}

// Of compile_seconds. Called with the mutex held.
SINTER_INLINE double State::seconds_left() const {
  return options_.compile_seconds - (stats_.compile_seconds - seconds_before_reset_) -
         tuning_seconds_;
}

SINTER_INLINE void State::apply_budget(const Graph& graph, LowerOptions& options) {
  const bool has_budget = options_.compile_seconds > 0;
  if (!has_budget || options.backend != Backend::fused || options.custom != nullptr) return;
  if (known_program(graph, options) != nullptr) return;
  const std::lock_guard lock(mutex_);
  if (seconds_left() <= 0) {
    interpret(options);
    if (stats_.over_budget++ == 0) {
      warn(text(label(), ": compile_seconds = ", options_.compile_seconds,
                " is used up; graphs that are not compiled yet run on the eager backend"));
    }
  } else if (options.tunes && seconds_left() < options.tuning_seconds) {
    options.tunes = false;
    log(Log::autotune, text(label(), ": nothing is tuned: ", seconds_left(), " s are left of ",
                            "compile_seconds = ", options_.compile_seconds));
  } else if (options.tunes) {
    tuning_seconds_ += options.tuning_seconds;
  }
}

SINTER_INLINE void State::require_memory(const Runnable& runnable,
                                         Span<const std::int64_t> symbols) const {
  if (options_.memory_bytes == 0) return;
  const std::vector<std::int64_t> sizes = program_symbols(runnable, symbols);
  for (const Runnable* const partition : runnable.program->partitions()) {
    require_memory(*partition, sizes);
  }
  const schedule::Plan* const plan = runnable.program->plan();
  if (plan == nullptr) return;
  Vector<schedule::Update> updates;
  for (std::size_t i = 0; i < runnable.outputs.size(); ++i) {
    const std::int32_t input = runnable.outputs[i].updates;
    if (input >= 0) updates.push_back({input, static_cast<std::int32_t>(i)});
  }
  const std::int64_t bytes = evaluate(bytes_needed(*plan, updates), sizes);
  if (bytes <= options_.memory_bytes) return;
  Report report{
      .op = name_.empty() ? "compile" : name_,
      .what = "the call needs more memory than memory_bytes",
      .facts = {{"needs", text(bytes, " bytes")}, {"memory_bytes", text(options_.memory_bytes)}},
      .rule = "inputs, intermediates and results of a call fit into memory_bytes",
      .fix =
          "call it with a smaller batch, use checkpoint(f) for parts of it, or raise "
          "memory_bytes",
      .where = where_,
      .see = "without-a-section"};
  for (auto& fact : runtime::memory_facts(*plan, updates, sizes)) {
    report.facts.push_back(std::move(fact));
  }
  throw ValueError(report);
}

// What a call may do that no recording serves.

SINTER_INLINE OnMiss State::on_miss_of_prepare() {
  return is_frozen_.load(std::memory_order_relaxed) ? OnMiss::refuse : OnMiss::compile;
}

SINTER_INLINE OnMiss State::on_miss() {
  if (is_frozen_.load(std::memory_order_relaxed)) return OnMiss::refuse;
  const OnMiss result = on_recompile();
  if (result == OnMiss::compile) return result;
  const std::lock_guard lock(mutex_);
  return has_compiled() ? result : OnMiss::compile;
}

SINTER_INLINE OnMiss State::on_miss_of_derivative(std::uint64_t evaluation) {
  if (is_frozen_.load(std::memory_order_relaxed)) return OnMiss::refuse;
  const std::lock_guard lock(mutex_);
  if (first_evaluation_ == 0) first_evaluation_ = evaluation;
  return first_evaluation_ == evaluation ? OnMiss::compile : on_recompile();
}

SINTER_INLINE bool State::requires_compiled() const {
  return options_.force_compiled || current_stance() == Stance::force_compiled;
}

SINTER_INLINE void State::require_compiled(const Program& program) const {
  if (!program.is_interpreted()) return;
  detail::throw_interpreted(name_, options_, why_interpreted(program, true, false), where_);
}

}  // namespace sinter::inline SINTER_ABI::detail::jit
