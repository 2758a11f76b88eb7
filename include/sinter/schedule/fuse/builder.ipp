#pragma once

#include <algorithm>  // std::all_of, std::any_of, std::max, std::reverse, std::sort
#include <utility>    // std::move

#include <sinter/schedule/fuse/axes.hpp>
#include <sinter/schedule/fuse/builder.hpp>
#include <sinter/schedule/fuse/gather.hpp>
#include <sinter/schedule/fuse/partial_reductions.hpp>
#include <sinter/schedule/fuse/segmented_reduction.hpp>
#include <sinter/schedule/fuse/siblings.hpp>
#include <sinter/schedule/rewrite/column_reductions.hpp>
#include <sinter/symbol/solve/variables.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

namespace detail {

SINTER_INLINE std::vector<NodeId> Clusterer::operands(NodeId id) const {
  std::vector<NodeId> found;
  if (is_movement(graph[id].op)) return {beneath(graph, id)};
  for (Value input : graph[id].inputs) found.push_back(read_node(graph, graph[id], input));
  return found;
}

SINTER_INLINE std::vector<Index> Clusterer::proposals(Value value, std::int32_t id,
                                                      bool needs_whole) {
  const Cluster& cluster = at(id);
  const Shape &shape = graph.type(value).shape, grid = grid_shape(cluster);
  std::vector<Index> found;
  if (home(beneath(graph, value)) == id) {
    const Index& below = result.placements[beneath(graph, value)].index;
    if (const auto index = risen(graph, value, below)) found.push_back(*index);
  }
  const bool whole =
      cluster.kind != ClusterKind::product && same(numel(cluster.space), numel(shape));
  if (whole) found.push_back(reshaped(cluster.ranges, cluster.space, shape));
  const bool one_each = cluster.kind != ClusterKind::pointwise && !needs_whole;
  if (one_each && same(numel(grid), numel(shape))) {
    found.push_back(reshaped(grid_ranges(cluster), grid, shape));
  }
  return found;
}

SINTER_INLINE bool Clusterer::reads(Value value, const Index& index, std::int32_t cluster) const {
  const NodeId operand = beneath(graph, value);
  if (after(operand) < cluster) return true;
  if (home(operand) != cluster || result.partials.count(operand) != 0) return false;
  const Position found = element(graph, value, index);
  return found.node == operand && same(found.index, result.placements[operand].index);
}

SINTER_INLINE bool Clusterer::reads_all(NodeId id, const Index& index, std::int32_t cluster) const {
  const Node& node = graph[id];
  if (is_movement(node.op)) return reads(id, index, cluster);
  if (node.op == Op::gather) return reads_taken(*this, node, index, cluster);
  if (node.op == Op::concatenate) return reads_before(node, cluster);
  for (Value input : node.inputs) {
    const bool scalar = graph.type(input).shape.empty();
    if (!reads(input, scalar ? Index() : index, cluster)) return false;
  }
  return true;
}

SINTER_INLINE bool Clusterer::reads_before(const Node& node, std::int32_t cluster) const {
  return std::all_of(node.inputs.begin(), node.inputs.end(),
                     [&](Value part) { return after(beneath(graph, part)) < cluster; });
}

SINTER_INLINE void Clusterer::place(NodeId id, std::int32_t cluster, const Index& index) {
  result.placements[id] = {cluster, index, {}};
  at(cluster).members.push_back(id);
  for (const NodeId operand : operands(id)) {
    anchors[id] = std::max(anchors[id], after(operand));
    auto& known = readers[operand];
    if (known.empty() || known.back() != cluster) known.push_back(cluster);
  }
}

SINTER_INLINE std::vector<Value> Clusterer::alike(NodeId id) const {
  if (!is_elementwise(graph[id].op)) return {id};
  return {graph[id].inputs.begin(), graph[id].inputs.end()};
}

SINTER_INLINE bool Clusterer::is_serial(const Cluster& cluster, const Index& index) const {
  if (cluster.kind != ClusterKind::rows || is_parallel(cluster)) return false;
  const Index rows = listed_axes(cluster.ranges, cluster.reduced);
  return std::any_of(index.begin(), index.end(), [&](Extent extent) {
    return std::any_of(rows.begin(), rows.end(),
                       [&](Extent row) { return !row.is_number() && depends_on(extent, row); });
  });
}

SINTER_INLINE bool Clusterer::join_pointwise(NodeId id, std::int32_t cluster, bool needs_whole) {
  if (!has_room(cluster) || slows(*this, id, cluster)) return false;
  if (uses_scalars_of(*this, id, cluster) || joins_totals(*this, id, cluster)) return false;
  for (const Value value : alike(id)) {
    for (const Index& index : proposals(value, cluster, needs_whole)) {
      if (is_serial(at(cluster), index) || !reads_all(id, index, cluster)) continue;
      place(id, cluster, index);
      return true;
    }
  }
  return false;
}

SINTER_INLINE bool Clusterer::find_reduced(const Cluster& cluster, const Index& index,
                                           std::uint32_t axes, std::uint32_t& reduced) const {
  std::uint32_t kept = 0;
  reduced = 0;
  for (int axis = 0; axis < index.size(); ++axis) {
    for (int i = 0; i < cluster.space.size(); ++i) {
      if (cluster.ranges[i].is_number() || !depends_on(index[axis], cluster.ranges[i])) continue;
      ((axes >> axis & 1) != 0 ? reduced : kept) |= 1u << i;
    }
  }
  return (kept & reduced) == 0;
}

SINTER_INLINE bool Clusterer::join_reduction(NodeId id, std::int32_t cluster) {
  const ClusterKind kind = at(cluster).kind;
  if (kind != ClusterKind::rows && kind != ClusterKind::pointwise) return false;
  if (!has_room(cluster)) return false;
  const Value operand = graph[id].inputs[0];
  // Spaces without elements match by number, whatever their axes are.
  if (same(numel(graph.type(operand).shape), 0)) return false;
  for (const Index& index : proposals(operand, cluster, true)) {
    if (!reads(operand, index, cluster) || !can_reduce(id, cluster, index)) continue;
    const std::uint32_t axes = mask_of(numbers(graph[id], "axes"));
    place(id, cluster, other_axes(index, axes));
    result.placements[id].reads = index;
    return true;
  }
  return false;
}

SINTER_INLINE bool Clusterer::is_in_order(NodeId id, const Cluster& cluster, const Index& index,
                                          std::uint32_t axes, std::uint32_t reduced) const {
  if (graph[id].op != Op::argmax) return true;
  const Shape& shape = graph.type(graph[id].inputs[0]).shape;
  return same(linear(listed_axes(index, axes), listed_axes(shape, axes)),
              linear(listed_axes(cluster.ranges, reduced), listed_axes(cluster.space, reduced)));
}

SINTER_INLINE bool Clusterer::can_reduce(NodeId id, std::int32_t cluster_id, const Index& index) {
  Cluster& cluster = at(cluster_id);
  std::uint32_t reduced = 0;
  const std::uint32_t axes = mask_of(numbers(graph[id], "axes"));
  if (!find_reduced(cluster, index, axes, reduced)) return false;
  if (!is_in_order(id, cluster, index, axes, reduced)) return false;
  if (cluster.kind == ClusterKind::rows) return reduced == cluster.reduced;
  Cluster rows = cluster;
  rows.reduced = reduced;
  if (!same(cluster.chunks, 0) && (reduced & first_axis(cluster)) != 0) return false;
  if (host && reduces_all(*this, id, cluster, reduced)) return false;
  if (!is_parallel(rows)) return false;
  cluster.kind = ClusterKind::rows;
  cluster.reduced = reduced;
  return true;
}

SINTER_INLINE bool Clusterer::join(NodeId id, std::int32_t cluster, bool needs_whole) {
  ++result.tried;
  return is_reduction(graph[id].op) ? join_reduction(id, cluster)
                                    : join_pointwise(id, cluster, needs_whole);
}

SINTER_INLINE std::vector<std::int32_t> Clusterer::producers(NodeId id) const {
  std::vector<std::int32_t> found;
  for (const bool inlined : {false, true}) {
    std::vector<std::int32_t> part;
    for (const NodeId operand : operands(id)) {
      if (home(operand) == nowhere || survey.nodes[operand].inlined != inlined) continue;
      part.push_back(home(operand));
    }
    std::sort(part.begin(), part.end());
    if (!inlined) std::reverse(part.begin(), part.end());
    found.insert(found.end(), part.begin(), part.end());
  }
  return found;
}

SINTER_INLINE bool Clusterer::join_producer(NodeId id) {
  for (const std::int32_t cluster : producers(id)) {
    if (join(id, cluster, false)) return true;
  }
  return false;
}

SINTER_INLINE void Clusterer::found(NodeId id, ClusterKind kind, const Shape& space,
                                    std::uint32_t axes) {
  Cluster cluster{.kind = kind, .space = space, .ranges = ranges_over(space)};
  for (int axis = 0; axis < space.size(); ++axis) {
    if (!cluster.ranges[axis].is_number()) cluster.reduced |= axes & 1u << axis;
  }
  const Index index = other_axes(cluster.ranges, axes), all = cluster.ranges;
  result.clusters.push_back(std::move(cluster));
  place(id, static_cast<std::int32_t>(result.clusters.size()) - 1, index);
  result.placements[id].reads = all;
}

SINTER_INLINE void Clusterer::found_row(NodeId id, ClusterKind kind) {
  found(id, kind, shape(id), mask_of({number(graph[id], "axis")}));
  Placement& place = result.placements[id];
  place.index = place.reads;
}

SINTER_INLINE void Clusterer::visit(NodeId id) {
  const Op op = graph[id].op;
  if (result.partials.count(id) != 0) return visit_partial(*this, id);
  if (op == Op::argsort) return found_row(id, ClusterKind::sort);
  if (info(op).kind == OpKind::row) return found_row(id, ClusterKind::scan);
  if (op == Op::dot_general) return found(id, ClusterKind::product, shape(id), 0);
  if (op == Op::scatter_add) return found(id, ClusterKind::scatter, shape(id), 0);
  if (survey.nodes[id].in_parts) return found(id, ClusterKind::parts, shape(id), 0);
  if (join_producer(id) || join_sibling(*this, id)) return;
  if (!is_reduction(op)) {
    const bool sums = joins_totals(*this, id);
    found(id, ClusterKind::pointwise, shape(id), 0);
    if (sums) sums_totals.insert(home(id));
    return;
  }
  const Shape& space = graph.type(graph[id].inputs[0]).shape;
  found(id, ClusterKind::rows, space, mask_of(numbers(graph[id], "axes")));
}

}  // namespace detail

SINTER_INLINE Clusters cluster(const Graph& graph, const Survey& survey, Partials partials,
                               bool host) {
  detail::Clusterer clusterer{graph, survey, host};
  clusterer.result.partials = std::move(partials);
  if (!host) clusterer.result.most_combined = most_bytes_beside;
  clusterer.result.placements.resize(graph.nodes.size());
  clusterer.anchors.assign(graph.nodes.size(), detail::nowhere);
  clusterer.readers.resize(graph.nodes.size());
  for (const NodeId id : survey.order) clusterer.visit(id);
  detail::visit_partials_again(clusterer);
  if (host) detail::nest_reductions(clusterer);
  return std::move(clusterer.result);
}

}  // namespace sinter::inline SINTER_ABI::detail::schedule
