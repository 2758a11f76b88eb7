#pragma once

#include <utility>  // std::move

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/base/log.hpp>
#include <sinter/schedule/analysis/fusion_analysis.hpp>
#include <sinter/schedule/draft.hpp>
#include <sinter/schedule/fuse/builder.hpp>
#include <sinter/schedule/fuse/groups.hpp>
#include <sinter/schedule/fuse/live_out.hpp>
#include <sinter/schedule/fuse/merge.hpp>
#include <sinter/schedule/ir/access.hpp>
#include <sinter/schedule/launch/sparse_updates.hpp>
#include <sinter/schedule/tile/fuse_row_tiles.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

namespace detail {

// The most drafts with streaming kernels before rematerialization is given up. One is usually
// enough; another follows where a rematerialized product was not fused into a streaming kernel.
inline constexpr int most_drafts = 4;

SINTER_INLINE bool has_unknown_sizes(const Graph& graph) {
  return any_of(graph.nodes, [](const Node& node) {
    const auto& results = node.results;
    return any_of(results, [](const TensorType& type) { return !numel(type.shape).is_number(); });
  });
}

SINTER_INLINE Vector<NodeUpdate> updates_of(const Graph& graph, const Options& options) {
  Vector<NodeUpdate> result;
  for (const Update& update : options.updates) {
    const Value output = graph.outputs[static_cast<std::size_t>(update.output)];
    result.push_back(
        {graph.inputs[static_cast<std::size_t>(update.input)], stored_node(graph, output)});
  }
  return result;
}

SINTER_INLINE Vector<LoweredKernel> tiled(const FusionResult& fusion,
                                          Vector<LoweredKernel> kernels) {
  // A row tile keeps row intermediates in scratch memory, however long the rows are.
  FusionResult long_rows = fusion;
  long_rows.keeps_any_rows = true;
  const bool sized = has_unknown_sizes(fusion.graph);
  const Vector<LoweredKernel> tileable = sized ? lower_all(long_rows) : Vector<LoweredKernel>{};
  const RowTileFusion streaming = fusion.target.fuse_streaming;
  const RowTileFusion fuse = streaming == nullptr ? schedule::fuse_row_tiles : streaming;
  return fuse(fusion.graph, std::move(kernels), tileable);
}

// The fusion analysis of `graph`. Operands of streamed values are inlined if they are made of
// positions and seeds, as a dropout mask is, or made of inputs and either as large as the streamed
// values or gathered: in memory they would be as large as what streaming avoids to store.
SINTER_INLINE FusionAnalysis analysis_of(const Graph& graph,
                                         const Optional<RematerializedGraph>& rematerialized,
                                         const Target& target) {
  FusionAnalysis result =
      analyze_fusion(graph, rematerialized ? rematerialized->after : Vector<NodeId>{});
  if (!rematerialized || !target.streams()) return result;
  const Vector<bool> of_numbers = nodes_made_of_numbers(graph),
                     of_inputs = nodes_made_of_inputs(graph);
  const auto is_inlined = [&](NodeId id, NodeId reader) {
    const bool large =
        same(numel(graph[id].results[0].shape), numel(graph[reader].results[0].shape));
    return of_numbers[id] || (of_inputs[id] && (large || graph[id].op == Op::gather));
  };
  Vector<bool> streamed(graph.nodes.size(), false);
  for (auto id = static_cast<NodeId>(graph.nodes.size()); id-- > 0;) {
    if (!streamed[id] && rematerialized->kinds[id] == Rematerialized::no) continue;
    for (const Value input : graph[id].inputs) {
      const NodeId operand = beneath(graph, input);
      if (is_inlined(operand, id)) streamed[operand] = result.nodes[operand].inlined = true;
    }
  }
  return result;
}

// The products of the original graph whose rematerialization was useless: their kernels do not
// stream, so that they are in memory anyway.
SINTER_INLINE Vector<NodeId> not_streamed(const Draft& draft) {
  Vector<NodeId> result;
  for (const LoweredKernel& one : draft.kernels) {
    if (!draft.rematerialized || is_row_tiled(one.kernel)) continue;
    for (const std::int32_t group : one.groups) {
      for (const NodeId node : draft.live_out.computed[static_cast<std::size_t>(group)]) {
        const bool product = draft.graph[node].op == Op::dot_general;
        if (!product || draft.rematerialized->kinds[node] == Rematerialized::no) continue;
        result.push_back(draft.rematerialized->origin[node]);
      }
    }
  }
  return result;
}

SINTER_INLINE UniquePtr<Draft> draft_of_streaming(const Graph& graph, const Options& options) {
  RematerializeRules rules{
      .fewest_elements = 1, .most_bytes_kept = 1, .growth = 1, .gathers = true, .streams = true};
  rules.kept.assign(graph.nodes.size(), false);
  for (int tries = 0; tries < most_drafts; ++tries) {
    auto result = make_unique_ptr<Draft>(graph, rematerialize_all(graph, rules), options);
    const Vector<NodeId> kept = not_streamed(*result);
    if (kept.empty()) return result;
    for (const NodeId node : kept) rules.kept[node] = true;
  }
  return make_unique_ptr<Draft>(graph, std::nullopt, options);
}

}  // namespace detail

SINTER_INLINE Draft::Draft(const Graph& whole, Optional<RematerializedGraph> rematerialized_graph,
                           const Options& options)
    : rematerialized(std::move(rematerialized_graph)),
      graph(rematerialized ? rematerialized->graph : whole),
      facts(detail::analysis_of(graph, rematerialized, options.target)),
      groups(create_fusion_groups(graph, facts, find_partial_reductions(graph), options.target)),
      live_out(find_live_out(graph, facts, groups)),
      fusion{graph, facts, groups, live_out, options.target, options.strict} {
  if (merge_fusion_groups(graph, groups, live_out)) live_out = find_live_out(graph, facts, groups);
  kernels = lower_all(fusion);
  if (rematerialized) mark_rematerialized(*rematerialized, kernels);
  if (options.target.sparse_updates && !options.is_section)
    exclude_from_row_tiles(kernels, detail::updates_of(graph, options));
  if (options.row_tiles && log_enabled(Log::fusion)) untiled = kernels;
  if (options.row_tiles) kernels = detail::tiled(fusion, std::move(kernels));
}

SINTER_INLINE UniquePtr<Draft> draft_of(const Graph& graph, const Options& options) {
  const bool rematerializes = options.row_tiles && options.target.rematerializes;
  if (rematerializes && options.target.streams()) return detail::draft_of_streaming(graph, options);
  Optional<RematerializedGraph> rematerialized;
  if (rematerializes) rematerialized = rematerialize_all(graph);
  return make_unique_ptr<Draft>(graph, std::move(rematerialized), options);
}

}  // namespace sinter::inline SINTER_ABI::detail::schedule
