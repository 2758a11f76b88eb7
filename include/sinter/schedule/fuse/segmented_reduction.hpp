#pragma once
// Segmented-reduction fusion: reductions over parts of rows join the group that computes the rows.

#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule::detail {

struct Clusterer;

/// Moves such reductions, as soon as all clusters are known.
void nest_reductions(Clusterer& clusterer);

}  // namespace sinter::inline SINTER_ABI::detail::schedule::detail

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/fuse/segmented_reduction.ipp>
#endif
