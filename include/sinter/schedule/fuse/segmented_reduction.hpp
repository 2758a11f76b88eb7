#pragma once
// Segmented-reduction fusion: reductions over segments of rows are fused into the group that
// computes the rows.

#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule::detail {

struct GroupBuilder;

/// Fuses such reductions, once all groups are known.
void fuse_segmented_reductions(GroupBuilder& builder);

}  // namespace sinter::inline SINTER_ABI::detail::schedule::detail

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/fuse/segmented_reduction.ipp>
#endif
