#pragma once
// Clusters joined after the fact: one that was founded too early moves into a later one that reads
// what it stores, or what it reads.

#include <cstdint>  // std::int32_t
#include <vector>   // std::vector

#include <sinter/config.hpp>
#include <sinter/schedule/fuse/live_out.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

/// A value that a cluster loads for one of the nodes that it computes.
struct Reading {
  NodeId node = 0;    ///< What is loaded.
  NodeId reader = 0;  ///< Computed by the cluster itself, or inlined into it.
};

/// What `cluster` loads: inputs, and results of other clusters.
std::vector<Reading> readings(const Graph& graph, const Clusters& clusters, const Demand& demand,
                              std::int32_t cluster);

/// Moves the members of each cluster into the first of its readers, where that runs over the same
/// points and reads no element but the one that it is about to compute; or into one over the same
/// space that loads the same elements. Returns whether any moved.
bool merge_clusters(const Graph& graph, Clusters& clusters, const Demand& demand);

}  // namespace sinter::inline SINTER_ABI::detail::schedule

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/fuse/merge.ipp>
#endif
