#pragma once
// Sibling fusion: when independent kernels become one, and when they have to stay independent.

#include <algorithm>    // std::min
#include <cstdint>      // std::int32_t
#include <string_view>  // std::string_view

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/config.hpp>
#include <sinter/schedule/fuse/groups.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule::detail {

// A reduction to one number.
inline bool is_scalar_reduction(GroupState& builder, std::int32_t group) {
  return group != no_group && builder.at(group).kind == GroupKind::rows &&
         same(numel(grid_shape(builder.at(group))), 1);
}

// Whether both start with the same operations, so that they may run as one batched launch.
inline bool start_alike(GroupState& builder, std::int32_t a, std::int32_t b) {
  const auto &first = builder.at(a).members, &second = builder.at(b).members;
  for (std::size_t i = 0; i < std::min({first.size(), second.size(), std::size_t{2}}); ++i) {
    if (builder.graph[first[i]].op != builder.graph[second[i]].op) return false;
  }
  return true;
}

/// Whether fusing scalar `id` into `group`, a scalar reduction, would make that wait for a similar
/// scalar reduction.
inline bool chains_scalar_reductions(GroupState& builder, NodeId id, std::int32_t group) {
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

/// Whether `id`, a scalar, combines several scalar reductions that could run in parallel.
inline bool chains_scalar_reductions(GroupState& builder, NodeId id) {
  const Vector<NodeId> list = builder.operands(id);
  return any_of(list, [&](NodeId operand) {
    return chains_scalar_reductions(builder, id, builder.group_of(operand));
  });
}

/// Whether a tensor `id` takes only some of its operands from `group`, a group of scalars. Scalars
/// that many nodes use do not justify computing all those nodes in one kernel.
inline bool takes_some_operands_from(GroupState& builder, NodeId id, std::int32_t group) {
  const FusionGroup& known = builder.at(group);
  const bool scalars = known.kind == GroupKind::pointwise && known.space.empty();
  if (!scalars || builder.shape(id).empty()) return false;
  const Vector<NodeId> list = builder.operands(id);
  return any_of(list, [&](NodeId operand) {
    const std::int32_t owner = builder.group_of(operand);
    return builder.graph[operand].op == Op::input || (owner != no_group && owner != group);
  });
}

/// Why `group` cannot take other nodes, or would run `id` slowly: a scan visits elements in order,
/// so it would not vectorize transcendental functions; and see Target::scans_take_readers. Empty if
/// it can.
inline std::string_view kind_obstacle(const GroupState& builder, NodeId id, std::int32_t group) {
  const FusionGroup& known = builder.result.groups[group];
  const bool in_order = known.kind == GroupKind::scan;
  const bool refuses =
      facts_of(known.kind).is_alone || (in_order && (builder.analysis.nodes[id].cost.expensive ||
                                                     !builder.target.scans_take_readers));
  return refuses ? facts_of(known.kind).obstacle : "";
}

}  // namespace sinter::inline SINTER_ABI::detail::schedule::detail
