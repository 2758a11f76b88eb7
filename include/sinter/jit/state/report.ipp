#pragma once

#include <algorithm>  // std::max
#include <utility>    // std::move
#include <vector>     // std::vector

#include <sinter/base/container/span.hpp>
#include <sinter/base/text.hpp>
#include <sinter/compile/cache/compiler_search.hpp>
#include <sinter/graph/print.hpp>
#include <sinter/guard/failure.hpp>
#include <sinter/jit/state/report.hpp>
#include <sinter/schedule/ir/plan.hpp>
#include <sinter/symbol/solve/evaluate.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

namespace detail {

SINTER_INLINE std::int64_t operations(const Graph& graph) {
  std::int64_t count = 0;
  for (const Node& node : graph.nodes) count += info(node.op).kind != OpKind::leaf;
  return count;
}

SINTER_INLINE void count_launches(Stats& stats, const Runnable& runnable,
                                  Span<const std::int64_t> sizes) {
  const std::vector<std::int64_t> symbols = program_symbols(runnable, sizes);
  for (const Runnable* const partition : runnable.program->partitions()) {
    count_launches(stats, *partition, symbols);
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
                               Span<const std::int64_t> sizes) {
  const std::vector<std::int64_t> symbols = program_symbols(runnable, sizes);
  const Program& program = *runnable.program;
  for (const Runnable* const partition : program.partitions())
    add_kernels(explanation, *partition, symbols);
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
                             std::string interpreted, Span<const std::int64_t> sizes) {
  explanation.graphs.push_back({operations(graph), to_string(graph), std::move(interpreted)});
  add_kernels(explanation, runnable, sizes);
}

SINTER_INLINE void count_launches(Stats& stats, const LastCall& last) {
  stats.graphs = static_cast<std::int64_t>(last.derived.size());
  for (const DerivativeRun& run : last.derived) {
    count_launches(stats, *run.runnable, run.symbols);
  }
  if (last.variant != nullptr) {
    ++stats.graphs;
    count_launches(stats, last.variant->runnable, last.symbols);
    return;
  }
  stats.graphs += static_cast<std::int64_t>(last.trace.segments.size());
  stats.breaks = static_cast<std::int64_t>(last.trace.breaks.size());
  for (const auto& segment : last.trace.segments) {
    count_launches(stats, segment->runnable, last.trace.symbols);
  }
}

SINTER_INLINE void add_graphs(Explanation& explanation, const LastCall& last, WhyInterpreted why) {
  if (last.variant != nullptr) {
    const Variant& variant = *last.variant;
    add_graph(explanation, variant.recording.graph, variant.runnable,
              why(*variant.runnable.program, variant.is_cached, variant.is_interim), last.symbols);
    explanation.guards = describe(variant.recording.guard);
  } else {
    explanation.breaks = last.trace.breaks;
    for (const auto& segment : last.trace.segments) {
      add_graph(explanation, segment->graph, segment->runnable,
                why(*segment->runnable.program, segment->is_cached, segment->is_interim),
                last.trace.symbols);
    }
  }
  for (const DerivativeRun& run : last.derived) {
    const Program& program = *run.runnable->program;
    add_graph(explanation, program.graph(), *run.runnable, why(program, true, false), run.symbols);
  }
}

SINTER_INLINE std::string missing_compiler(Device device) {
  return device.is_cuda() ? "there is no NVRTC"
                          : text("there is no C++ compiler: ", compiler::host_compiler_missing());
}

}  // namespace detail

}  // namespace sinter::inline SINTER_ABI::detail::jit
