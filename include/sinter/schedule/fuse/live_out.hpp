#pragma once
// Live-out analysis: what each group has to compute and to store, found from the outputs backwards.

#include <cstdint>  // std::int32_t

#include <sinter/base/container/vector.hpp>
#include <sinter/config.hpp>
#include <sinter/schedule/fuse/groups.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

struct LiveOut {
  /// For each group, ascending: members that it computes; empty if it need not run.
  Vector<Vector<NodeId>> computed{};
  /// For each group, ascending: members that it stores.
  Vector<Vector<NodeId>> stored{};
  Vector<bool> in_memory{};  ///< For each node: stored by its group, or an input.
  Vector<bool> loaded{};     ///< For each node: in memory, and other groups load it.
};

LiveOut find_live_out(const Graph& graph, const FusionAnalysis& analysis,
                      const FusionGroups& groups);

/// Whether a reader in `group` loads `node` instead of computing it.
bool loads(const LiveOut& live_out, const FusionGroups& groups, NodeId node, std::int32_t group);

}  // namespace sinter::inline SINTER_ABI::detail::schedule

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/fuse/live_out.ipp>
#endif
