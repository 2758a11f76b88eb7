#pragma once

#include <algorithm>  // std::max

#include <sinter/graph/print.hpp>
#include <sinter/jit/lower.hpp>
#include <sinter/jit/state.hpp>
#include <sinter/symbol/evaluate.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

namespace detail {

SINTER_INLINE std::int64_t operations(const Graph& graph) {
  std::int64_t count = 0;
  for (const Node& node : graph.nodes) count += info(node.op).kind != OpKind::leaf;
  return count;
}

// Adds what the launches of one graph are.
SINTER_INLINE void count_launches(Stats& stats, const Runnable& runnable,
                                  std::span<const std::int64_t> sizes) {
  const std::vector<std::int64_t> symbols = program_symbols(runnable, sizes);
  for (const Runnable* const part : runnable.program->parts()) {
    count_launches(stats, *part, symbols);
  }
  if (runnable.program->plan() == nullptr) return;
  const schedule::Plan& plan = *runnable.program->plan();
  for (const schedule::Launch* const launch : schedule::kernel_launches(plan)) {
    ++stats.launches, ++stats.kernels;
    stats.bytes_read += evaluate(launch->bytes_read, symbols);
    stats.bytes_written += evaluate(launch->bytes_written, symbols);
  }
  stats.peak_bytes = std::max(stats.peak_bytes, evaluate(plan.arena_bytes, symbols));
}

SINTER_INLINE void add_kernels(Explanation& explanation, const Runnable& runnable,
                               std::span<const std::int64_t> sizes) {
  const std::vector<std::int64_t> symbols = program_symbols(runnable, sizes);
  const Program& program = *runnable.program;
  for (const Runnable* const part : program.parts()) add_kernels(explanation, *part, symbols);
  if (program.plan() == nullptr) return;
  const schedule::Plan& plan = *program.plan();
  for (const schedule::Launch* const launch : schedule::kernel_launches(plan)) {
    const Source& source = program.sources()[static_cast<std::size_t>(launch->kernel)];
    std::string texts;
    for (const std::int32_t kernel : schedule::kernels_of(*launch)) {
      texts += program.sources()[static_cast<std::size_t>(kernel)].text;
    }
    explanation.kernels.push_back({source.name, texts, evaluate(launch->bytes_read, symbols),
                                   evaluate(launch->bytes_written, symbols), launch->lines});
  }
}

SINTER_INLINE void add_graph(Explanation& explanation, const Graph& graph, const Runnable& runnable,
                             std::string interpreted, std::span<const std::int64_t> sizes) {
  explanation.graphs.push_back({operations(graph), to_string(graph), std::move(interpreted)});
  add_kernels(explanation, runnable, sizes);
}

}  // namespace detail

// Beside the variant that the call nearly fits; of several, the last one.
SINTER_INLINE guard::Failure State::failure_of_nearest(
    const CallSignature& call, std::span<const std::string> names,
    std::span<const guard::PlainValue> plain) const {
  const guard::Guard* nearest = nullptr;
  std::int64_t least = 0;
  for (const auto& variant : variants_) {
    const guard::Guard& guard = variant->recording.guard;
    const std::int64_t far = distance(guard, call.structure, call.leaves.list, plain);
    if (nearest != nullptr && far > least) continue;
    nearest = &guard;
    least = far;
  }
  return first_failure(*nearest, call.structure, call.leaves.list, names, plain);
}

SINTER_INLINE void State::note_prepared(std::shared_ptr<const Variant> variant,
                                        std::vector<std::int64_t> symbols) {
  const std::lock_guard lock(mutex_);
  last_ = std::move(variant);
  last_symbols_ = std::move(symbols);
}

SINTER_INLINE void State::note_prepared(const RunReport& report) {
  const std::lock_guard lock(mutex_);
  last_ = nullptr;
  last_run_ = report;
  if (!report.compiled) return;
  stats_.recompiles += has_compiled() ? 1 : 0;
  ++compiled_runs_;
}

SINTER_INLINE Stats State::stats() {
  const std::lock_guard lock(mutex_);
  Stats result = stats_;
  result.variants = static_cast<std::int64_t>(variants_.size()) + compiled_runs_;
  result.interpreted = count_interpreted();
  result.graphs = static_cast<std::int64_t>(last_derived_.size());
  for (const DerivedRun& run : last_derived_) {
    detail::count_launches(result, *run.runnable, run.symbols);
  }
  if (last_ != nullptr) {
    ++result.graphs;
    detail::count_launches(result, last_->runnable, last_symbols_);
    return result;
  }
  result.graphs += static_cast<std::int64_t>(last_run_.segments.size());
  result.breaks = static_cast<std::int64_t>(last_run_.breaks.size());
  for (const auto& segment : last_run_.segments) {
    detail::count_launches(result, segment->runnable, last_run_.symbols);
  }
  return result;
}

SINTER_INLINE Explanation State::explain() {
  const std::lock_guard lock(mutex_);
  Explanation result;
  result.recompiles = recompiles_;
  if (last_ != nullptr) {
    detail::add_graph(result, last_->recording.graph, last_->runnable,
                      why_interpreted(*last_->runnable.program, last_->is_kept, last_->is_interim),
                      last_symbols_);
    result.guards = describe(last_->recording.guard);
  } else {
    result.breaks = last_run_.breaks;
    for (const auto& segment : last_run_.segments) {
      detail::add_graph(
          result, segment->graph, segment->runnable,
          why_interpreted(*segment->runnable.program, segment->is_kept, segment->is_interim),
          last_run_.symbols);
    }
  }
  for (const DerivedRun& run : last_derived_) {
    const Program& program = *run.runnable->program;
    detail::add_graph(result, program.graph(), *run.runnable, why_interpreted(program, true, false),
                      run.symbols);
  }
  return result;
}

}  // namespace sinter::inline SINTER_ABI::detail::jit
