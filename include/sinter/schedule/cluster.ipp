#pragma once

#include <algorithm>  // std::find, std::max, std::sort
#include <utility>    // std::move

#include <sinter/schedule/cluster.hpp>
#include <sinter/symbol/interval.hpp>
#include <sinter/symbol/variables.hpp>

namespace sinter::inline SINTER_ABI::schedule {

namespace detail {

// A kernel with more values is slow to compile and short of registers.
inline constexpr std::size_t most_members = 64;
// How many clusters that read the same value are tried.
inline constexpr std::size_t most_tried = 4;
// A scalar reduction runs on one thread: it takes over no pointwise work larger than this.
inline constexpr std::int64_t largest_serial = 65536;
inline constexpr std::int64_t fewest_rows = 16;

inline constexpr std::int32_t nowhere = -1;

SINTER_INLINE Shape filtered(const Shape& shape, std::uint32_t axes, bool keep) {
  Shape result;
  for (int axis = 0; axis < shape.size(); ++axis) {
    if (((axes >> axis & 1) != 0) == keep) result.push_back(shape[axis]);
  }
  return result;
}

SINTER_INLINE std::uint32_t mask_of(const std::vector<std::int64_t>& axes) {
  std::uint32_t result = 0;
  for (const std::int64_t axis : axes) result |= 1u << axis;
  return result;
}

struct Clusterer {
  const Graph& graph;
  const Survey& survey;
  Clusters result{};
  std::vector<std::int32_t> anchors{};              // the latest cluster that inlining needs
  std::vector<std::vector<std::int32_t>> readers{};  // of the elements of a node, as they lie

  const Shape& shape(NodeId id) const { return graph[id].results[0].shape; }
  std::int32_t home(NodeId id) const { return result.placements[id].cluster; }
  Cluster& at(std::int32_t id) { return result.clusters[static_cast<std::size_t>(id)]; }

  // The cluster after which a reader in another one can run.
  std::int32_t after(NodeId id) const {
    return survey.nodes[id].inlined ? anchors[id] : home(id);
  }

  std::vector<NodeId> operands(NodeId id) const {
    std::vector<NodeId> found;
    if (is_movement(graph[id].op)) return {beneath(graph, id)};
    for (Value input : graph[id].inputs) found.push_back(beneath(graph, input));
    return found;
  }

  // The index of a node of `shape` in `cluster` if its elements are those of the space, or one for
  // each point of the grid, in order.
  bool find_index(const Cluster& cluster, const Shape& shape, bool whole, Index& index) const {
    const Shape space = whole ? cluster.space : grid_shape(cluster);
    if (!same(numel(space), numel(shape))) return false;
    index = reshaped(whole ? cluster.ranges : grid_ranges(cluster), space, shape);
    return true;
  }

  // Whether `value` at `index` is to be had in `cluster`: computed there for the same element, or
  // before.
  bool reads(Value value, const Index& index, std::int32_t cluster) const {
    const NodeId operand = beneath(graph, value);
    if (after(operand) < cluster) return true;
    if (home(operand) != cluster) return false;
    const Element found = element(graph, value, index);
    return found.node == operand && same(found.index, result.placements[operand].index);
  }

  bool reads_all(NodeId id, const Index& index, std::int32_t cluster) const {
    const Node& node = graph[id];
    if (is_movement(node.op)) return reads(id, index, cluster);
    if (node.op == Op::gather) {
      const bool before = after(beneath(graph, node.inputs[0])) < cluster;
      return before && reads(node.inputs[1], indices_index(node, index), cluster);
    }
    for (Value input : node.inputs) {
      const bool scalar = graph.type(input).shape.empty();
      if (!reads(input, scalar ? Index() : index, cluster)) return false;
    }
    return true;
  }

  // The part of the index of a gather that is one of its indices.
  Index indices_index(const Node& gather, const Index& index) const {
    const auto axis = static_cast<int>(number(gather, "axis"));
    Index part;
    for (int i = 0; i < graph.type(gather.inputs[1]).shape.size(); ++i) {
      part.push_back(index[axis + i]);
    }
    return part;
  }

  void place(NodeId id, std::int32_t cluster, const Index& index) {
    result.placements[id] = {cluster, index};
    at(cluster).members.push_back(id);
    for (const NodeId operand : operands(id)) {
      anchors[id] = std::max(anchors[id], after(operand));
      auto& known = readers[operand];
      if (known.empty() || known.back() != cluster) known.push_back(cluster);
    }
  }

  bool has_room(std::int32_t cluster) { return at(cluster).members.size() < most_members; }

  bool join_pointwise(NodeId id, std::int32_t cluster, bool needs_whole) {
    if (at(cluster).kind == ClusterKind::scatter || !has_room(cluster)) return false;
    for (const bool whole : {true, false}) {
      const ClusterKind kind = at(cluster).kind;
      if (whole && kind == ClusterKind::product) continue;
      if (!whole && (kind == ClusterKind::pointwise || needs_whole)) continue;
      Index index;
      if (whole && kind == ClusterKind::rows && !pays(at(cluster), at(cluster).reduced)) continue;
      if (!find_index(at(cluster), shape(id), whole, index)) continue;
      if (!reads_all(id, index, cluster)) continue;
      place(id, cluster, index);
      return true;
    }
    return false;
  }

