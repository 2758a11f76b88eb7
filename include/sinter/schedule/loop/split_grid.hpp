#pragma once
// The grid of a kernel with partial reductions: an outer loop over chunks, which threads share, and
// the loops within a chunk, which run in order.

#include <sinter/config.hpp>
#include <sinter/schedule/ir/kernel.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

/// Splits the first loop of the grid that no combined result depends on into `chunks`; does nothing
/// if `chunks` is 0. If that loop has fewer iterations than there are chunks, all such loops are
/// fused into one first; if the number of iterations is unknown, only with `fuses_unknown_loops`.
/// If each chunk reduces to scalars and the kernel has no row loop, the iterations of a chunk
/// become the row loop.
void split_grid(Kernel& kernel, Extent chunks, bool fuses_unknown_loops = false);

}  // namespace sinter::inline SINTER_ABI::detail::schedule

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/loop/split_grid.ipp>
#endif
