#pragma once
// The third stage of a plan: the nodes of the graph as fusion groups.

#include <string>  // std::string

#include <sinter/config.hpp>
#include <sinter/schedule/fuse/groups.hpp>
#include <sinter/schedule/fuse/live_out.hpp>
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
FusionResult fuse(const Graph& graph, const FusionAnalysis& facts, const Target& target,
                  bool strict = false, Refusals* refusals = nullptr);

/// A line for each group: "group 2, rows [64, 10], reduced 1: %4 %5; stores %5".
std::string to_string(const FusionResult& fusion);

/// Throws InternalError unless the groups list each node once, where it is placed, and no group
/// loads what a later one stores.
void verify(const FusionResult& fusion);

}  // namespace sinter::inline SINTER_ABI::detail::schedule

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/fuse/fuse.ipp>
#endif
