#pragma once
// Sibling fusion of partial reductions: they join a group that runs over the same elements anyway.

#include <cstdint>  // std::int32_t, std::uint32_t

#include <sinter/config.hpp>
#include <sinter/schedule/fuse/groups.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule::detail {

struct Clusterer;

/// Whether one thread would compute what others could share and something else reads. A row that
/// happens to be the only one is computed as it is among others, unless it is long.
bool reduces_all(const Clusterer& clusterer, NodeId id, const Cluster& cluster,
                 std::uint32_t reduced);

/// Places `id`, a partial result, in `cluster`. It is complete only after the kernel, so that it
/// has no index there.
void place_partial(Clusterer& clusterer, NodeId id, std::int32_t cluster, const Index& reads);

/// Places `id`, a partial result: in a group that reads its operand, or in one of its own.
void visit_partial(Clusterer& clusterer, NodeId id);

/// Moves partial results that are alone in their kernels, when all groups are known.
void visit_partials_again(Clusterer& clusterer);

}  // namespace sinter::inline SINTER_ABI::detail::schedule::detail

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/fuse/partial_reductions.ipp>
#endif
