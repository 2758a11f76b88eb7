#pragma once

#include <sinter/base/error.hpp>
#include <sinter/base/text.hpp>
#include <sinter/schedule/fuse/builder.hpp>
#include <sinter/schedule/fuse/fuse.hpp>
#include <sinter/schedule/fuse/merge.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

namespace detail {

SINTER_INLINE std::string_view name_of(GroupKind kind) {
  switch (kind) {
    case GroupKind::pointwise:
      return "pointwise";
    case GroupKind::rows:
      return "rows";
    case GroupKind::product:
      return "product";
    case GroupKind::scatter:
      return "scatter";
    case GroupKind::concatenate:
      return "concatenate";
    case GroupKind::scan:
      return "scan";
    case GroupKind::sort:
      return "sort";
  }
  return "";
}

}  // namespace detail

SINTER_INLINE FusionResult fuse(const Graph& graph, const FusionAnalysis& facts,
                                const Target& target, bool strict, Refusals* refusals) {
  FusionResult result{graph, facts, target};
  result.strict = strict;
  result.groups =
      create_fusion_groups(graph, facts, find_partial_reductions(graph), target, refusals);
  result.live_out = find_live_out(graph, facts, result.groups);
  if (merge_fusion_groups(graph, result.groups, result.live_out, refusals))
    result.live_out = find_live_out(graph, facts, result.groups);
  return result;
}

SINTER_INLINE std::string to_string(const FusionResult& fusion) {
  std::string result;
  for (std::size_t i = 0; i < fusion.groups.groups.size(); ++i) {
    const FusionGroup& group = fusion.groups.groups[i];
    result += text("group ", i, ", ", detail::name_of(group.kind), " ", group.space);
    const Shape rows = row_shape(fusion.graph, group);
    if (!rows.empty()) result += text(" x ", rows);
    if (!same(group.chunks, 0)) result += text(", chunks ", group.chunks);
    result += ":";
    for (const NodeId id : fusion.live_out.computed[i]) result += text(" %", id);
    result += "; stores";
    for (const NodeId id : fusion.live_out.stored[i]) result += text(" %", id);
    result += "\n";
  }
  return result;
}

SINTER_INLINE void verify(const FusionResult& fusion) {
  const auto count = static_cast<std::int32_t>(fusion.groups.groups.size());
  for (std::int32_t group = 0; group < count; ++group) {
    for (const NodeId id : fusion.groups.groups[group].members) {
      if (fusion.groups.placements[id].group != group)
        throw InternalError(text("%", id, " is a member of group ", group, ", but is placed in ",
                                 fusion.groups.placements[id].group));
    }
    for (const GroupLoad& load : loads_of(fusion.graph, fusion.groups, fusion.live_out, group)) {
      const std::int32_t from = fusion.groups.placements[load.node].group;
      if (from > group || !fusion.live_out.in_memory[load.node])
        throw InternalError(text("group ", group, " loads %", load.node, " of group ", from,
                                 ", which is not in memory before"));
    }
  }
}

}  // namespace sinter::inline SINTER_ABI::detail::schedule
