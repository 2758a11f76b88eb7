#pragma once

#include <algorithm>  // std::any_of, std::find, std::max, std::min
#include <optional>   // std::optional

#include <sinter/graph/rewrite.hpp>
#include <sinter/schedule/analysis/fusion_analysis.hpp>
#include <sinter/schedule/analysis/row_limits.hpp>
#include <sinter/schedule/ir/access.hpp>
#include <sinter/schedule/rewrite/rematerialize.hpp>
#include <sinter/schedule/rewrite/split_k.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

namespace detail {

// Results that a block of threads makes at once: more of them for each number read are not worth
// leaving most of the GPU idle. Of few rows, it makes those of few columns.
inline constexpr std::int64_t lines_of_block = 64, most_few_lines = 8;
// Blocks that keep an H200 busy: two for each of its 132 processors.
inline constexpr std::int64_t blocks_of_products = 264;
// A second kernel starts and adds the parts in about 3 us. In that time a processor multiplies
// halves of 1024 steps of the depth, and of 256 steps other numbers; it pays from four times on.
inline constexpr std::int64_t least_half_part = 1024, least_part = 256, least_parts = 4;

// The pair of axes that are contracted over the longest.
SINTER_INLINE std::size_t longest_pair(const Shape& shape, const AxisList& axes) {
  std::size_t result = 0;
  for (std::size_t i = 1; i < axes.size(); ++i) {
    const auto extent = [&](std::size_t pair) {
      return shape[static_cast<int>(axes[pair])].number();
    };
    if (extent(i) > extent(result)) result = i;
  }
  return result;
}

// Whether `operand` is made, element by element, with something that is reduced over `axis`, as the
// weights of attention are. A kernel that goes along this axis can make both; parts of it cannot.
SINTER_INLINE bool is_of_totals(const Graph& graph, Value operand, std::int64_t axis) {
  constexpr std::size_t most_steps = 64;
  const int rank = graph.type(operand).shape.size();
  std::vector<NodeId> open{beneath(graph, operand)};
  for (std::size_t i = 0; i < open.size() && i < most_steps; ++i) {
    const Node& node = graph[open[i]];
    if (!is_elementwise(node.op)) continue;
    for (const Value input : node.inputs) {
      const Node& below = graph[beneath(graph, input)];
      if (!is_spread(graph, input)) {
        open.push_back(beneath(graph, input));
      } else if (is_reduction(below.op) && graph.type(below.inputs[0]).shape.size() == rank) {
        const AxisList axes = numbers(below, "axes");
        if (std::find(axes.begin(), axes.end(), axis) != axes.end()) return true;
      }
    }
  }
  return false;
}

SINTER_INLINE std::int64_t blocks_of(std::int64_t rows, std::int64_t columns) {
  const auto parts = [](std::int64_t all, std::int64_t part) { return (all + part - 1) / part; };
  if (rows <= most_few_lines) return parts(columns, most_few_lines);
  return parts(rows, lines_of_block) * parts(columns, lines_of_block);
}

// As many parts as are wanted, or somewhat less, so that all are of one length, which is best a
// multiple of what is read at once; 1 if there are none.
SINTER_INLINE std::int64_t even_parts(std::int64_t length, std::int64_t wanted) {
  std::int64_t result = 1;
  for (std::int64_t parts = wanted; parts >= least_parts && 2 * parts > wanted; --parts) {
    if (length % parts != 0) continue;
    if (length / parts % 16 == 0) return parts;
    if (result == 1) result = parts;
  }
  return result;
}

// The number of elements along some axes, which are known.
SINTER_INLINE std::int64_t along(const Shape& shape, const AxisList& axes) {
  std::int64_t result = 1;
  for (const std::int64_t axis : axes) result *= shape[static_cast<int>(axis)].number();
  return result;
}

// Whether `value` is made, element by element, of a product of short sums for each of some rows, as
// scores of heads are: what reads it can compute it, instead of having it in memory.
SINTER_INLINE bool is_of_short_sums(const Graph& graph, Value value) {
  constexpr std::size_t most_steps = 64;
  std::vector<NodeId> open{beneath(graph, value)};
  for (std::size_t i = 0; i < open.size() && i < most_steps; ++i) {
    const Node& node = graph[open[i]];
    if (node.op == Op::dot_general && !numbers(node, "lhs_batch").empty()) {
      const Shape& shape = graph.type(node.inputs[0]).shape;
      if (is_static(shape) && along(shape, numbers(node, "lhs_contract")) <= most_terms) {
        return true;
      }
    }
    if (!is_elementwise(node.op)) continue;
    for (const Value input : node.inputs) {
      if (!is_spread(graph, input)) open.push_back(beneath(graph, input));
    }
  }
  return false;
}

// The pair of axes that are contracted and had better be done one by one, as those of heads that
// share keys: of an operand that need not be in memory if there are blocks of threads enough to
// compute it, see GroupCost::keeps_busy(). Parts of its rows are of no use: see is_of_totals().
SINTER_INLINE std::optional<std::size_t> pair_of_heads(const Graph& graph, const Node& node) {
  const AxisList& batch = numbers(node, "lhs_batch");
  for (const std::size_t side : {std::size_t{0}, std::size_t{1}}) {
    const AxisList& axes = numbers(node, side == 0 ? "lhs_contract" : "rhs_contract");
    const Shape& shape = graph.type(node.inputs[side]).shape;
    const std::int64_t all = numel(shape).number(), depth = along(shape, axes);
    const std::int64_t heads = along(graph.type(node.inputs[0]).shape, batch);
    const std::int64_t rows = all / depth / heads;
    const std::int64_t blocks = heads * ((rows + rows_of_stream - 1) / rows_of_stream);
    const bool lonely = blocks < busy_streams && depth / step_of_stream > most_lonely_steps;
    if (axes.size() < 2 || heads == 1 || !lonely) continue;
    for (std::size_t pair = 0; pair < axes.size(); ++pair) {
      const std::int64_t parts = shape[static_cast<int>(axes[pair])].number();
      const bool is_head = axes[pair] < shape.size() - 2 && parts > 1;
      const bool is_small = 4 * parts * numel(node.results[0].shape).number() <= all;
      if (is_head && is_small && is_of_short_sums(graph, node.inputs[side])) return pair;
    }
  }
  return {};
}

// Which pair of axes of the depth of a product is in how many parts: of one element each if
// `whole`.
struct Cut {
  std::size_t pair = 0;
  std::int64_t parts = 1;
  bool whole = false;
};

SINTER_INLINE Cut cut_of(const Graph& graph, const Node& node) {
  if (node.op != Op::dot_general) return {};
  const AxisList &left = numbers(node, "lhs_contract"), &right = numbers(node, "rhs_contract");
  const Shape &x = graph.type(node.inputs[0]).shape, &y = graph.type(node.inputs[1]).shape;
  const DType dtype = node.results[0].dtype;
  if (!is_static(x) || !is_static(y) || !is_floating(dtype)) return {};
  const bool fits = std::max({x.size(), y.size(), node.results[0].shape.size()}) < max_rank;
  if (!fits || left.empty() || numel(x).number() == 0 || numel(y).number() == 0) return {};
  if (const auto heads = pair_of_heads(graph, node)) {
    return {*heads, x[static_cast<int>(left[*heads])].number(), true};
  }
  if (!numbers(node, "lhs_batch").empty()) return {};
  const std::int64_t depth = along(x, left);
  const std::int64_t rows = numel(x).number() / depth, columns = numel(y).number() / depth;
  const bool half = dtype == bf16 || dtype == f16;
  const std::int64_t most = depth / (half ? least_half_part : least_part);
  const std::size_t pair = longest_pair(x, left);
  const std::int64_t length = x[static_cast<int>(left[pair])].number();
  const std::int64_t wanted =
      std::min({blocks_of_products / blocks_of(rows, columns), most, length});
  if (wanted < least_parts) return {};
  if (is_of_totals(graph, node.inputs[0], left[pair]) ||
      is_of_totals(graph, node.inputs[1], right[pair])) {
    return {};
  }
  return {pair, even_parts(length, wanted)};
}

SINTER_INLINE AxisList moved_axes(const AxisList& axes, std::int64_t split) {
  AxisList result;
  for (const std::int64_t axis : axes) result.push_back(axis < split ? axis : axis + 1);
  return result;
}

// x with `axis` as [parts, extent / parts], and of 32 bits.
SINTER_INLINE Value parted(Builder& builder, Value x, std::int64_t axis, std::int64_t parts) {
  const DType dtype = builder.dtype(x);
  if (dtype == bf16 || dtype == f16) x = builder.cast(x, f32);
  Shape split;
  const Shape shape = builder.shape(x);
  for (int i = 0; i < shape.size(); ++i) {
    if (i == axis) split.push_back(parts);
    split.push_back(i == axis ? Extent(shape[i].number() / parts) : shape[i]);
  }
  return builder.reshape(x, split);
}

// `axes` with `axis` at the end, or without it.
SINTER_INLINE AxisList with_axis(AxisList axes, std::int64_t axis) {
  axes.push_back(axis);
  return axes;
}
SINTER_INLINE AxisList without_axis(AxisList axes, std::int64_t axis) {
  axes.erase(std::find(axes.begin(), axes.end(), axis));
  return axes;
}

// One product for each element of a pair of axes.
SINTER_INLINE Value one_by_one(Builder& builder, const Node& node, std::size_t pair) {
  const AxisList &left = numbers(node, "lhs_contract"), &right = numbers(node, "rhs_contract");
  return builder.dot_general(node.inputs[0], node.inputs[1],
                             {.lhs_batch = with_axis(numbers(node, "lhs_batch"), left[pair]),
                              .rhs_batch = with_axis(numbers(node, "rhs_batch"), right[pair]),
                              .lhs_contract = without_axis(left, left[pair]),
                              .rhs_contract = without_axis(right, right[pair])});
}

SINTER_INLINE Value part_by_part(Builder& builder, const Node& node, const Cut& cut) {
  const AxisList &left = numbers(node, "lhs_contract"), &right = numbers(node, "rhs_contract");
  const std::int64_t a = left[cut.pair], b = right[cut.pair];
  return builder.dot_general(parted(builder, node.inputs[0], a, cut.parts),
                             parted(builder, node.inputs[1], b, cut.parts),
                             {.lhs_batch = {a},
                              .rhs_batch = {b},
                              .lhs_contract = moved_axes(left, a),
                              .rhs_contract = moved_axes(right, b)});
}

SINTER_INLINE std::vector<Value> split_product(Builder& builder, const Node& node) {
  const Cut cut = cut_of(builder.graph(), node);
  if (cut.parts == 1) return {};
  const DType dtype = node.results[0].dtype;
  Value products =
      cut.whole ? one_by_one(builder, node, cut.pair) : part_by_part(builder, node, cut);
  const bool half = builder.dtype(products) == bf16 || builder.dtype(products) == f16;
  if (half) products = builder.cast(products, f32);
  const auto axis = static_cast<std::int64_t>(numbers(node, "lhs_batch").size());
  const Value sum = builder.reduce(Op::sum, products, {axis});
  return {builder.dtype(sum) == dtype ? sum : builder.cast(sum, dtype)};
}

}  // namespace detail

SINTER_INLINE std::int64_t parts_of_product(const Graph& graph, const Node& node) {
  return detail::cut_of(graph, node).parts;
}

SINTER_INLINE std::optional<Graph> split_products(const Graph& graph) {
  const bool any = std::any_of(graph.nodes.begin(), graph.nodes.end(),
                               [&](const Node& node) { return parts_of_product(graph, node) > 1; });
  if (!any) return {};
  return rewrite_nodes(graph, [](Builder& builder, const Node& node, NodeId) {
    return detail::split_product(builder, node);
  });
}

}  // namespace sinter::inline SINTER_ABI::detail::schedule
