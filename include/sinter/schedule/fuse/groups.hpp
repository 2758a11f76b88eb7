#pragma once
// Which nodes share a kernel. Clusters run in the order of their numbers, so a node may join any
// that comes no earlier than what it reads: no cycle can arise.

#include <cstddef>  // std::size_t
#include <cstdint>  // std::int32_t, std::int64_t
#include <vector>   // std::vector

#include <sinter/config.hpp>
#include <sinter/schedule/analysis/fusion_analysis.hpp>
#include <sinter/schedule/ir/domain.hpp>
#include <sinter/schedule/rewrite/partial_reductions.hpp>
#include <sinter/symbol/extent/interval.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

struct Clusters {
  std::vector<Cluster> clusters{};
  std::vector<Placement> placements{};  ///< For each node.
  Partials partials{};
  std::int64_t most_combined = unbounded;  ///< Bytes of the partial results of a cluster.
  std::size_t tried = 0;  ///< How often a node was compared with a cluster: the time it took.
};

/// Whether `cluster` gives nothing but partial results, so that no rows are computed there.
bool only_combines(const Clusters& clusters, const Survey& survey, std::int32_t cluster);

/// Bytes of the partial results that each chunk of `cluster` has.
Extent combined_bytes(const Graph& graph, const Clusters& clusters, std::int32_t cluster);

namespace detail {

/// Bytes of the partial result `id` that a chunk has.
Extent bytes_of_chunk(const Graph& graph, const Clusters& clusters, NodeId id);

}  // namespace detail

}  // namespace sinter::inline SINTER_ABI::detail::schedule

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/fuse/groups.ipp>
#endif
