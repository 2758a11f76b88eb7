#pragma once
// The grid of a kernel that combines results in chunks: a loop over the chunks, which threads
// share, around the loops of one chunk, which run in order.

#include <sinter/config.hpp>
#include <sinter/schedule/ir/kernel.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

/// Splits the first loop of the grid that no combined result depends on into `chunks`; does nothing
/// if `chunks` is 0. If that loop has fewer iterations than there are chunks, all such loops are
/// merged into one first; if the number of iterations is unknown, only a GPU kernel merges them. If
/// each chunk reduces to scalars and the kernel has no row loop, the iterations of a chunk become
/// the row loop.
void divide_grid(Kernel& kernel, Extent chunks, bool gpu = false);

}  // namespace sinter::inline SINTER_ABI::detail::schedule

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/loop/split_grid.ipp>
#endif
