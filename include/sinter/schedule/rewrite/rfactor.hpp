#pragma once
// rfactor: a reduction in two steps. The first gives a partial result for each part of an axis, the
// second one reduces these. The number of parts depends on sizes only, so that the result does not
// depend on the number of threads.

#include <cstdint>  // std::uint32_t
#include <limits>   // std::numeric_limits
#include <utility>  // std::move

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/function_ref.hpp>
#include <sinter/base/container/hash_map.hpp>
#include <sinter/base/container/optional.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/config.hpp>
#include <sinter/graph/graph.hpp>
#include <sinter/graph/rewrite.hpp>

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

/// A partial reduction that fuses: its result has one element per part along its first axis.
struct PartialReduction {
  Value operand{};
  std::uint32_t axes = 0;  ///< The mask of reduced axes of the operand; includes the first axis.
  Extent chunks = 0;       ///< Or one_chunk_per_point.
};

using PartialReductions = HashMap<NodeId, PartialReduction>;

namespace detail {

// Attributes of a partial reduction: it may fuse, and its operand was padded.
inline constexpr char partial_tag[] = "partial", padded_tag[] = "padded";

// Whether parts can be padded with an identity. Integer maxima and minima are not split, since
// their identity could not be told from data.
inline bool can_be_padded(Op op, DType dtype) {
  return is_floating(dtype) || (op != Op::max && op != Op::min);
}

inline bool is_rfactorable(const Node& node) {
  const DType dtype = node.results[0].dtype;
  return is_reduction(node.op) && node.op != Op::argmax && dtype != boolean &&
         can_be_padded(node.op, dtype);
}

// The identity of `op` for floating-point numbers, and of sums and products for other dtypes.
inline double identity_of_reduction(Op op) {
  const double infinity = std::numeric_limits<double>::infinity();
  if (op == Op::max) return -infinity;
  if (op == Op::min) return infinity;
  return op == Op::prod ? 1 : 0;
}

// x with `missing` more elements along `axis`, which are the identity of `op`.
inline Value pad_axis(Builder& builder, Value x, int axis, Extent missing, Op op) {
  Shape none = builder.shape(x);
  for (int i = 0; i < none.size(); ++i) none[i] = 0;
  Shape high = none;
  high[axis] = missing;
  return builder.pad(x, none, high, constant(identity_of_reduction(op), builder.dtype(x)));
}

/// Reshapes x so that `axis` becomes [parts, its extent / parts].
inline Value divide_axis(Builder& builder, Value x, int axis, Extent parts) {
  const Shape shape = builder.shape(x);
  Shape divided;
  for (int i = 0; i < shape.size(); ++i) {
    if (i == axis) divided.push_back(parts);
    divided.push_back(i == axis ? ceil_div(shape[i], parts) : shape[i]);
  }
  return builder.reshape(x, divided);
}

/// `axes` after `divided` became two axes: the second of them stands for it.
inline AxisList axes_after(const AxisList& axes, std::int64_t divided) {
  AxisList result;
  for (const std::int64_t axis : axes) result.push_back(axis < divided ? axis : axis + 1);
  return result;
}

// The reduction of each part, of x with an axis of parts.
inline Value reduce_parts(Builder& builder, const Node& node, Value x, const Rfactor& how,
                          bool padded) {
  Node partial = node;
  partial.inputs = {x};
  partial.attributes = {{"axes", axes_after(how.axes, how.axis)}};
  if (how.fuses) partial.attributes.push_back({partial_tag, constant(true)});
  if (how.fuses && padded) partial.attributes.push_back({padded_tag, constant(true)});
  return {builder.append(std::move(partial)), 0};
}

inline Vector<Value> rfactored(Builder& builder, const Node& node, const Rfactor& how) {
  if (same(how.parts, 0)) return {};
  const DType dtype = node.results[0].dtype;
  Value x = builder.reshape(builder.cast(node.inputs[0], computed_in(dtype)), how.shape);
  const Extent extent = how.shape[how.axis];
  const Extent missing = ceil_div(extent, how.parts) * how.parts - extent;
  const bool padded = !same(missing, 0);
  if (padded) x = pad_axis(builder, x, how.axis, missing, node.op);
  x = divide_axis(builder, x, how.axis, how.parts);
  const auto before = count_if(how.axes, [&](std::int64_t axis) { return axis < how.axis; });
  const Value total = builder.reduce(node.op, reduce_parts(builder, node, x, how, padded),
                                     {how.axis - static_cast<std::int64_t>(before)});
  return {builder.cast(builder.reshape(total, node.results[0].shape), dtype)};
}

}  // namespace detail

/// `graph` with each reduction rfactored as `choose` says. It is asked about the nodes of `graph`,
/// and again about the same ones while the new graph is built: `id` is that of the node in `graph`.
/// Partial results of f16 and bf16 are f32. Inputs and outputs keep their positions. Nothing if all
/// reductions stay whole. Booleans, argmax, and maxima and minima of integers do.
inline Optional<Graph> rfactor(const Graph& graph,
                               FunctionRef<Rfactor(const Graph&, const Node&, NodeId id)> choose) {
  const auto chosen = [&](const Graph& of, const Node& node, NodeId id) {
    return detail::is_rfactorable(node) ? choose(of, node, id) : Rfactor{};
  };
  bool any = false;
  for (NodeId id = 0; id < graph.nodes.size() && !any; ++id) {
    any = !same(chosen(graph, graph[id], id).parts, 0);
  }
  if (!any) return {};
  return rewrite_nodes(graph, [&](Builder& builder, const Node& node, NodeId id) {
    return detail::rfactored(builder, node, chosen(builder.graph(), node, id));
  });
}

/// The partial reductions of `graph` that rfactor() made with Rfactor::fuses.
inline PartialReductions find_partial_reductions(const Graph& graph) {
  PartialReductions result;
  for (NodeId id = 0; id < graph.nodes.size(); ++id) {
    const Node& node = graph[id];
    if (!has_attribute(node, detail::partial_tag)) continue;
    const Node& divided = graph[node.inputs[0].node];
    const Value operand = divided.inputs[0];
    const bool padded = has_attribute(node, detail::padded_tag);
    PartialReduction partial{padded ? graph[operand.node].inputs[0] : operand, 0,
                             divided.results[0].shape[0]};
    for (const std::int64_t axis : numbers(node, "axes")) partial.axes |= 1u << (axis - 1);
    result.emplace(id, partial);
  }
  return result;
}

}  // namespace sinter::inline SINTER_ABI::detail::schedule
