#pragma once
// Sibling fusion: when kernels that could run beside each other become one, and when they must not
// wait for each other.

#include <cstdint>  // std::int32_t

#include <sinter/config.hpp>
#include <sinter/schedule/fuse/groups.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule::detail {

struct Clusterer;

/// Whether scalar `id` would make `cluster`, a total, wait for others like it.
bool joins_totals(Clusterer& clusterer, NodeId id, std::int32_t cluster);

/// Whether `id`, a scalar, would wait for several totals that could run beside each other.
bool joins_totals(Clusterer& clusterer, NodeId id);

/// Whether `id`, which is no scalar, takes but some of its operands from a cluster of scalars: what
/// many others use as well is no reason to compute all of them together.
bool uses_scalars_of(Clusterer& clusterer, NodeId id, std::int32_t cluster);

/// Whether `cluster` takes in no other node, or goes element by element and had better not do `id`
/// so: what is dear, which others do vector by vector, and anything where threads share a row.
bool slows(const Clusterer& clusterer, NodeId id, std::int32_t cluster);

/// Puts `id` into a sibling: a cluster over the same space that reads the same elements of memory
/// anyway. Returns whether there was one.
bool join_sibling(Clusterer& clusterer, NodeId id);

}  // namespace sinter::inline SINTER_ABI::detail::schedule::detail

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/fuse/siblings.ipp>
#endif
