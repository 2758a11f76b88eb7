#pragma once
// rfactor: a reduction in two steps. The first gives a partial result for each part of an axis, the
// second one reduces these. The number of parts depends on sizes only, so that the result does not
// depend on the number of threads.

#include <cstdint>  // std::uint32_t

#include <sinter/base/container/function_ref.hpp>
#include <sinter/base/container/hash_map.hpp>
#include <sinter/base/container/optional.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/config.hpp>
#include <sinter/graph/builder.hpp>
#include <sinter/graph/graph.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

/// How a reduction is rfactored.
struct Rfactor {
  Shape shape{};     ///< The operand is reshaped to it first: axes may be merged.
  AxisList axes{};   ///< The axes of `shape` that are reduced.
  int axis = 0;      ///< The one of them that has parts.
  Extent parts = 0;  ///< 0 if the reduction stays whole.
  /// Whether a kernel may compute the partial results beside other values: the first axis has the
  /// parts, and any element of it may be in any of them. See find_partial_reductions().
  bool fuses = false;
};

/// `graph` with each reduction rfactored as `choose` says; `id` is that of the node in `graph`. The
/// node is that of `graph`, or the same one in the graph that is being built, which is given then.
/// Partial results of f16 and bf16 are f32. Inputs and outputs keep their positions. Nothing if all
/// reductions stay whole.
Optional<Graph> rfactor(const Graph& graph,
                        FunctionRef<Rfactor(const Graph&, const Node&, NodeId id)> choose);

/// A partial reduction that fuses: its result has one element per part along its first axis.
struct PartialReduction {
  Value operand{};
  std::uint32_t axes = 0;  ///< The mask of reduced axes of the operand; includes the first axis.
  Extent chunks = 0;       ///< Or one_chunk_per_point.
};

using PartialReductions = HashMap<NodeId, PartialReduction>;

/// The partial reductions of `graph` that rfactor() made with Rfactor::fuses.
PartialReductions find_partial_reductions(const Graph& graph);

}  // namespace sinter::inline SINTER_ABI::detail::schedule

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/rewrite/rfactor.ipp>
#endif
