#pragma once

#include <algorithm>  // std::min

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/schedule/fuse/builder.hpp>
#include <sinter/schedule/fuse/siblings.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule::detail {

// A reduction to one number.
SINTER_INLINE bool is_scalar_reduction(GroupBuilder& builder, std::int32_t group) {
  return group != no_group && builder.at(group).kind == GroupKind::rows &&
         same(numel(grid_shape(builder.at(group))), 1);
}

// Whether both start with the same operations, so that they may run as one batched launch.
SINTER_INLINE bool start_alike(GroupBuilder& builder, std::int32_t a, std::int32_t b) {
  const auto &first = builder.at(a).members, &second = builder.at(b).members;
  for (std::size_t i = 0; i < std::min({first.size(), second.size(), std::size_t{2}}); ++i) {
    if (builder.graph[first[i]].op != builder.graph[second[i]].op) return false;
  }
  return true;
}

SINTER_INLINE bool chains_scalar_reductions(GroupBuilder& builder, NodeId id, std::int32_t group) {
  if (!builder.shape(id).empty() || !is_scalar_reduction(builder, group)) return false;
  const Vector<NodeId> list = builder.operands(id);
  return any_of(list, [&](NodeId operand) {
    const std::int32_t other = builder.group_of(operand);
    if (other == no_group || other == group) return false;
    const bool is_chained =
        is_scalar_reduction(builder, other) && start_alike(builder, other, group);
    return is_chained || builder.combining_scalars.count(other) != 0;
  });
}

SINTER_INLINE bool chains_scalar_reductions(GroupBuilder& builder, NodeId id) {
  const Vector<NodeId> list = builder.operands(id);
  return any_of(list, [&](NodeId operand) {
    return chains_scalar_reductions(builder, id, builder.group_of(operand));
  });
}

SINTER_INLINE bool takes_some_operands_from(GroupBuilder& builder, NodeId id, std::int32_t group) {
  const FusionGroup& known = builder.at(group);
  const bool scalars = known.kind == GroupKind::pointwise && known.space.empty();
  if (!scalars || builder.shape(id).empty()) return false;
  const Vector<NodeId> list = builder.operands(id);
  return any_of(list, [&](NodeId operand) {
    const std::int32_t owner = builder.group_of(operand);
    return builder.graph[operand].op == Op::input || (owner != no_group && owner != group);
  });
}

SINTER_INLINE std::string_view obstacle_of(GroupKind kind) {
  switch (kind) {
    case GroupKind::product:
      return "a product computes its result tile by tile";
    case GroupKind::scatter:
      return "a scatter is complete only after all its additions";
    case GroupKind::concatenate:
      return "a concatenation writes its operands one by one";
    case GroupKind::scan:
      return "a scan computes its rows sequentially";
    case GroupKind::sort:
      return "it is complete only after its row is sorted";
    default:
      return "";
  }
}

SINTER_INLINE std::string_view kind_obstacle(const GroupBuilder& builder, NodeId id,
                                             std::int32_t group) {
  const FusionGroup& known = builder.result.groups[group];
  const bool in_order = known.kind == GroupKind::scan;
  const bool refuses =
      is_alone(known.kind) || (in_order && (builder.analysis.nodes[id].cost.expensive ||
                                            !builder.target.scans_take_readers));
  return refuses ? obstacle_of(known.kind) : "";
}

// Whether `group` has a reduction of the same value as the reduction `id`, such as the same windows
// of an operand.
SINTER_INLINE bool reduces_alike(const GroupBuilder& builder, NodeId id, std::int32_t group) {
  const Graph& graph = builder.graph;
  const auto& members = builder.result.groups[group].members;
  return is_reduction(graph[id].op) && any_of(members, [&](NodeId member) {
           return is_reduction(graph[member].op) && graph[member].inputs[0] == graph[id].inputs[0];
         });
}

SINTER_INLINE bool fuse_with_sibling(GroupBuilder& builder, NodeId id) {
  const Graph& graph = builder.graph;
  const bool reduces = is_reduction(graph[id].op);
  const Shape& space = reduces ? graph.type(graph[id].inputs[0]).shape : builder.shape(id);
  for (const NodeId operand : builder.operands(id)) {
    const Op op = graph[operand].op;
    const bool is_memory = op == Op::input || info(op).kind != OpKind::leaf;
    const bool is_whole = same(builder.shape(operand), space);
    if (!is_memory || (!is_whole && !reduces)) continue;
    for (const std::int32_t group : builder.tried_readers(operand)) {
      const GroupKind kind = builder.at(group).kind;
      const bool fits = kind == GroupKind::pointwise || kind == GroupKind::rows;
      if (!fits || !same(builder.at(group).space, space)) continue;
      if (!is_whole && !reduces_alike(builder, id, group)) continue;
      if (builder.fuse(id, group, true).empty()) return true;
    }
  }
  return false;
}

}  // namespace sinter::inline SINTER_ABI::detail::schedule::detail
