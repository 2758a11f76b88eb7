#pragma once

#include <algorithm>  // std::stable_sort
#include <utility>    // std::move

#include <sinter/schedule/lower/concatenate.hpp>
#include <sinter/schedule/lower/kernels.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

namespace detail {

// How many parts of a concatenation one kernel writes.
inline constexpr std::size_t most_stored_parts = 8;

SINTER_INLINE Lowered finish(Lowerer& lowerer) {
  Lowered result;
  result.kernel = lowerer.lowering.finish();
  for (std::size_t i = 0; i < result.kernel.arguments.size(); ++i) {
    if (result.kernel.arguments[i].access == Access::local) continue;
    result.nodes.push_back(lowerer.lowering.nodes[i]);
  }
  return result;
}

// Reductions first and by level, so that a loop over the row comes before those that use it again.
SINTER_INLINE Lowered lower_loops(const Fusion& fusion, std::int32_t id) {
  const Cluster& cluster = fusion.clusters.clusters[static_cast<std::size_t>(id)];
  Lowerer lowerer(fusion, id, grid_ranges(cluster), row_ranges(fusion.graph, cluster),
                  row_shape(fusion.graph, cluster));
  const auto by_level = [&](NodeId a, NodeId b) { return lowerer.level(a) < lowerer.level(b); };
  std::vector<NodeId> members = fusion.demand.computed[static_cast<std::size_t>(id)];
  std::stable_sort(members.begin(), members.end(), by_level);
  for (const NodeId member : members) {
    if (fusion.clusters.partials.count(member) != 0) {
      lowerer.combine(member);
    } else if (is_heavy(fusion.graph[member].op)) {
      lowerer.member(member);
    }
  }
  std::vector<NodeId> stored = fusion.demand.stored[static_cast<std::size_t>(id)];
  std::stable_sort(stored.begin(), stored.end(), by_level);
  for (const NodeId member : stored) {
    if (fusion.clusters.partials.count(member) == 0) lowerer.store(member);
  }
  Lowered result = finish(lowerer);
  const bool divides = !same(cluster.chunks, own_chunks) && has(result.kernel, Code::combine);
  if (divides) result.chunks = cluster.chunks;
  return result;
}

SINTER_INLINE Lowered lower_sort(const Fusion& fusion, std::int32_t id, NodeId of) {
  const Cluster& cluster = fusion.clusters.clusters[static_cast<std::size_t>(id)];
  Lowerer lowerer(fusion, id, grid_ranges(cluster), row_ranges(fusion.graph, cluster),
                  row_shape(fusion.graph, cluster));
  lowerer.sort(of);
  return finish(lowerer);
}

// The copy to which a scatter_add adds.
SINTER_INLINE Lowered lower_start(const Fusion& fusion, std::int32_t id, NodeId of) {
  const Node& node = fusion.graph[of];
  const Index ranges = ranges_over(node.results[0].shape);
  Lowerer lowerer(fusion, id, ranges, {}, {});
  const ValueId copied = lowerer.value(node.inputs[0], ranges, {}, first_slot);
  lowerer.store(of, linear(ranges, node.results[0].shape), copied, first_slot);
  return finish(lowerer);
}

// A kernel that writes parts `first` and those after it that have its shape, but for those that are
// `taken`.
SINTER_INLINE Lowered lower_parts(const Fusion& fusion, std::int32_t id, NodeId of,
                                  std::size_t first, std::vector<bool>& taken) {
  const Graph& graph = fusion.graph;
  const Node& node = graph[of];
  const auto axis = static_cast<int>(number(node, "axis"));
  const Shape &shape = node.results[0].shape, &common = graph.type(node.inputs[first]).shape;
  const Index ranges = ranges_over(common);
  Lowerer lowerer(fusion, id, ranges, {}, {});
  Extent start = 0;
  std::size_t stored = 0;
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    const Shape& from = graph.type(node.inputs[i]).shape;
    if (!taken[i] && same(from, common) && stored < most_stored_parts) {
      Index target = ranges;
      target[axis] += start;
      const ValueId value = lowerer.value(node.inputs[i], ranges, {}, first_slot);
      lowerer.store(of, linear(target, shape), value, first_slot);
      taken[i] = true;
      ++stored;
    }
    start += from[axis];
  }
  return finish(lowerer);
}

// Those that are not `taken`: other kernels write these.
SINTER_INLINE std::vector<Lowered> lower_all_parts(const Fusion& fusion, std::int32_t id, NodeId of,
                                                   std::vector<bool> taken) {
  std::vector<Lowered> result;
  for (std::size_t i = 0; i < taken.size(); ++i) {
    if (!taken[i]) result.push_back(lower_parts(fusion, id, of, i, taken));
  }
  return result;
}

