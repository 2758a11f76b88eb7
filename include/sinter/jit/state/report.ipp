#pragma once

#include <algorithm>  // std::max
#include <utility>    // std::move
#include <vector>     // std::vector

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/sorted_map.hpp>
#include <sinter/base/container/span.hpp>
#include <sinter/base/text.hpp>
#include <sinter/compile/cache/compiler_search.hpp>
#include <sinter/graph/print.hpp>
#include <sinter/graph/region.hpp>
#include <sinter/guard/failure.hpp>
#include <sinter/jit/state/report.hpp>
#include <sinter/schedule/analysis/cost.hpp>
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

// The operations that a core does in the time in which it reads a byte of memory: about 50 GFLOP/s
// and 6 GB/s of a core of a Xeon at 2 GHz.
inline constexpr std::int64_t flops_per_byte = 8;

SINTER_INLINE std::int64_t elements_in_call(const TensorType& type,
                                            Span<const std::int64_t> symbols) {
  return evaluate(numel(type.shape), symbols);
}

// What the operation computes, without its bodies.
SINTER_INLINE std::int64_t flops_of(const Graph& graph, const Node& node,
                                    Span<const std::int64_t> symbols) {
  const OpKind kind = info(node.op).kind;
  if (kind == OpKind::leaf || kind == OpKind::movement || kind == OpKind::control) return 0;
  std::int64_t elements = elements_in_call(node.results[0], symbols);
  if (kind == OpKind::contraction) {
    const Shape& lhs = graph.type(node.inputs[0]).shape;
    for (const std::int64_t axis : attribute<AxisList>(node, "lhs_contract")) {
      elements *= evaluate(lhs[static_cast<int>(axis)], symbols);
    }
    return 2 * elements;
  }
  if (kind == OpKind::reduction) elements = elements_in_call(graph.type(node.inputs[0]), symbols);
  return elements * schedule::operations_of(node.op);
}

SINTER_INLINE std::int64_t unfused_bytes_of(const Graph& graph, const Node& node,
                                            Span<const std::int64_t> symbols) {
  const OpKind kind = info(node.op).kind;
  if (kind == OpKind::leaf || kind == OpKind::movement) return 0;
  const auto bytes = [&](const TensorType& type) {
    return elements_in_call(type, symbols) * static_cast<std::int64_t>(info(type.dtype).size);
  };
  std::int64_t result = 0;
  for (const Value input : node.inputs) result += bytes(graph.type(input));
  for (const TensorType& type : node.results) result += bytes(type);
  return result;
}

// The module of the node; its line outside of modules.
SINTER_INLINE std::string region_name(const Node& node) {
  std::string name = node.path == nullptr ? "" : *node.path;
  name.resize(name.size() - region_of(node.path).size());
  if (name.empty()) name = sinter::to_string(node.where);
  return name.empty() ? "others" : name;
}

// The costs of the regions of a call.
struct RegionCosts {
  SortedMap<std::string, RegionInfo> list{};

  // Adds the nodes of `graph`, which run `times` times, and notes the regions of lines.
  void add(const Graph& graph, Span<const std::int64_t> symbols, bool with_bytes,
           std::int64_t times, SortedMap<std::string, SortedSet<std::string>>& of_line) {
    for (const Node& node : graph.nodes) {
      std::int64_t rounds = times;
      if (node.op == Op::scan && number(node, "xs") > 0) {
        const auto first = static_cast<std::size_t>(number(node, "carries"));
        rounds *= evaluate(graph.type(node.inputs[first]).shape[0], symbols);
      }
      for (const Graph& body : node.bodies) add(body, symbols, with_bytes, rounds, of_line);
      if (info(node.op).kind == OpKind::leaf) continue;
      const std::string name = region_name(node);
      RegionInfo& region = list[name];
      region.name = name;
      ++region.operations;
      region.flops += times * flops_of(graph, node, symbols);
      if (with_bytes) region.bytes += times * unfused_bytes_of(graph, node, symbols);
      of_line[sinter::to_string(node.where)].insert(name);
    }
  }

  // Shares the bytes of a kernel among the regions of its lines.
  void add(const KernelInfo& kernel, SortedMap<std::string, SortedSet<std::string>>& of_line) {
    SortedSet<std::string> names;
    for (const Where& line : kernel.lines) {
      for (const std::string& name : of_line[sinter::to_string(line)]) names.insert(name);
    }
    for (const std::string& name : names) {
      ++list[name].kernels;
      list[name].bytes +=
          (kernel.bytes_read + kernel.bytes_written) / static_cast<std::int64_t>(names.size());
    }
  }

  // With their shares, the most expensive first.
  std::vector<RegionInfo> ranked() const {
    const auto cost = [](const RegionInfo& region) {
      return static_cast<double>(std::max(region.flops / flops_per_byte, region.bytes));
    };
    double total = 0;
    std::vector<RegionInfo> result;
    for (const auto& [name, region] : list) {
      total += cost(region);
      result.push_back(region);
    }
    for (RegionInfo& region : result) region.share = total == 0 ? 0 : cost(region) / total;
    stable_sort(result, [](const auto& a, const auto& b) { return a.share > b.share; });
    return result;
  }
};

SINTER_INLINE void add_graph(Explanation& explanation, RegionCosts& regions, const Graph& graph,
                             const Runnable& runnable, GraphInfo info,
                             Span<const std::int64_t> sizes, Span<const std::int64_t> symbols) {
  info.operations = operations(graph), info.text = to_string(graph);
  explanation.graphs.push_back(std::move(info));
  const std::size_t first = explanation.kernels.size();
  add_kernels(explanation, runnable, sizes);
  const bool has_kernels = explanation.kernels.size() != first;
  SortedMap<std::string, SortedSet<std::string>> of_line;
  regions.add(graph, symbols, !has_kernels, 1, of_line);
  for (std::size_t i = first; i < explanation.kernels.size(); ++i) {
    regions.add(explanation.kernels[i], of_line);
  }
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
  RegionCosts regions;
  if (last.variant != nullptr) {
    const Variant& variant = *last.variant;
    const std::string reason =
        why(*variant.runnable.program, variant.is_cached, variant.is_interim);
    add_graph(explanation, regions, variant.recording.graph, variant.runnable,
              {.interpreted = reason, .compile_seconds = variant.compile_seconds}, last.symbols,
              last.symbols);
    explanation.guards = describe(variant.recording.guard);
  } else {
    explanation.breaks = last.trace.breaks;
    for (const auto& segment : last.trace.segments) {
      const std::string reason =
          why(*segment->runnable.program, segment->is_cached, segment->is_interim);
      add_graph(explanation, regions, segment->graph, segment->runnable,
                {.interpreted = reason, .compile_seconds = segment->compile_seconds},
                last.trace.symbols, last.trace.symbols);
    }
  }
  for (const DerivativeRun& run : last.derived) {
    const Program& program = *run.runnable->program;
    add_graph(explanation, regions, program.graph(), *run.runnable,
              {.interpreted = why(program, true, false)}, run.symbols,
              program_symbols(*run.runnable, run.symbols));
  }
  explanation.regions = regions.ranked();
}

SINTER_INLINE std::string missing_compiler(Device device) {
  return device.is_cuda() ? "there is no NVRTC"
                          : text("there is no C++ compiler: ", compiler::host_compiler_missing());
}

}  // namespace detail

}  // namespace sinter::inline SINTER_ABI::detail::jit
