#pragma once

#include <algorithm>  // std::any_of
#include <utility>    // std::move

#include <sinter/base/log.hpp>
#include <sinter/schedule/analysis/fusion_analysis.hpp>
#include <sinter/schedule/draft.hpp>
#include <sinter/schedule/fuse/builder.hpp>
#include <sinter/schedule/fuse/groups.hpp>
#include <sinter/schedule/fuse/live_out.hpp>
#include <sinter/schedule/fuse/merge.hpp>
#include <sinter/schedule/ir/access.hpp>
#include <sinter/schedule/launch/in_place.hpp>
#include <sinter/schedule/tile/fuse_rows.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

namespace detail {

// How often a GPU is planned for before nothing is computed again: once is enough, and once more
// where something of it was in vain.
inline constexpr int most_drafts = 4;

SINTER_INLINE bool has_unknown_sizes(const Graph& graph) {
  return std::any_of(graph.nodes.begin(), graph.nodes.end(), [](const Node& node) {
    const auto& results = node.results;
    return std::any_of(results.begin(), results.end(),
                       [](const TensorType& type) { return !numel(type.shape).is_number(); });
  });
}

SINTER_INLINE std::vector<Overwriting> updates_of(const Graph& graph, const Options& options) {
  std::vector<Overwriting> result;
  for (const Update& update : options.updates) {
    const Value output = graph.outputs[static_cast<std::size_t>(update.output)];
    result.push_back(
        {graph.inputs[static_cast<std::size_t>(update.input)], stored_node(graph, output)});
  }
  return result;
}

SINTER_INLINE Partials partials_of(const Graph& graph, const Options& options) {
  const bool in_chunks = (options.host || options.gpu) && !options.strict;
  return in_chunks ? find_partials(graph, options.gpu) : Partials{};
}

SINTER_INLINE std::vector<Lowered> in_blocks(const Fusion& fusion, std::vector<Lowered> kernels) {
  // A block keeps what it computes of a row near, however long that is.
  Fusion long_rows = fusion;
  long_rows.keeps_any_rows = true;
  const bool sized = has_unknown_sizes(fusion.graph);
  const std::vector<Lowered> parts = sized ? lower_all(long_rows) : std::vector<Lowered>{};
  return fusion.gpu ? in_streams(fusion.graph, std::move(kernels), parts)
                    : schedule::in_blocks(fusion.graph, std::move(kernels), parts);
}

// What streams computes all that is made of positions and seeds itself, as the mask of a dropout,
// and takes from inputs what is there for each of its numbers: in memory that is as large as what
// it does not keep.
SINTER_INLINE Survey survey_of(const Graph& graph, const std::optional<Turned>& again, bool gpu) {
  Survey result = survey(graph, again ? again->after : std::vector<NodeId>{});
  if (!again || !gpu) return result;
  const std::vector<bool> of_numbers = nodes_made_of_numbers(graph),
                          of_inputs = nodes_made_of_inputs(graph);
  const auto takes = [&](NodeId id, NodeId reader) {
    const bool large =
        same(numel(graph[id].results[0].shape), numel(graph[reader].results[0].shape));
    return of_numbers[id] || (of_inputs[id] && (large || graph[id].op == Op::gather));
  };
  std::vector<bool> streams(graph.nodes.size(), false);
  for (auto id = static_cast<NodeId>(graph.nodes.size()); id-- > 0;) {
    if (!streams[id] && again->again[id] == Again::no) continue;
    for (const Value input : graph[id].inputs) {
      const NodeId operand = beneath(graph, input);
      if (takes(operand, id)) streams[operand] = result.nodes[operand].inlined = true;
    }
  }
  return result;
}

// The products, of the graph that was given, that were computed again in vain: nothing streams over
// them, so that they are in memory anyway.
SINTER_INLINE std::vector<NodeId> in_vain(const Draft& draft) {
  std::vector<NodeId> result;
  for (const Lowered& one : draft.kernels) {
    if (!draft.again || is_block(one.kernel)) continue;
    for (const std::int32_t cluster : one.clusters) {
      for (const NodeId node : draft.needs.computed[static_cast<std::size_t>(cluster)]) {
        const bool product = draft.graph[node].op == Op::dot_general;
        if (!product || draft.again->again[node] == Again::no) continue;
        result.push_back(draft.again->origin[node]);
      }
    }
  }
  return result;
}

SINTER_INLINE std::unique_ptr<Draft> draft_of_streams(const Graph& graph, const Options& options) {
  AgainRules rules{.fewest_elements = 1, .most_bytes_kept = 1, .growth = 1, .gathers = true};
  rules.kept.assign(graph.nodes.size(), false);
  for (int tries = 0; tries < most_drafts; ++tries) {
    auto result = std::make_unique<Draft>(graph, recompute_and_turn(graph, rules), options);
    const std::vector<NodeId> kept = in_vain(*result);
    if (kept.empty()) return result;
    for (const NodeId node : kept) rules.kept[node] = true;
  }
  return std::make_unique<Draft>(graph, std::nullopt, options);
}

}  // namespace detail

SINTER_INLINE Draft::Draft(const Graph& whole, std::optional<Turned> computed_again,
                           const Options& options)
    : again(std::move(computed_again)),
      graph(again ? again->graph : whole),
      facts(detail::survey_of(graph, again, options.gpu)),
      clusters(cluster(graph, facts, detail::partials_of(graph, options), options.host)),
      needs(demand(graph, facts, clusters)),
      fusion{graph, facts, clusters, needs, options.host} {
  if (merge_clusters(graph, clusters, needs)) needs = demand(graph, facts, clusters);
  fusion.strict = options.strict, fusion.gpu = options.gpu;
  kernels = lower_all(fusion);
  if (again) mark_again(*again, kernels);
  if (options.begins) keep_apart(kernels, detail::updates_of(graph, options));
  if (options.blocks && log_enabled(Log::fusion)) apart = kernels;
  if (options.blocks) kernels = detail::in_blocks(fusion, std::move(kernels));
}

SINTER_INLINE std::unique_ptr<Draft> draft_of(const Graph& graph, const Options& options) {
  if (options.gpu && options.blocks) return detail::draft_of_streams(graph, options);
  std::optional<Turned> again;
  if (options.host && options.blocks) again = recompute_and_turn(graph);
  return std::make_unique<Draft>(graph, std::move(again), options);
}

SINTER_INLINE std::vector<bool> alone_beside_rows(const Draft& draft) {
  std::vector<bool> result;
  if (!draft.fusion.gpu) return result;
  const Partials& partials = draft.clusters.partials;
  for (NodeId id = 0; id < draft.graph.nodes.size(); ++id) {
    if (partials.count(id) == 0) continue;
    const std::int32_t home = draft.clusters.placements[id].cluster;
    result.push_back(only_combines(draft.clusters, draft.facts, home));
  }
  return result;
}

}  // namespace sinter::inline SINTER_ABI::detail::schedule
