#pragma once
// Columns that a GPU reduces beside the rows that it computes anyway: the gradients of the gains
// and biases of a norm, of which a kernel of their own would read all rows again.

#include <cstdint>  // std::int64_t
#include <vector>   // std::vector

#include <sinter/config.hpp>
#include <sinter/graph/graph.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

/// What the rows of a block may be combined to, in bytes of shared memory that all GPUs have.
inline constexpr std::int64_t most_bytes_beside = 96 << 10;

/// Which nodes of `graph` reduce all axes but the last, of many rows of some length, where each
/// element is computed of what is reduced of its row, or only of what such elements are made of;
/// and where nothing as large as all rows waits for the result.
std::vector<bool> reduced_beside_rows(const Graph& graph);

/// In how many chunks a GPU reduces `rows` of so many columns: each is a block's, or a warp's. As
/// many as keep the memory busy, and as few as are little beside the rows.
Extent chunks_beside_rows(Extent rows, std::int64_t columns);

}  // namespace sinter::inline SINTER_ABI::detail::schedule

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/rewrite/column_reductions.ipp>
#endif
