#pragma once
// Finds sparse in-place updates: state of which only the elements that change are written.

#include <cstddef>  // std::size_t

#include <sinter/base/container/optional.hpp>
#include <sinter/base/container/span.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/config.hpp>
#include <sinter/schedule/launch/order.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

struct Options;

/// A sparse update: `output` keeps the elements of `input` that do not change. Kernel `at` of a
/// list is replaced by `changed`, after `checks`, which runs its checks and writes nothing; `copy`,
/// the copy of the input, is dropped.
struct SparseUpdate {
  NodeUpdate update{};
  std::size_t at = 0;
  LoweredKernel changed{};
  Optional<LoweredKernel> checks{};
  Optional<std::size_t> copy{};
};

/// Those of `updates` that a kernel can write sparsely: as an addition to some elements, or as a
/// select between old and new elements. The launch order has to run other readers of the input
/// before.
Vector<SparseUpdate> find_sparse_updates(Span<const LoweredKernel> kernels,
                                         Span<const NodeUpdate> updates);

/// Excludes kernels that may write updates sparsely from row tiles, where they would write all
/// elements.
void exclude_from_row_tiles(Span<LoweredKernel> kernels, const Graph& graph,
                            const Options& options);

/// `kernels` with `changes`. Kernels whose checks an earlier one makes as well are marked as
/// checked.
Vector<LoweredKernel> with_sparse_updates(Span<const LoweredKernel> kernels,
                                          Span<const SparseUpdate> changes);

}  // namespace sinter::inline SINTER_ABI::detail::schedule

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/launch/sparse_updates.ipp>
#endif