// Serial over the indices, so that equal ones add in order; parallel over the other axes.
SINTER_INLINE Lowered lower_addition(const Fusion& fusion, std::int32_t id, NodeId of) {
  const Node& node = fusion.graph[of];
  const auto axis = static_cast<int>(number(node, "axis"));
  const Shape& shape = node.results[0].shape;
  const Shape& added = fusion.graph.type(node.inputs[2]).shape;
  const Shape& indices = fusion.graph.type(node.inputs[1]).shape;
  const Index ranges = ranges_over(added);
  Index grid, rows, target;
  for (int i = 0; i < ranges.size(); ++i) {
    const bool over_indices = i >= axis && i < axis + indices.size();
    (over_indices ? rows : grid).push_back(ranges[i]);
  }
  Lowerer lowerer(fusion, id, grid, rows, indices);
  const Slot slot = loops_over(rows).empty() ? first_slot : first_slot + 1;
  const ValueId index = lowerer.value(node.inputs[1], rows, {}, slot);
  const Extent variable = lowerer.bind(of, index, shape[axis], linear(rows, indices), {}, slot);
  for (int i = 0; i < shape.size(); ++i) {
    const int before = i < axis ? i : i - 1;
    target.push_back(i == axis ? variable : grid[before]);
  }
  const ValueId value = lowerer.value(node.inputs[2], ranges, {}, slot);
  lowerer.store(of, linear(target, shape), value, slot, true);
  return finish(lowerer);
}

}  // namespace detail

SINTER_INLINE std::vector<Lowered> lower(const Fusion& fusion, std::int32_t cluster,
                                         std::vector<bool> taken) {
  const auto& stored = fusion.demand.stored[static_cast<std::size_t>(cluster)];
  if (stored.empty()) return {};
  const Cluster& known = fusion.clusters.clusters[static_cast<std::size_t>(cluster)];
  const NodeId of = known.members[0];
  std::vector<Lowered> result;
  if (known.kind == ClusterKind::parts) {
    taken.resize(fusion.graph[of].inputs.size());
    result = detail::lower_all_parts(fusion, cluster, of, std::move(taken));
  } else if (known.kind == ClusterKind::sort) {
    result.push_back(detail::lower_sort(fusion, cluster, of));
  } else if (known.kind != ClusterKind::scatter) {
    result.push_back(detail::lower_loops(fusion, cluster));
  } else {
    result.push_back(detail::lower_start(fusion, cluster, of));
    result.push_back(detail::lower_addition(fusion, cluster, of));
  }
  for (Lowered& lowered : result) {
    lowered.recorded = of;
    lowered.clusters = {cluster};
    lowered.is_product = known.kind == ClusterKind::product;
  }
  return result;
}

SINTER_INLINE std::vector<Lowered> lower_all(const Fusion& fusion) {
  std::vector<Lowered> result;
  PartPlacer placer(fusion.graph, result);
  for (std::size_t i = 0; i < fusion.clusters.clusters.size(); ++i) {
    const Cluster& cluster = fusion.clusters.clusters[i];
    const bool places = cluster.kind == ClusterKind::parts && !fusion.demand.stored[i].empty();
    std::vector<bool> taken;
    if (places) taken = placer.place(cluster.members[0]);
    for (Lowered& lowered : lower(fusion, static_cast<std::int32_t>(i), std::move(taken))) {
      result.push_back(std::move(lowered));
    }
  }
  placer.drop_unread();
  return result;
}

SINTER_INLINE void mark_again(const Turned& turned, std::vector<Lowered>& kernels) {
  for (Lowered& one : kernels) {
    for_each_buffer(one, [&](NodeId node, std::size_t i) {
      const bool writes = one.kernel.arguments[i].access != Access::read;
      if (writes && turned.again[node] != Again::no) one.again = turned.again[node];
    });
  }
}

SINTER_INLINE Lowered lower_copy(NodeId from, NodeId to, const TensorType& type) {
  const Extent elements = numel(type.shape);
  const Index ranges = ranges_over({elements});
  Lowering lowering(ranges, {});
  Instruction load{.code = Code::load, .op = Op::input, .dtype = type.dtype};
  load.argument = lowering.argument(from, type.dtype, elements, Access::read);
  load.index = ranges[0];
  load.constant = constant(0, type.dtype);
  Instruction store{.code = Code::store, .dtype = type.dtype};
  store.argument = lowering.argument(to, type.dtype, elements, Access::write);
  store.index = ranges[0];
  store.operands = {lowering.append(first_slot, std::move(load))};
  lowering.append(first_slot, std::move(store));
  Lowered result{.kernel = lowering.finish()};
  result.nodes = std::move(lowering.nodes);
  result.recorded = from;
  return result;
}

}  // namespace sinter::inline SINTER_ABI::detail::schedule
