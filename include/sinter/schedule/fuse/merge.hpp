#pragma once
// Merges fusion groups: a group moves into a later one that reads its results, or that reads the
// same values.

#include <cstdint>  // std::int32_t

#include <sinter/base/container/vector.hpp>
#include <sinter/config.hpp>
#include <sinter/schedule/fuse/live_out.hpp>
#include <sinter/schedule/ir/refusals.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

/// A value that a group loads for one of the nodes that it computes.
struct GroupLoad {
  NodeId node = 0;    ///< The node that is loaded.
  NodeId reader = 0;  ///< The node that reads it: a member of the group, or inlined into it.
  NodeId member = 0;  ///< The member of the group for which it is read, ...
  NodeId operand = 0;  ///< ... and the operand of that: `node`, or inlined nodes that read it.
};

/// The loads of `group`: inputs, and results of other groups.
Vector<GroupLoad> loads_of(const Graph& graph, const FusionGroups& groups, const LiveOut& live_out,
                           std::int32_t group);

/// Merges each group into its first reader, if that has the same iteration space and reads only the
/// element it is about to compute; or into a group over the same space that loads the same
/// elements. Returns whether any group was merged. `refusals`, if not null, gets the reasons of
/// what is not merged.
bool merge_fusion_groups(const Graph& graph, FusionGroups& groups, const LiveOut& live_out,
                         Refusals* refusals = nullptr);

}  // namespace sinter::inline SINTER_ABI::detail::schedule

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/fuse/merge.ipp>
#endif
