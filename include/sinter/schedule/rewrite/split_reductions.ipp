#pragma once

#include <algorithm>  // std::min
#include <limits>     // std::numeric_limits

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/graph/rewrite.hpp>
#include <sinter/schedule/analysis/fusion_analysis.hpp>
#include <sinter/schedule/ir/access.hpp>
#include <sinter/schedule/ir/domain.hpp>
#include <sinter/schedule/rewrite/serial_totals.hpp>
#include <sinter/schedule/rewrite/split_reductions.hpp>
#include <sinter/symbol/extent/interval.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

namespace detail {

// A reduction of fewer elements ends before a second thread has started.
inline constexpr std::int64_t fewest_elements_split = 65536;
inline constexpr std::int64_t splits_of_axis = 64;
// The most elementwise operations that are searched.
inline constexpr std::size_t most_traced_elements = 64;

// Whether `value` is computed elementwise from a batched product.
SINTER_INLINE bool is_of_batched_product(const Graph& graph, Value value) {
  Vector<NodeId> pending{beneath(graph, value)};
  for (std::size_t i = 0; i < pending.size() && i < most_traced_elements; ++i) {
    const Node& node = graph[pending[i]];
    if (node.op == Op::dot_general && !numbers(node, "lhs_batch").empty()) return true;
    if (!is_elementwise(node.op)) continue;
    for (const Value input : node.inputs) {
      if (!is_broadcast(graph, input)) pending.push_back(beneath(graph, input));
    }
  }
  return false;
}

// Whether `node` reduces rows of a batched product, as in attention with few queries: a row-tiled
// kernel computes the rows where it reduces them, and splits of them would have to be in memory.
SINTER_INLINE bool is_row_tiled_reduction(const Graph& graph, const Node& node) {
  const Shape& shape = graph.type(node.inputs[0]).shape;
  return numbers(node, "axes") == AxisList{shape.size() - 1} &&
         numel(node.results[0].shape).number() > 1 && is_of_batched_product(graph, node.inputs[0]);
}

SINTER_INLINE bool is_split(const Graph& graph, const Node& node) {
  const bool reassociates = is_reduction(node.op) && node.op != Op::argmax;
  if (!reassociates || !is_floating(node.results[0].dtype)) return false;
  const Shape& shape = graph.type(node.inputs[0]).shape;
  const Extent results = numel(node.results[0].shape);
  if (!is_static(shape) || numel(shape).number() <= fewest_elements_split) return false;
  return !can_be_shared(results.number(), numel(shape).number());
}

// For a GPU: the thread blocks that keep it busy when they reduce rows, and columns; the columns of
// a thread block; the fewest elements that are worth one; and the splits of an axis of unknown
// length.
inline constexpr std::int64_t blocks_of_rows = 512, blocks_of_columns = 64, columns_of_block = 8;
inline constexpr std::int64_t elements_of_block = 8192, splits_of_unknown = 256;

// The number of splits of `axis` for the reduction `node` on a GPU; 1 if it is not split.
SINTER_INLINE std::int64_t gpu_splits(const Graph& graph, const Node& node, int axis) {
  const bool reassociates = is_reduction(node.op) && node.op != Op::argmax;
  if (!reassociates || !is_floating(node.results[0].dtype)) return 1;
  const Shape& shape = graph.type(node.inputs[0]).shape;
  const std::vector<std::int64_t> axes = numbers(node, "axes");
  const bool rows = contains(axes, static_cast<std::int64_t>(shape.size()) - 1);
  const Extent results = numel(node.results[0].shape), all = numel(shape);
  if (!results.is_number() || shape.size() == max_rank) return 1;
  const std::int64_t count = std::max<std::int64_t>(results.number(), 1);
  const std::int64_t blocks = rows ? count : (count + columns_of_block - 1) / columns_of_block;
  if (!all.is_number() || !shape[axis].is_number()) {  // 0 times a symbol is a number
    const bool may_be_long = bounds(all).max > elements_of_block * blocks_of_columns;
    return blocks == 1 && may_be_long && !shape[axis].is_number() ? splits_of_unknown : 1;
  }
  const std::int64_t most = all.number() / blocks / elements_of_block;
  const std::int64_t length = shape[axis].number();
  const std::int64_t busy = rows ? blocks_of_rows : blocks_of_columns;
  const std::int64_t wanted = std::min({2 * busy / blocks, most, length / 16});
  if (blocks >= busy) return 1;
  if (wanted < 2) return 1;
  for (std::int64_t splits = wanted; 2 * splits > wanted; --splits) {
    if (length % splits == 0) return splits;  // no padding
  }
  return wanted;
}

SINTER_INLINE double identity_of(Op op) {
  const double infinity = std::numeric_limits<double>::infinity();
  if (op == Op::max) return -infinity;
  if (op == Op::min) return infinity;
  return op == Op::prod ? 1 : 0;
}

// The reduced axis with the largest upper bound.
SINTER_INLINE int longest(const Shape& shape, const std::vector<std::int64_t>& axes) {
  int result = static_cast<int>(axes[0]);
  for (const std::int64_t axis : axes) {
    const Extent one = shape[static_cast<int>(axis)], best = shape[result];
    if (bounds(one).max > bounds(best).max) result = static_cast<int>(axis);
  }
  return result;
}

// Reshapes `axis` of x to [splits, extent / splits], padded with the identity of `op`.
SINTER_INLINE Value split_axis(Builder& builder, Value x, int axis, Op op, std::int64_t splits) {
  Shape shape = builder.shape(x), none = shape, missing = shape, split;
  for (int i = 0; i < shape.size(); ++i) none[i] = missing[i] = 0;
  const Extent extent = shape[axis], length = ceil_div(extent, splits);
  if (!same(length * splits, extent)) {
    missing[axis] = length * splits - extent;
    x = builder.pad(x, none, missing, constant(identity_of(op)));
  }
  for (int i = 0; i < shape.size(); ++i) {
    if (i == axis) split.push_back(splits);
    split.push_back(i == axis ? length : shape[i]);
  }
  return builder.reshape(x, split);
}

// The axis to split of `node`, which reduces some axes: the longest of these.
SINTER_INLINE int axis_to_split(const Graph& graph, const Node& node) {
  return longest(graph.type(node.inputs[0]).shape, numbers(node, "axes"));
}

SINTER_INLINE bool reduces_axes(const Node& node) {
  return is_reduction(node.op) && !numbers(node, "axes").empty();
}

// A reduction within `splits` of `axis`, followed by a reduction over the splits.
SINTER_INLINE Vector<Value> split_reduction(Builder& builder, const Node& node, int axis,
                                            std::int64_t splits) {
  const Value split = split_axis(builder, node.inputs[0], axis, node.op, splits);
  AxisList inner;
  std::int64_t kept = axis;  // the axis of the splits in the result of the first reduction
  for (const std::int64_t reduced : numbers(node, "axes")) {
    inner.push_back(reduced < axis ? reduced : reduced + 1);
    kept -= reduced < axis ? 1 : 0;
  }
  return {builder.reduce(node.op, builder.reduce(node.op, split, inner), {kept})};
}

using IsSplit = bool (*)(const Graph& graph, const Node& node);

// `graph` with the reductions that `is_split` names in splits, except scalars that one thread
// computes first.
SINTER_INLINE Optional<Graph> split_where(const Graph& graph, IsSplit is_split) {
  if (none_of(graph.nodes, [&](const Node& node) { return is_split(graph, node); })) return {};
  const SerialTotals totals{graph};
  return rewrite_nodes(graph, [&](Builder& builder, const Node& node, NodeId id) {
    if (totals.is_serial(id) || !reduces_axes(node) || !is_split(builder.graph(), node))
      return Vector<Value>();
    const Shape shape = builder.shape(node.inputs[0]);
    const int axis = axis_to_split(builder.graph(), node);
    const bool is_long = shape.size() < max_rank && shape[axis].number() >= 2 * splits_of_axis;
    return is_long ? split_reduction(builder, node, axis, splits_of_axis) : Vector<Value>();
  });
}

}  // namespace detail

SINTER_INLINE Optional<Graph> split_reductions(const Graph& graph) {
  return detail::split_where(graph, detail::is_split);
}

SINTER_INLINE Optional<Graph> split_untiled_reductions(const Graph& graph) {
  return detail::split_where(graph, [](const Graph& of, const Node& node) {
    return detail::is_split(of, node) && !detail::is_row_tiled_reduction(of, node);
  });
}

SINTER_INLINE Optional<Graph> split_reductions_for_gpu(const Graph& graph) {
  const auto splits_of = [](const Graph& of, const Node& node) {
    if (!detail::reduces_axes(node)) return std::int64_t{1};
    return detail::gpu_splits(of, node, detail::axis_to_split(of, node));
  };
  if (none_of(graph.nodes, [&](const Node& node) { return splits_of(graph, node) > 1; })) return {};
  return rewrite_nodes(graph, [&](Builder& builder, const Node& node, NodeId) {
    const std::int64_t splits = splits_of(builder.graph(), node);
    if (splits == 1) return Vector<Value>();
    const int axis = detail::axis_to_split(builder.graph(), node);
    return detail::split_reduction(builder, node, axis, splits);
  });
}

}  // namespace sinter::inline SINTER_ABI::detail::schedule
