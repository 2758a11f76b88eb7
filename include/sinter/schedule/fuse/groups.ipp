#pragma once

#include <sinter/base/container/algorithm.hpp>
#include <sinter/schedule/fuse/groups.hpp>
#include <sinter/schedule/ir/access.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

SINTER_INLINE void place_members(FusionGroups& groups, const Vector<NodeId>& members,
                                 std::int32_t group, const Substitutions& values) {
  for (const NodeId member : members) {
    Placement& place = groups.placements[member];
    place = {group, substituted(place.index, values), substituted(place.reads, values)};
  }
}

SINTER_INLINE bool has_only_partials(const FusionGroups& groups, const FusionAnalysis& analysis,
                                     std::int32_t group) {
  const auto& members = groups.groups[group].members;
  return all_of(members, [&](NodeId member) {
    return groups.partials.count(member) != 0 || analysis.nodes[member].inlined;
  });
}

namespace detail {

SINTER_INLINE Extent partial_bytes(const Graph& graph, const FusionGroups& groups, NodeId id) {
  const PartialReduction& partial = groups.partials.at(id);
  const auto size = static_cast<std::int64_t>(info(graph.type({id, 0}).dtype).size);
  return numel(other_axes(graph.type(partial.operand).shape, partial.axes)) * size;
}

}  // namespace detail

SINTER_INLINE Extent group_partial_bytes(const Graph& graph, const FusionGroups& groups,
                                         std::int32_t group) {
  Extent result = 0;
  for (const NodeId member : groups.groups[group].members) {
    if (groups.partials.count(member) == 0) continue;
    result += detail::partial_bytes(graph, groups, member);
  }
  return result;
}

}  // namespace sinter::inline SINTER_ABI::detail::schedule
