#pragma once
// The canonical form of row-tiled kernels for streaming: one loop over the steps of a row, and row
// scalars that stay in registers.

#include <sinter/config.hpp>
#include <sinter/schedule/ir/kernel.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

/// Merges several loops over the elements of a local row of `kernel` into one, such as the loops
/// over the heads of a group and over their queries.
void merge_row_loops(Kernel& kernel);

/// Forwards row scalars that `kernel` stores to its later loads of them.
void forward_stores(Kernel& kernel);

}  // namespace sinter::inline SINTER_ABI::detail::schedule

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/tile/canonicalize.ipp>
#endif
