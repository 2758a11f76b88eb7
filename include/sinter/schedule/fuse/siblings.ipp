#pragma once

#include <algorithm>  // std::any_of, std::min

#include <sinter/schedule/fuse/builder.hpp>
#include <sinter/schedule/fuse/siblings.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule::detail {

// A reduction to one number.
SINTER_INLINE bool is_total(Clusterer& clusterer, std::int32_t cluster) {
  return cluster != nowhere && clusterer.at(cluster).kind == ClusterKind::rows &&
         same(numel(grid_shape(clusterer.at(cluster))), 1);
}

// Whether both start with the same operations: they may run beside each other as one kernel.
SINTER_INLINE bool are_alike(Clusterer& clusterer, std::int32_t a, std::int32_t b) {
  const auto &first = clusterer.at(a).members, &second = clusterer.at(b).members;
  for (std::size_t i = 0; i < std::min({first.size(), second.size(), std::size_t{2}}); ++i) {
    if (clusterer.graph[first[i]].op != clusterer.graph[second[i]].op) return false;
  }
  return true;
}

SINTER_INLINE bool joins_totals(Clusterer& clusterer, NodeId id, std::int32_t cluster) {
  if (!clusterer.shape(id).empty() || !is_total(clusterer, cluster)) return false;
  const std::vector<NodeId> list = clusterer.operands(id);
  return std::any_of(list.begin(), list.end(), [&](NodeId operand) {
    const std::int32_t other = clusterer.home(operand);
    if (other == nowhere || other == cluster) return false;
    const bool waits = is_total(clusterer, other) && are_alike(clusterer, other, cluster);
    return waits || clusterer.sums_totals.count(other) != 0;
  });
}

SINTER_INLINE bool joins_totals(Clusterer& clusterer, NodeId id) {
  const std::vector<NodeId> list = clusterer.operands(id);
  return std::any_of(list.begin(), list.end(), [&](NodeId operand) {
    return joins_totals(clusterer, id, clusterer.home(operand));
  });
}

SINTER_INLINE bool uses_scalars_of(Clusterer& clusterer, NodeId id, std::int32_t cluster) {
  const Cluster& known = clusterer.at(cluster);
  const bool scalars = known.kind == ClusterKind::pointwise && known.space.empty();
  if (!scalars || clusterer.shape(id).empty()) return false;
  const std::vector<NodeId> list = clusterer.operands(id);
  return std::any_of(list.begin(), list.end(), [&](NodeId operand) {
    const std::int32_t home = clusterer.home(operand);
    return clusterer.graph[operand].op == Op::input || (home != nowhere && home != cluster);
  });
}

SINTER_INLINE bool slows(const Clusterer& clusterer, NodeId id, std::int32_t cluster) {
  const Cluster& known = clusterer.result.clusters[static_cast<std::size_t>(cluster)];
  const bool in_order = known.kind == ClusterKind::scan;
  return is_alone(known.kind) ||
         (in_order && (clusterer.survey.nodes[id].cost.dear || !clusterer.host));
}

SINTER_INLINE bool join_sibling(Clusterer& clusterer, NodeId id) {
  const Graph& graph = clusterer.graph;
  const bool reduces = is_reduction(graph[id].op);
  const Shape& space = reduces ? graph.type(graph[id].inputs[0]).shape : clusterer.shape(id);
  for (const NodeId operand : clusterer.operands(id)) {
    const Op op = graph[operand].op;
    const bool is_memory = op == Op::input || info(op).kind != OpKind::leaf;
    if (!is_memory || !same(clusterer.shape(operand), space)) continue;
    const auto& known = clusterer.readers[operand];
    for (std::size_t i = 0; i < std::min(known.size(), most_tried); ++i) {
      const std::int32_t cluster = known[known.size() - 1 - i];
      const ClusterKind kind = clusterer.at(cluster).kind;
      const bool fits = kind == ClusterKind::pointwise || kind == ClusterKind::rows;
      if (!fits || !same(clusterer.at(cluster).space, space)) continue;
      if (clusterer.join(id, cluster, true)) return true;
    }
  }
  return false;
}

}  // namespace sinter::inline SINTER_ABI::detail::schedule::detail
