#pragma once
// Sibling fusion: when independent kernels become one, and when they have to stay independent.

#include <cstdint>      // std::int32_t
#include <string_view>  // std::string_view

#include <sinter/config.hpp>
#include <sinter/schedule/fuse/groups.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule::detail {

struct GroupBuilder;

/// Whether fusing scalar `id` into `group`, a scalar reduction, would make that wait for a similar
/// scalar reduction.
bool chains_scalar_reductions(GroupBuilder& builder, NodeId id, std::int32_t group);

/// Whether `id`, a scalar, combines several scalar reductions that could run in parallel.
bool chains_scalar_reductions(GroupBuilder& builder, NodeId id);

/// Whether a tensor `id` takes only some of its operands from `group`, a group of scalars. Scalars
/// that many nodes use do not justify computing all those nodes in one kernel.
bool takes_some_operands_from(GroupBuilder& builder, NodeId id, std::int32_t group);

/// Why groups of this kind do not take other nodes.
std::string_view obstacle_of(GroupKind kind);

/// Why `group` cannot take other nodes, or would run `id` slowly: a scan visits elements in order,
/// so it would not vectorize transcendental functions; and see Target::scans_take_readers. Empty if
/// it can.
std::string_view kind_obstacle(const GroupBuilder& builder, NodeId id, std::int32_t group);

/// Fuses `id` with a sibling: a group over the same space that reads the same elements. Returns
/// whether there was one.
bool fuse_with_sibling(GroupBuilder& builder, NodeId id);

}  // namespace sinter::inline SINTER_ABI::detail::schedule::detail

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/fuse/siblings.ipp>
#endif
