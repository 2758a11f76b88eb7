#pragma once
// The grid of a kernel that combines results in chunks: a loop over the chunks, which threads
// share, around the loops of one chunk, which run in order.

#include <sinter/config.hpp>
#include <sinter/schedule/kernel.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

/// Divides the first loop of the grid that no combined result depends on into `chunks`, or all such
/// loops as one if the first has fewer steps than that; does nothing if there are none. Where a
/// chunk gives numbers only, and no row is run through, its points become the row.
void divide_grid(Kernel& kernel, Extent chunks, bool gpu = false);

}  // namespace sinter::inline SINTER_ABI::detail::schedule

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/chunk.ipp>
#endif
