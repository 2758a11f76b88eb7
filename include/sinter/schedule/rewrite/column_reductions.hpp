#pragma once
// Column reductions that a GPU fuses into the kernel that computes the rows, as partial reductions:
// gradients of the gains and biases of a norm, for example. A kernel of their own would read all
// rows again.

#include <cstdint>  // std::int64_t

#include <sinter/base/container/optional.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/config.hpp>
#include <sinter/graph/graph.hpp>
#include <sinter/schedule/ir/target.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

/// For each node of `graph`: whether it is a fusible column reduction. It reduces all axes but the
/// last, of many rows of moderate length; its operand is computed elementwise from row reductions,
/// or from the same sources as such operands; no value of the size of all rows needs its result;
/// and the partial results of those over the same rows have room in shared memory.
Vector<bool> fusible_column_reductions(const Graph& graph, const Target& target);

/// `graph` with the fusible column reductions in chunks of their rows: see rfactor().
Optional<Graph> rfactor_column_reductions(const Graph& graph, const Target& target);

/// The number of chunks in which a GPU reduces `rows` of `columns` elements, one per thread block
/// or warp: enough to keep the memory busy, and few compared with the rows.
Extent column_reduction_chunks(Extent rows, std::int64_t columns, const ColumnLimits& limits = {});

}  // namespace sinter::inline SINTER_ABI::detail::schedule

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/rewrite/column_reductions.ipp>
#endif
