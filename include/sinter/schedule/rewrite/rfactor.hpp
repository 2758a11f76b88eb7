#pragma once
// rfactor of reductions over axes that threads share: each chunk of the axis gives a partial
// result, and a second reduction combines these. The number of chunks depends on sizes only, so
// that the result does not depend on the number of threads.

#include <cstdint>  // std::uint32_t

#include <sinter/base/container/hash_map.hpp>
#include <sinter/base/container/optional.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/config.hpp>
#include <sinter/graph/graph.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

/// A partial reduction: its result has one element per chunk along its first axis. The assignment
/// of elements to chunks is not specified, since its only reader reduces that axis.
struct PartialReduction {
  Value operand{};
  std::uint32_t axes = 0;  ///< The mask of reduced axes of the operand; includes the first axis.
  Extent chunks = 0;       ///< Or one_chunk_per_point.
};

using PartialReductions = HashMap<NodeId, PartialReduction>;

/// `graph` with each large sum, product, maximum or minimum along the first axis as a reduction of
/// each chunk of that axis and a reduction over the chunks. Partial results of f16 and bf16 are
/// f32. Inputs and outputs keep their positions. Nothing if there is no such reduction.
Optional<Graph> rfactor_reductions(const Graph& graph);

/// The same for fusible column reductions: see column_reductions.hpp.
Optional<Graph> rfactor_column_reductions(const Graph& graph);

/// The partial reductions in `graph`; with `columns` only those of column reductions.
PartialReductions find_partial_reductions(const Graph& graph, bool columns = false);

}  // namespace sinter::inline SINTER_ABI::detail::schedule

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/rewrite/rfactor.ipp>
#endif
