#pragma once
// Split-K: deep matrix products with few results are split along the contracted axis to occupy the
// whole GPU; and products over heads that share keys, which have too few thread blocks otherwise.

#include <algorithm>  // std::max, std::min
#include <cstdint>    // std::int64_t

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/optional.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/config.hpp>
#include <sinter/graph/graph.hpp>
#include <sinter/graph/rewrite.hpp>
#include <sinter/schedule/analysis/fusion_analysis.hpp>
#include <sinter/schedule/analysis/row_limits.hpp>
#include <sinter/schedule/ir/access.hpp>
#include <sinter/schedule/ir/target.hpp>
#include <sinter/schedule/rewrite/rematerialize.hpp>
#include <sinter/schedule/rewrite/rfactor.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

namespace detail {

// The position of the longest axis in `axes`.
inline std::size_t longest_pair(const Shape& shape, const AxisList& axes) {
  std::size_t result = 0;
  for (std::size_t i = 1; i < axes.size(); ++i) {
    const auto extent = [&](std::size_t pair) {
      return shape[static_cast<int>(axes[pair])].number();
    };
    if (extent(i) > extent(result)) result = i;
  }
  return result;
}

// Whether `operand` is computed elementwise from a reduction over `axis`, as attention weights are.
// A kernel that iterates over this axis can compute both; splits of the axis cannot.
inline bool depends_on_reduction(const Graph& graph, Value operand, std::int64_t axis) {
  const int rank = graph.type(operand).shape.size();
  const auto is_reduced = [&](Value input) {
    const Node& below = graph[beneath(graph, input)];
    return is_broadcast(graph, input) && is_reduction(below.op) &&
           graph.type(below.inputs[0]).shape.size() == rank &&
           contains(numbers(below, "axes"), axis);
  };
  return any_source(graph, operand, [&](const Node& node) {
    return is_elementwise(node.op) && any_of(node.inputs, is_reduced);
  });
}

inline std::int64_t blocks_of(std::int64_t rows, std::int64_t columns, const SplitKLimits& limits) {
  const auto tiles = [](std::int64_t all, std::int64_t edge) { return (all + edge - 1) / edge; };
  if (rows <= limits.narrow_tile_edge) return tiles(columns, limits.narrow_tile_edge);
  return tiles(rows, limits.tile_edge) * tiles(columns, limits.tile_edge);
}

// The largest number of equal splits, at least `fewest`, between wanted / 2 and `wanted`,
// preferably of a length that is a multiple of 16; 1 if there is none.
inline std::int64_t even_splits(std::int64_t length, std::int64_t wanted, std::int64_t fewest) {
  std::int64_t result = 1;
  for (std::int64_t splits = wanted; splits >= fewest && 2 * splits > wanted; --splits) {
    if (length % splits != 0) continue;
    if (length / splits % 16 == 0) return splits;
    if (result == 1) result = splits;
  }
  return result;
}

// The number of elements along `axes`, whose extents are numbers.
inline std::int64_t along(const Shape& shape, const AxisList& axes) {
  std::int64_t result = 1;
  for (const std::int64_t axis : axes) result *= shape[static_cast<int>(axis)].number();
  return result;
}

// Whether `value` is computed elementwise from a batched product with a short contracted axis, as
// attention scores are, of at most `most_terms`: readers can recompute it instead of keeping it in
// memory.
inline bool is_of_shallow_product(const Graph& graph, Value value, std::int64_t most_terms) {
  return any_source(graph, value, [&](const Node& node) {
    if (node.op != Op::dot_general || numbers(node, "lhs_batch").empty()) return false;
    const Shape& shape = graph.type(node.inputs[0]).shape;
    return is_static(shape) && along(shape, numbers(node, "lhs_contract")) <= most_terms;
  });
}

// The pair of contracted axes that becomes a batch axis, one product per element, as for heads that
// share keys. The operand need not be in memory if there are enough thread blocks to compute it:
// see tile/tiled_group_cost.hpp. Splits of its rows do not help: see depends_on_reduction().
inline Optional<std::size_t> head_axes(const Graph& graph, const Node& node, const Target& target) {
  const AxisList& batch = numbers(node, "lhs_batch");
  for (const std::size_t side : {std::size_t{0}, std::size_t{1}}) {
    const AxisList& axes = numbers(node, side == 0 ? "lhs_contract" : "rhs_contract");
    const Shape& shape = graph.type(node.inputs[side]).shape;
    const std::int64_t all = numel(shape).number(), depth = along(shape, axes);
    const std::int64_t heads = along(graph.type(node.inputs[0]).shape, batch);
    const std::int64_t rows = all / depth / heads;
    const bool underfilled =
        streaming_blocks(heads, rows, target.streaming) < target.streaming.busy_blocks &&
        depth / target.streaming.step > target.streaming.most_steps;
    if (axes.size() < 2 || heads == 1 || !underfilled) continue;
    for (std::size_t pair = 0; pair < axes.size(); ++pair) {
      const std::int64_t splits = shape[static_cast<int>(axes[pair])].number();
      const bool is_head = axes[pair] < shape.size() - 2 && splits > 1;
      const bool is_small = 4 * splits * numel(node.results[0].shape).number() <= all;
      if (is_head && is_small &&
          is_of_shallow_product(graph, node.inputs[side], target.rematerialization.most_terms))
        return pair;
    }
  }
  return {};
}

// How a product is split: the pair of contracted axes, and the number of splits; if `whole`, each
// split is one element of the axis.
struct SplitK {
  std::size_t pair = 0;
  std::int64_t splits = 1;
  bool whole = false;
};

inline SplitK split_k_of(const Graph& graph, const Node& node, const Target& target) {
  if (node.op != Op::dot_general) return {};
  const AxisList &left = numbers(node, "lhs_contract"), &right = numbers(node, "rhs_contract");
  const Shape &x = graph.type(node.inputs[0]).shape, &y = graph.type(node.inputs[1]).shape;
  const DType dtype = node.results[0].dtype;
  if (!is_static(x) || !is_static(y) || !is_floating(dtype)) return {};
  const bool fits = std::max({x.size(), y.size(), node.results[0].shape.size()}) < max_rank;
  if (!fits || left.empty() || numel(x).number() == 0 || numel(y).number() == 0) return {};
  if (const auto heads = head_axes(graph, node, target)) {
    return {*heads, x[static_cast<int>(left[*heads])].number(), true};
  }
  if (!numbers(node, "lhs_batch").empty()) return {};
  const std::int64_t depth = along(x, left);
  const std::int64_t rows = numel(x).number() / depth, columns = numel(y).number() / depth;
  const SplitKLimits& limits = target.split_k;
  const std::int64_t most =
      depth / (is_half(dtype) ? limits.fewest_half_steps : limits.fewest_steps);
  const std::int64_t busy = target.multiprocessors.count * limits.blocks_per_multiprocessor;
  const std::size_t pair = longest_pair(x, left);
  const std::int64_t length = x[static_cast<int>(left[pair])].number();
  const std::int64_t wanted = std::min({busy / blocks_of(rows, columns, limits), most, length});
  if (wanted < limits.fewest_splits) return {};
  if (depends_on_reduction(graph, node.inputs[0], left[pair]) ||
      depends_on_reduction(graph, node.inputs[1], right[pair])) {
    return {};
  }
  return {pair, even_splits(length, wanted, limits.fewest_splits)};
}

// Reshapes `axis` of x to [splits, extent / splits], and casts 16-bit elements to f32.
inline Value split_axis(Builder& builder, Value x, std::int64_t axis, std::int64_t splits) {
  if (is_half(builder.dtype(x))) x = builder.cast(x, f32);
  return divide_axis(builder, x, static_cast<int>(axis), splits);
}

// `axes` with `axis` appended, and without it.
inline AxisList with_axis(AxisList axes, std::int64_t axis) {
  axes.push_back(axis);
  return axes;
}

inline AxisList without_axis(AxisList axes, std::int64_t axis) {
  axes.erase(find(axes, axis));
  return axes;
}

// One product for each element of a pair of contracted axes.
inline Value product_per_head(Builder& builder, const Node& node, std::size_t pair) {
  const AxisList &left = numbers(node, "lhs_contract"), &right = numbers(node, "rhs_contract");
  return builder.dot_general(node.inputs[0], node.inputs[1],
                             {.lhs_batch = with_axis(numbers(node, "lhs_batch"), left[pair]),
                              .rhs_batch = with_axis(numbers(node, "rhs_batch"), right[pair]),
                              .lhs_contract = without_axis(left, left[pair]),
                              .rhs_contract = without_axis(right, right[pair])});
}

inline Value product_per_split(Builder& builder, const Node& node, const SplitK& split) {
  const AxisList &left = numbers(node, "lhs_contract"), &right = numbers(node, "rhs_contract");
  const std::int64_t a = left[split.pair], b = right[split.pair];
  return builder.dot_general(split_axis(builder, node.inputs[0], a, split.splits),
                             split_axis(builder, node.inputs[1], b, split.splits),
                             {.lhs_batch = {a},
                              .rhs_batch = {b},
                              .lhs_contract = axes_after(left, a),
                              .rhs_contract = axes_after(right, b)});
}

inline Vector<Value> split_product(Builder& builder, const Node& node, const Target& target) {
  const SplitK split = split_k_of(builder.graph(), node, target);
  if (split.splits == 1) return {};
  const DType dtype = node.results[0].dtype;
  Value products = split.whole ? product_per_head(builder, node, split.pair)
                               : product_per_split(builder, node, split);
  if (is_half(builder.dtype(products))) products = builder.cast(products, f32);
  const auto axis = static_cast<std::int64_t>(numbers(node, "lhs_batch").size());
  const Value sum = builder.reduce(Op::sum, products, {axis});
  return {builder.dtype(sum) == dtype ? sum : builder.cast(sum, dtype)};
}

}  // namespace detail

/// The number of splits of the contracted axis of the product `node` on a GPU; 1 if it is not
/// split.
inline std::int64_t split_k_factor(const Graph& graph, const Node& node,
                                   const Target& target = {}) {
  return detail::split_k_of(graph, node, target).splits;
}

/// `graph` with each such product as a batch of shorter products and their sum, in a fixed order;
/// the sum is f32 if the product has 16 bits, and takes over the epilogue of the product. Inputs
/// and outputs keep their positions. Nothing if there is no such product.
inline Optional<Graph> split_k(const Graph& graph, const Target& target) {
  const bool any = any_of(
      graph.nodes, [&](const Node& node) { return split_k_factor(graph, node, target) > 1; });
  if (!any) return {};
  return rewrite_nodes(graph, [&](Builder& builder, const Node& node, NodeId) {
    return detail::split_product(builder, node, target);
  });
}

}  // namespace sinter::inline SINTER_ABI::detail::schedule
