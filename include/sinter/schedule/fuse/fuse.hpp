#pragma once
// The third stage of a plan: the nodes of the graph as fusion groups.

#include <string>  // std::string

#include <sinter/base/error.hpp>
#include <sinter/base/text.hpp>
#include <sinter/config.hpp>
#include <sinter/schedule/fuse/builder.hpp>
#include <sinter/schedule/fuse/groups.hpp>
#include <sinter/schedule/fuse/live_out.hpp>
#include <sinter/schedule/fuse/merge.hpp>
#include <sinter/schedule/ir/target.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

/// Fusion groups, and what each of them stores. It refers to what it was made from.
struct FusionResult {
  const Graph& graph;
  const FusionAnalysis& analysis;
  const Target& target;
  FusionGroups groups{};
  LiveOut live_out{};
  bool strict = false;          ///< Every operation rounds.
  bool keeps_any_rows = false;  ///< Keep rows of unknown size in scratch memory, too.
};

/// Groups the nodes of `graph`: create_fusion_groups(), then merge_fusion_groups(). `refusals`, if
/// not null, gets the reasons of what is not fused.
inline FusionResult fuse(const Graph& graph, const FusionAnalysis& facts, const Target& target,
                         bool strict = false, Refusals* refusals = nullptr) {
  FusionResult result{graph, facts, target};
  result.strict = strict;
  result.groups =
      create_fusion_groups(graph, facts, find_partial_reductions(graph), target, refusals);
  result.live_out = find_live_out(graph, facts, result.groups);
  if (merge_fusion_groups(graph, facts, target, result.groups, result.live_out, refusals))
    result.live_out = find_live_out(graph, facts, result.groups);
  return result;
}

/// A line for each group: "group 2, rows [64, 10], reduced 1: %4 %5; stores %5".
inline std::string to_string(const FusionResult& fusion) {
  std::string result;
  for (std::size_t i = 0; i < fusion.groups.groups.size(); ++i) {
    const FusionGroup& group = fusion.groups.groups[i];
    result += text("group ", i, ", ", facts_of(group.kind).name, " ", group.space);
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

/// Throws InternalError unless the groups list each node once, where it is placed, and no group
/// loads what a later one stores.
inline void verify(const FusionResult& fusion) {
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
