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
#include <sinter/graph/graph.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

/// How a reduction is rfactored.
struct Rfactor {
  /// The operand is reshaped to it first: axes may be merged. It has fewer axes than max_rank.
  Shape shape{};
  AxisList axes{};   ///< The axes of `shape` that are reduced.
  int axis = 0;      ///< The one of them that has parts.
  Extent parts = 0;  ///< 0 if the reduction stays whole.
  /// Whether the kernel of other values may compute the partial results, in any order of elements:
  /// see find_partial_reductions(). `axis` is the first one then.
  bool fuses = false;
};

/// `graph` with each reduction rfactored as `choose` says. It is asked about the nodes of `graph`,
/// and again about the same ones while the new graph is built: `id` is that of the node in `graph`.
/// Partial results of f16 and bf16 are f32. Inputs and outputs keep their positions. Nothing if all
/// reductions stay whole. Booleans, argmax, and maxima and minima of integers do.
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

namespace detail {

/// Reshapes x so that `axis` becomes [parts, its extent / parts].
Value divide_axis(Builder& builder, Value x, int axis, Extent parts);

/// `axes` after `divided` became two axes: the second of them stands for it.
AxisList axes_after(const AxisList& axes, std::int64_t divided);

}  // namespace detail

}  // namespace sinter::inline SINTER_ABI::detail::schedule

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/rewrite/rfactor.ipp>
#endif
