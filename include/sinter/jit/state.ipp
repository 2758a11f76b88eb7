#pragma once

#include <algorithm>  // std::max

#include <sinter/base/log.hpp>
#include <sinter/graph/print.hpp>
#include <sinter/jit/lower.hpp>
#include <sinter/jit/state.hpp>
#include <sinter/symbol/evaluate.hpp>

namespace sinter::inline SINTER_ABI::jit {

namespace detail {

SINTER_INLINE std::int64_t operations(const Graph& graph) {
  std::int64_t count = 0;
  for (const Node& node : graph.nodes) count += info(node.op).kind != OpKind::leaf;
  return count;
}

SINTER_INLINE void count_launches(Stats& stats, const schedule::Plan& plan,
                                  std::span<const std::int64_t> symbols) {
  stats.launches = static_cast<std::int64_t>(plan.launches.size());
  stats.kernels = stats.launches;
  stats.bytes_read = stats.bytes_written = 0;
  for (const schedule::Launch& launch : plan.launches) {
    stats.bytes_read += evaluate(launch.bytes_read, symbols);
    stats.bytes_written += evaluate(launch.bytes_written, symbols);
  }
  stats.peak_bytes = evaluate(plan.arena_bytes, symbols);
}

SINTER_INLINE std::vector<KernelInfo> kernel_infos(const Program& program,
                                                   std::span<const std::int64_t> symbols) {
  std::vector<KernelInfo> result;
  if (program.executable() == nullptr) return result;
  for (const schedule::Launch& launch : program.executable()->plan().launches) {
    const Source& source = program.sources()[static_cast<std::size_t>(launch.kernel)];
    result.push_back({source.name, source.text, evaluate(launch.bytes_read, symbols),
                      evaluate(launch.bytes_written, symbols), launch.lines});
  }
  return result;
}

}  // namespace detail

SINTER_INLINE State::State(const CompileOptions& options, Where where)
    : options_(options), name_(options.name), where_(where) {
  options_.name = name_;
}

SINTER_INLINE std::string State::label() const {
  return text(name_.empty() ? "compile" : name_, " at ", to_string(where_));
}

SINTER_INLINE std::shared_ptr<const Variant> State::find(const CallSignature& call,
                                                         std::vector<std::int64_t>& symbols) {
  const std::lock_guard lock(mutex_);
  for (const auto& variant : variants_) {
    symbols.resize(variant->recording.guard.symbols.size());
    if (matches(variant->recording.guard, call.structure, call.leaves.list, symbols)) {
      return variant;
    }
  }
  return nullptr;
}

SINTER_INLINE Miss State::explain_miss(const CallSignature& call,
                                       std::span<const std::string> names,
                                       std::span<const guard::PlainValue> plain) {
  const std::lock_guard lock(mutex_);
  Miss miss{.varying = varying_};
  if (variants_.empty()) return miss;
  const guard::Guard& guard = variants_.back()->recording.guard;
  const guard::Failure failure =
      first_failure(guard, call.structure, call.leaves.list, names, plain);
  miss.reason = text(label(), ": ", guard::to_string(failure));
  if (guard.structure != call.structure || guard.leaves.size() != call.leaves.list.size()) {
    return miss;
  }
  for (std::size_t i = 0; i < guard.leaves.size(); ++i) {
    const Shape &expected = guard.leaves[i].shape, &found = call.leaves.list[i].tensor->shape();
    for (int dim = 0; dim < expected.size() && dim < found.size(); ++dim) {
      if (!same(expected[dim], found[dim])) miss.varying.insert({i, dim});
    }
  }
  return miss;
}

// What a recording was for is noted when it is done. Past the limit calls leave no trace.
SINTER_INLINE void State::note(Miss miss) {
  varying_ = std::move(miss.varying);
  if (miss.reason.empty() || limit_was_said_) return;
  log(Log::recompiles, miss.reason);
  recompiles_.push_back(std::move(miss.reason));
}

SINTER_INLINE bool State::is_full() const {
  return static_cast<int>(variants_.size()) >= std::max(1, options_.recompile_limit);
}

SINTER_INLINE void State::warn_of_limit() {
  if (limit_was_said_) return;
  limit_was_said_ = true;
  std::string message = text(label(), ": recompile_limit = ", options_.recompile_limit,
                             " is reached; other signatures run on the eager backend");
  for (const std::string& reason : recompiles_) message += text("\n  ", reason);
  warn(message);
}

SINTER_INLINE std::shared_ptr<const Variant> State::add(Recording recording, Miss miss,
                                                        std::shared_ptr<const void> result,
                                                        std::shared_ptr<const void> arguments,
                                                        double seconds) {
  bool full = false;
  {
    const std::lock_guard lock(mutex_);
    full = is_full();
  }
  const LowerOptions options{.backend = full ? Backend::eager : options_.backend,
                             .numerics = options_.numerics,
                             .updates = recording.updates()};
  const Lowered lowered = lower(recording.graph, options);
  auto variant = std::make_shared<Variant>(Variant{.recording = std::move(recording),
                                                   .program = lowered.program,
                                                   .result = std::move(result),
                                                   .arguments = std::move(arguments),
                                                   .is_kept = !full});
  variant->outputs = outputs_of(variant->recording, *variant->program);
  const std::lock_guard lock(mutex_);
  stats_.compiler_runs += lowered.work.compiler_runs;
  stats_.kernels_compiled += lowered.work.kernels_compiled;
  stats_.disk_hits += lowered.work.disk_hits;
  stats_.compile_seconds += lowered.work.seconds;
  stats_.record_seconds += seconds;
  note(std::move(miss));
  if (full) {
    warn_of_limit();
    ++stats_.eager_calls;
    return variant;
  }
  ++stats_.recordings;
  stats_.recompiles += variants_.empty() ? 0 : 1;
  variants_.push_back(variant);
  stats_.variants = static_cast<std::int64_t>(variants_.size());
  for (const std::string& line : describe(variant->recording.guard)) {
    log(Log::guards, text(label(), ": ", line));
  }
  return variant;
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
    stats_.allocations += static_cast<std::int64_t>(call->variant->recording.results);
    if (last_ != call->variant) last_ = call->variant;
    last_symbols_.assign(call->symbols.begin(), call->symbols.end());
  }
  idle_.push_back(std::move(call));
}

SINTER_INLINE Stats State::stats() {
  const std::lock_guard lock(mutex_);
  Stats result = stats_;
  if (last_ == nullptr) return result;
  result.graphs = 1;
  const runtime::Executable* const executable = last_->program->executable();
  if (executable != nullptr) detail::count_launches(result, executable->plan(), last_symbols_);
  return result;
}

SINTER_INLINE Explanation State::explain() {
  const std::lock_guard lock(mutex_);
  Explanation result;
  result.recompiles = recompiles_;
  if (last_ == nullptr) return result;
  const Graph& graph = last_->recording.graph;
  result.graphs.push_back({detail::operations(graph), to_string(graph)});
  result.guards = describe(last_->recording.guard);
  result.kernels = detail::kernel_infos(*last_->program, last_symbols_);
  return result;
}

}  // namespace sinter::inline SINTER_ABI::jit
