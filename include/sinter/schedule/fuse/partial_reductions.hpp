#pragma once
// Sibling fusion of partial reductions: they are fused into a group that iterates over the same
// elements.

#include <cstdint>  // std::int32_t, std::uint32_t

#include <sinter/config.hpp>
#include <sinter/schedule/fuse/groups.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule::detail {

struct GroupBuilder;

/// Whether fusing `id` into `group` would make one thread compute values that threads could share
/// and that other nodes read. Short single rows are exempt.
bool serializes(const GroupBuilder& builder, NodeId id, const FusionGroup& group,
                std::uint32_t reduced);

/// Places `id`, a partial result, in `group`. It has no index there, since it is complete only
/// after the kernel.
void place_partial(GroupBuilder& builder, NodeId id, std::int32_t group, const Index& reads);

/// Fuses `id`, a partial reduction, into a group that reads its operand, or creates a group for it.
void fuse_partial(GroupBuilder& builder, NodeId id);

/// Once all groups are known, fuses partial reductions that are alone in their kernels into other
/// groups.
void merge_lone_partials(GroupBuilder& builder);

}  // namespace sinter::inline SINTER_ABI::detail::schedule::detail

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/fuse/partial_reductions.ipp>
#endif