  // The axes of the space whose ranges occur in the reduced axes of `index`; nothing if one of
  // them occurs in another axis too.
  bool find_reduced(const Cluster& cluster, const Index& index, std::uint32_t axes,
                    std::uint32_t& reduced) const {
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

  // Whether a reduction of the space leaves enough rows to be shared by threads, or is small. Sizes
  // without a bound are taken to fit.
  bool pays(const Cluster& cluster, std::uint32_t reduced) const {
    const std::int64_t rows = bounds(numel(filtered(cluster.space, reduced, false))).max;
    const std::int64_t elements = bounds(numel(cluster.space)).max;
    return rows >= fewest_rows || elements <= largest_serial || elements == unbounded;
  }

  bool join_reduction(NodeId id, std::int32_t cluster_id) {
    Cluster& cluster = at(cluster_id);
    const bool rows = cluster.kind == ClusterKind::rows;
    if (!rows && cluster.kind != ClusterKind::pointwise) return false;
    const Value operand = graph[id].inputs[0];
    const std::uint32_t axes = mask_of(numbers(graph[id], "axes"));
    Index index;
    std::uint32_t reduced = 0;
    if (!has_room(cluster_id) || !find_index(cluster, graph.type(operand).shape, true, index) ||
        !find_reduced(cluster, index, axes, reduced) || !reads(operand, index, cluster_id)) {
      return false;
    }
    if (rows ? reduced != cluster.reduced : !pays(cluster, reduced)) return false;
    cluster.kind = ClusterKind::rows;
    cluster.reduced = reduced;
    place(id, cluster_id, filtered(index, axes, false));
    return true;
  }

  bool join(NodeId id, std::int32_t cluster, bool needs_whole) {
    return is_reduction(graph[id].op) ? join_reduction(id, cluster)
                                      : join_pointwise(id, cluster, needs_whole);
  }

  // Clusters in which an operand is computed, first those that would have to store it.
  std::vector<std::int32_t> producers(NodeId id) const {
    std::vector<std::int32_t> found;
    for (const bool inlined : {false, true}) {
      std::vector<std::int32_t> part;
      for (const NodeId operand : operands(id)) {
        if (home(operand) == nowhere || survey.nodes[operand].inlined != inlined) continue;
        part.push_back(home(operand));
      }
      std::sort(part.rbegin(), part.rend());
      found.insert(found.end(), part.begin(), part.end());
    }
    return found;
  }

  bool join_producer(NodeId id) {
    for (const std::int32_t cluster : producers(id)) {
      if (join(id, cluster, false)) return true;
    }
    return false;
  }

  // Siblings: a cluster over the same space that reads the same elements anyway.
  bool join_sibling(NodeId id) {
    const bool reduces = is_reduction(graph[id].op);
    const Shape& space = reduces ? graph.type(graph[id].inputs[0]).shape : shape(id);
    for (const NodeId operand : operands(id)) {
      if (!same(shape(operand), space) || space.empty()) continue;
      const auto& known = readers[operand];
      for (std::size_t i = 0; i < std::min(known.size(), most_tried); ++i) {
        const std::int32_t cluster = known[known.size() - 1 - i];
        const ClusterKind kind = at(cluster).kind;
        const bool fits = kind == ClusterKind::pointwise || kind == ClusterKind::rows;
        if (fits && same(at(cluster).space, space) && join(id, cluster, true)) return true;
      }
    }
    return false;
  }

  void found(NodeId id, ClusterKind kind, const Shape& space, std::uint32_t axes) {
    Cluster cluster{.kind = kind, .space = space, .ranges = ranges_over(space)};
    for (int axis = 0; axis < space.size(); ++axis) {
      if (!cluster.ranges[axis].is_number()) cluster.reduced |= axes & 1u << axis;
    }
    const Index index = filtered(cluster.ranges, axes, false);
    result.clusters.push_back(std::move(cluster));
    place(id, static_cast<std::int32_t>(result.clusters.size()) - 1, index);
  }

  void visit(NodeId id) {
    const Op op = graph[id].op;
    if (op == Op::dot_general) return found(id, ClusterKind::product, shape(id), 0);
    if (op == Op::scatter_add) return found(id, ClusterKind::scatter, shape(id), 0);
    if (join_producer(id) || join_sibling(id)) return;
    if (!is_reduction(op)) return found(id, ClusterKind::pointwise, shape(id), 0);
    const Shape& space = graph.type(graph[id].inputs[0]).shape;
    found(id, ClusterKind::rows, space, mask_of(numbers(graph[id], "axes")));
  }
};

}  // namespace detail

SINTER_INLINE Shape grid_shape(const Cluster& cluster) {
  return detail::filtered(cluster.space, cluster.reduced, false);
}

SINTER_INLINE Index grid_ranges(const Cluster& cluster) {
  return detail::filtered(cluster.ranges, cluster.reduced, false);
}

SINTER_INLINE Shape row_shape(const Graph& graph, const Cluster& cluster) {
  if (cluster.kind != ClusterKind::product) {
    return detail::filtered(cluster.space, cluster.reduced, true);
  }
  const Node& node = graph[cluster.members[0]];
  Shape result;
  for (const std::int64_t axis : numbers(node, "lhs_contract")) {
    result.push_back(graph.type(node.inputs[0]).shape[static_cast<int>(axis)]);
  }
  return result;
}

SINTER_INLINE Index row_ranges(const Graph& graph, const Cluster& cluster) {
  if (cluster.kind != ClusterKind::product) {
    return detail::filtered(cluster.ranges, cluster.reduced, true);
  }
  const auto first = static_cast<std::uint32_t>(cluster.space.size());
  return ranges_over(row_shape(graph, cluster), first);
}

SINTER_INLINE Clusters cluster(const Graph& graph, const Survey& survey) {
  detail::Clusterer clusterer{graph, survey};
  clusterer.result.placements.resize(graph.nodes.size());
  clusterer.anchors.assign(graph.nodes.size(), detail::nowhere);
  clusterer.readers.resize(graph.nodes.size());
  for (const NodeId id : survey.order) clusterer.visit(id);
  return std::move(clusterer.result);
}

}  // namespace sinter::inline SINTER_ABI::schedule
