#pragma once

#include <algorithm>  // std::any_of, std::max
#include <chrono>     // std::chrono::steady_clock
#include <optional>   // std::optional
#include <utility>    // std::exchange

#include <sinter/base/log.hpp>
#include <sinter/jit/lower.hpp>
#include <sinter/jit/state.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

namespace detail {
inline constexpr std::size_t most_run_arguments = 64;
}  // namespace detail

SINTER_INLINE double seconds_now() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(now).count();
}

SINTER_INLINE State::State(const CompileOptions& options, Where where)
    : options_(options), name_(options.name), where_(where) {
  options_.name = name_;
  require_options(options, where);
}

SINTER_INLINE std::string State::label() const {
  return text(name_.empty() ? "compile" : name_, " at ", sinter::to_string(where_));
}

SINTER_INLINE std::shared_ptr<const Variant> State::find(const CallSignature& call,
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

SINTER_INLINE void State::note_arguments(const CallSignature& call,
                                         std::span<const std::string> names,
                                         std::span<const guard::PlainValue> plain) {
  guard::Guard known{.structure = call.structure, .plain = {plain.begin(), plain.end()}};
  std::vector<Tensor> tensors;
  for (std::size_t i = 0; i < call.leaves.list.size(); ++i) {
    const TensorType& type = call.leaves.list[i].tensor->type();
    known.leaves.push_back({.name = names[i], .dtype = type.dtype, .shape = type.shape});
    known.leaves.back().reasons.resize(static_cast<std::size_t>(type.shape.size()));
    tensors.push_back(*call.leaves.list[i].tensor);
  }
  detail::note_devices(tensors, known);
  const std::lock_guard lock(mutex_);
  if (run_arguments_.size() == detail::most_run_arguments) {
    run_arguments_.erase(run_arguments_.begin());
  }
  run_arguments_.push_back({std::move(known), seen_[call.leaves.list.size()].varying});
}

namespace detail {

// Sizes that are marked or varied before are symbols of the graphs: they are not why it fits none.
SINTER_INLINE guard::Guard with_free_sizes(const RunArguments& run, const guard::Leaves& leaves) {
  guard::Guard known = run.guard;
  for (std::size_t i = 0; i < std::min(known.leaves.size(), leaves.list.size()); ++i) {
    const Shape &before = known.leaves[i].shape, &now = leaves.list[i].tensor->shape();
    Shape shape;
    for (int dim = 0; before.size() == now.size() && dim < now.size(); ++dim) {
      const Mark* const mark = mark_of(*leaves.list[i].tensor, dim);
      const bool is_marked = mark != nullptr && mark->kind != Mark::Kind::fixed;
      const bool is_free = is_marked || run.varying.count({i, dim}) != 0;
      shape.push_back(is_free ? now[dim] : before[dim]);
    }
    if (before.size() == now.size()) known.leaves[i].shape = shape;
  }
  return known;
}

}  // namespace detail

// Beside the run that the call is nearest to; of several, the last one.
SINTER_INLINE guard::Failure State::failure_of_arguments(
    const guard::Leaves& leaves, const Hash& structure, std::span<const std::string> names,
    std::span<const guard::PlainValue> plain) const {
  std::optional<guard::Guard> nearest;
  std::int64_t least = 0;
  for (const RunArguments& run : run_arguments_) {
    guard::Guard known = detail::with_free_sizes(run, leaves);
    const bool fits = matches(known, structure, leaves.list, {});
    const std::int64_t far = fits ? -1 : distance(known, structure, leaves.list, plain);
    if (nearest && far > least) continue;
    nearest = std::move(known), least = far;
  }
  if (nearest && least >= 0) {
    return first_failure(*nearest, structure, leaves.list, names, plain);
  }
  return {.leaf = "what it computes",
          .expected = "the operations of a run before, on the same numbers and captures",
          .found = "others",
          .fix = "pass what decides as an argument, a number that varies as a Scalar"};
}

SINTER_INLINE guard::Failure State::failure_of_run(const guard::Leaves& leaves,
                                                   const Hash& structure,
                                                   std::span<const std::string> names,
                                                   std::span<const guard::PlainValue> plain) {
  const std::lock_guard lock(mutex_);
  if (!has_compiled()) {
    return {.leaf = "function", .expected = "something that was compiled", .found = "nothing"};
  }
  return failure_of_arguments(leaves, structure, names, plain);
}

SINTER_INLINE guard::Failure State::failure_of(const CallSignature& call,
                                               std::span<const std::string> names,
                                               std::span<const guard::PlainValue> plain) {
  {
    const std::lock_guard lock(mutex_);
    if (!variants_.empty()) return failure_of_nearest(call, names, plain);
  }
  return failure_of_run(call.leaves, call.structure, names, plain);
}

SINTER_INLINE std::string State::reason_for_run(const CallSignature& call,
                                                std::span<const std::string> names,
                                                std::span<const guard::PlainValue> plain,
                                                const RunReport& report) {
  const std::string reason = reason_for(call, names, plain);
  const std::lock_guard lock(mutex_);
  if (!has_compiled() || !variants_.empty()) return reason;
  const guard::Failure failure = failure_of_arguments(call.leaves, call.structure, names, plain);
  const Difference found = difference(last_run_, report);
  if (failure.found != "others" || found.place.empty()) return reason;
  return text(label(), ": ",
              guard::to_string(guard::Failure{.leaf = found.place,
                                              .expected = found.before,
                                              .found = found.now,
                                              .fix = failure.fix,
                                              .where = found.where}));
}

SINTER_INLINE std::string State::reason_for(const CallSignature& call,
                                            std::span<const std::string> names,
                                            std::span<const guard::PlainValue> plain) {
  const std::lock_guard lock(mutex_);
  if (!has_compiled()) return {};
  const guard::Failure failure =
      variants_.empty() ? failure_of_arguments(call.leaves, call.structure, names, plain)
                        : failure_of_nearest(call, names, plain);
  return text(label(), ": ", guard::to_string(failure));
}

SINTER_INLINE bool State::differs_in_numbers(std::span<const guard::PlainValue> plain) {
  const std::lock_guard lock(mutex_);
  return std::any_of(variants_.begin(), variants_.end(), [&](const auto& variant) {
    return guard::differ_in_numbers(variant->recording.guard.plain, plain);
  });
}

// What a recording was for is noted when it is done. Past the limit calls leave no trace.
SINTER_INLINE void State::note_recompile(std::string reason) {
  if (reason.empty() || limit_was_said_) return;
  log(Log::recompiles, reason);
  recompiles_.push_back(std::move(reason));
}

SINTER_INLINE void State::warn_of_limit() {
  if (limit_was_said_) return;
  limit_was_said_ = true;
  std::string message = text(label(), ": recompile_limit = ", options_.recompile_limit,
                             " is reached; other signatures run on the eager backend");
  for (const std::string& reason : recompiles_) message += text("\n  ", reason);
  warn(message);
}

SINTER_INLINE void State::note_work(const compiler::Work& work) {
  stats_.compiler_runs += work.compiler_runs;
  stats_.kernels_compiled += work.kernels_compiled;
  stats_.disk_hits += work.disk_hits;
  stats_.compile_seconds += work.seconds;
}

SINTER_INLINE void State::note_work_of(const Lowered& lowered) {
  const std::lock_guard lock(mutex_);
  note_work(lowered.work);
}

SINTER_INLINE void State::note_derived(std::shared_ptr<const Runnable> runnable,
                                       std::span<const std::int64_t> symbols) {
  const std::lock_guard lock(mutex_);
  for (const DerivedRun& known : last_derived_) {
    if (known.runnable == runnable) return;
  }
  last_derived_.push_back({std::move(runnable), {symbols.begin(), symbols.end()}});
}

SINTER_INLINE void State::note_record_time(double start) {
  const double seconds = seconds_now() - start;
  const std::lock_guard lock(mutex_);
  stats_.record_seconds += seconds;
}

SINTER_INLINE void State::count_recording() {
  const std::lock_guard lock(mutex_);
  ++stats_.recordings;
}

SINTER_INLINE void State::note_eager_call() {
  const std::lock_guard lock(mutex_);
  ++stats_.calls, ++stats_.eager_calls;
  last_ = nullptr, last_derived_.clear();
  last_run_ = {};
}

SINTER_INLINE void State::note_run(const RunReport& report, std::string reason) {
  const std::lock_guard lock(mutex_);
  ++stats_.calls;
  stats_.eager_calls += report.interpreted ? 1 : 0;
  stats_.allocations += report.allocations;
  if (!report.moved.empty()) note_move(report.moved);
  last_ = nullptr, last_derived_.clear();
  last_run_ = report;
  if (!report.compiled) return;
  const bool is_first = variants_.empty() && compiled_runs_ == 0;
  ++compiled_runs_;
  if (is_first) return;
  ++stats_.recompiles;
  note_recompile(std::move(reason));
}

SINTER_INLINE void State::note_break(const Break& found) {
  const std::lock_guard lock(mutex_);
  if (!said_breaks_.emplace(found.where.file_name(), found.where.line()).second) return;
  warn(text(label(), ": graph break at ", sinter::to_string(found.where), ": ", found.reason, "; ",
            found.fix));
}

SINTER_INLINE void State::note_open(const std::string& reason) {
  runs_again_.store(true, std::memory_order_relaxed);
  const std::lock_guard lock(mutex_);
  if (std::exchange(open_was_said_, true)) return;
  log(Log::perf, text(label(), ": the function runs on every call, because ", reason,
                      "; pass what it uses as arguments, list it in a module, or promise that it "
                      "does not change with assume_pure(f)"));
}

SINTER_INLINE void State::note_move(const std::string& leaf) {
  if (std::exchange(move_was_said_, true)) return;
  log(Log::perf, text(label(), ": ", leaf,
                      " moved to other memory, because something else holds its tensor, which "
                      "stays as it is; let go of it, or copy it with + 0, to update in place"));
}

SINTER_INLINE bool State::is_eager(const Program& program) const {
  return options_.backend == Backend::fused && program.is_interpreted();
}

SINTER_INLINE std::unique_ptr<Call> State::take_call() {
  {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      std::unique_ptr<Call> call = std::move(idle_.back());
      idle_.pop_back();
      return call;
    }
  }
  return std::make_unique<Call>();
}

SINTER_INLINE void State::give_back(std::unique_ptr<Call> call) {
  const std::lock_guard lock(mutex_);
  if (call->variant != nullptr) {
    ++stats_.calls;
    const bool kept = call->variant->is_kept;  // what is not has been counted
    stats_.eager_calls += kept && is_eager(*call->variant->runnable.program) ? 1 : 0;
    stats_.allocations += std::exchange(call->memory.allocations, 0);
    const std::int32_t moved = std::exchange(call->memory.moved, -1);
    if (moved >= 0) {
      note_move(call->variant->recording.guard.leaves[static_cast<std::size_t>(moved)].name);
    }
    if (last_ != call->variant) last_ = call->variant;
    last_derived_.clear();
    last_symbols_.assign(call->symbols.begin(), call->symbols.end());
  }
  idle_.push_back(std::move(call));
}

}  // namespace sinter::inline SINTER_ABI::detail::jit
