#pragma once

#include <algorithm>  // std::any_of

#include <sinter/schedule/analysis/positions.hpp>
#include <sinter/schedule/fuse/builder.hpp>
#include <sinter/schedule/fuse/gather.hpp>
#include <sinter/symbol/solve/variables.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule::detail {

// Ranges of clusters have smaller numbers.
inline constexpr std::uint32_t first_taken = 4 * max_rank;

SINTER_INLINE bool RowReader::reads(Value value, const Index& index) {
  const Graph& graph = clusterer.graph;
  const NodeId operand = beneath(graph, value);
  if (clusterer.after(operand) < cluster) return true;
  if (clusterer.reads(value, index, cluster)) return true;
  const Position found = element(graph, value, index);
  const Node& node = graph[operand];
  const bool again = clusterer.home(operand) == cluster || clusterer.survey.nodes[operand].inlined;
  if (!again || found.node != operand || !is_elementwise(node.op) || --left < 0) return false;
  for (const Value input : node.inputs) {
    const bool scalar = graph.type(input).shape.empty();
    if (!reads(input, scalar ? Index() : found.index)) return false;
  }
  return true;
}

// Whether it is another element for each step along a row, or there are no rows.
SINTER_INLINE bool goes_along_row(const Clusterer& clusterer, const Index& index,
                                  std::int32_t cluster) {
  const Cluster& known = clusterer.result.clusters[static_cast<std::size_t>(cluster)];
  if (known.kind != ClusterKind::rows) return true;
  const Index rows = listed_axes(known.ranges, known.reduced);
  return std::any_of(index.begin(), index.end(), [&](Extent extent) {
    return std::any_of(rows.begin(), rows.end(),
                       [&](Extent row) { return !row.is_number() && depends_on(extent, row); });
  });
}

SINTER_INLINE bool reads_taken(const Clusterer& clusterer, const Node& gather, const Index& index,
                               std::int32_t cluster) {
  const Graph& graph = clusterer.graph;
  const Value indices = gather.inputs[1];
  const Index asked = indices_index(graph, gather, index);
  if (!clusterer.reads(indices, asked, cluster)) return false;
  if (clusterer.after(beneath(graph, gather.inputs[0])) < cluster) return true;
  if (!is_position(graph, indices)) return false;
  std::uint32_t next = first_taken;
  const auto taken = [&](NodeId id, const Index&) {
    const Node& inner = graph[id];
    const auto axis = static_cast<int>(number(inner, "axis"));
    return Extent::range(next++, graph.type(inner.inputs[0]).shape[axis]);
  };
  const Extent at = position_of(graph, indices, asked, taken);
  // For each step along a row no more than the element that the step computes anyway.
  const bool again = !goes_along_row(clusterer, index, cluster);
  RowReader reader{clusterer, cluster, again ? most_computed_for_taken : 0};
  return reader.reads(gather.inputs[0], taken_from(graph, gather, index, at));
}

}  // namespace sinter::inline SINTER_ABI::detail::schedule::detail
