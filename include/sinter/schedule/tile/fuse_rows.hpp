#pragma once
// Kernels put together after the fact: products and what works on their rows, whatever it is, run
// as stages of one kernel, so that what passes between them stays in the caches of a thread.

#include <vector>  // std::vector

#include <sinter/config.hpp>
#include <sinter/schedule/lower/kernels.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

/// `kernels` with those fused into one that hand rows on to each other, at least one of them a
/// product: a row of what is handed on is read by the same row of the grid that wrote it. Such a
/// kernel runs for blocks of rows, stage by stage: see is_block(). Rows that nobody else reads are
/// local. A product belongs to it if one of its operands is the same for all rows of a block, or
/// where no product has such an operand: each row is by itself then.
/// `parts` are the kernels as they are to be put together, where that is not as they are alone.
std::vector<Lowered> in_blocks(const Graph& graph, std::vector<Lowered> kernels,
                               const std::vector<Lowered>& parts = {});

/// The same for a GPU: what becomes one kernel are products around a reduction of rows that are
/// longer than what they are made from, and what lies between, if it has a stream_form().
std::vector<Lowered> in_streams(const Graph& graph, std::vector<Lowered> kernels,
                                const std::vector<Lowered>& parts = {});

}  // namespace sinter::inline SINTER_ABI::detail::schedule

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/tile/fuse_rows.ipp>
#endif
