#pragma once
// Row-tile fusion: products and the kernels that work on their rows become stages of one kernel,
// which runs for one tile of rows after another, so that intermediates stay in the caches of a
// thread. Kernels without products that work on the same rows become stages of one nest of loops.

#include <sinter/base/container/vector.hpp>
#include <sinter/config.hpp>
#include <sinter/schedule/ir/refusals.hpp>
#include <sinter/schedule/lower/kernels.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

/// Fuses `kernels` that pass rows to each other: each row of an intermediate is read only by the
/// same row of the grid. With a product, the fused kernel runs stage by stage for tiles of rows:
/// see is_row_tiled(). Intermediate rows that no other kernel reads are local. A product is fused
/// if all rows of a tile share one of its factors, or if no product of the group has such a factor;
/// each row is a tile of its own then. `fused_forms` are the kernels in the form that they take in
/// a group, if it differs from the form that they have alone.
Vector<LoweredKernel> fuse_row_tiles(const Graph& graph, Vector<LoweredKernel> kernels,
                                     const Vector<LoweredKernel>& fused_forms = {},
                                     const Target& target = {}, Refusals* refusals = nullptr);

/// The same for a GPU. It fuses pairs of products around a reduction, with the kernels between
/// them, where the intermediate rows are longer than the rows they are computed from and the result
/// has a streaming_form().
Vector<LoweredKernel> fuse_streaming_kernels(const Graph& graph, Vector<LoweredKernel> kernels,
                                             const Vector<LoweredKernel>& fused_forms = {},
                                             const Target& target = {},
                                             Refusals* refusals = nullptr);

/// The stage of a plan: the kernels of `fusion` with those of them fused that
/// Target::fuse_streaming or, without it, fuse_row_tiles() fuses. Row tiles keep rows of any length
/// in scratch memory. `refusals`, if not null, gets the reasons of what is not fused.
Vector<LoweredKernel> tile(const FusionResult& fusion, Vector<LoweredKernel> kernels,
                           Refusals* refusals = nullptr);

}  // namespace sinter::inline SINTER_ABI::detail::schedule

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/tile/fuse_row_tiles.ipp>
#endif
