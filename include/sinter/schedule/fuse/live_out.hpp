#pragma once
// What each cluster has to compute and to store, found from the outputs backwards.

#include <cstdint>  // std::int32_t
#include <vector>   // std::vector

#include <sinter/config.hpp>
#include <sinter/schedule/fuse/groups.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

struct Demand {
  /// For each cluster, ascending: members that it computes; empty if it need not run.
  std::vector<std::vector<NodeId>> computed{};
  /// For each cluster, ascending: members that it stores.
  std::vector<std::vector<NodeId>> stored{};
  std::vector<bool> in_memory{};  ///< For each node: stored by its cluster, or an input.
  std::vector<bool> loaded{};     ///< And its readers in other clusters load it.
};

Demand demand(const Graph& graph, const Survey& survey, const Clusters& clusters);

/// Whether a reader in `cluster` loads `node`, rather than computes it.
bool loads(const Demand& demand, const Clusters& clusters, NodeId node, std::int32_t cluster);

}  // namespace sinter::inline SINTER_ABI::detail::schedule

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/fuse/live_out.ipp>
#endif
