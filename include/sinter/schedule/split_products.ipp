#pragma once

#include <algorithm>  // std::any_of, std::find, std::min

#include <sinter/graph/rewrite.hpp>
#include <sinter/schedule/access.hpp>
#include <sinter/schedule/split_products.hpp>
#include <sinter/schedule/survey.hpp>

namespace sinter::inline SINTER_ABI::schedule {

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

SINTER_INLINE std::vector<Value> split_product(Builder& builder, const Node& node) {
  const std::int64_t parts =
      node.op == Op::dot_general ? parts_of_product(builder.graph(), node) : 1;
  if (parts == 1) return {};
  const AxisList &left = numbers(node, "lhs_contract"), &right = numbers(node, "rhs_contract");
  const std::size_t pair = longest_pair(builder.shape(node.inputs[0]), left);
  const Value x = parted(builder, node.inputs[0], left[pair], parts);
  const Value y = parted(builder, node.inputs[1], right[pair], parts);
  const Value products = builder.dot_general(x, y,
                                             {.lhs_batch = {left[pair]},
                                              .rhs_batch = {right[pair]},
                                              .lhs_contract = moved_axes(left, left[pair]),
                                              .rhs_contract = moved_axes(right, right[pair])});
  const Value sum = builder.reduce(Op::sum, products, {0});
  const DType dtype = node.results[0].dtype;
  return {builder.dtype(sum) == dtype ? sum : builder.cast(sum, dtype)};
}

}  // namespace detail

SINTER_INLINE std::int64_t parts_of_product(const Graph& graph, const Node& node) {
  const AxisList &left = numbers(node, "lhs_contract"), &right = numbers(node, "rhs_contract");
  const Shape &x = graph.type(node.inputs[0]).shape, &y = graph.type(node.inputs[1]).shape;
  const DType dtype = node.results[0].dtype;
  if (!is_static(x) || !is_static(y) || !is_floating(dtype)) return 1;
  const bool fits = std::max({x.size(), y.size(), node.results[0].shape.size()}) < max_rank;
  if (!fits || left.empty() || !numbers(node, "lhs_batch").empty()) return 1;
  std::int64_t depth = 1;
  for (const std::int64_t axis : left) depth *= x[static_cast<int>(axis)].number();
  if (numel(x).number() == 0 || numel(y).number() == 0) return 1;
  const std::int64_t rows = numel(x).number() / depth, columns = numel(y).number() / depth;
  const bool half = dtype == bf16 || dtype == f16;
  const std::int64_t most = depth / (half ? detail::least_half_part : detail::least_part);
  const std::size_t pair = detail::longest_pair(x, left);
  const std::int64_t length = x[static_cast<int>(left[pair])].number();
  const std::int64_t wanted =
      std::min({detail::blocks_of_products / detail::blocks_of(rows, columns), most, length});
  if (wanted < detail::least_parts) return 1;
  if (detail::is_of_totals(graph, node.inputs[0], left[pair]) ||
      detail::is_of_totals(graph, node.inputs[1], right[pair])) {
    return 1;
  }
  return detail::even_parts(length, wanted);
}

SINTER_INLINE std::optional<Graph> split_products(const Graph& graph) {
  const bool any = std::any_of(graph.nodes.begin(), graph.nodes.end(), [&](const Node& node) {
    return node.op == Op::dot_general && parts_of_product(graph, node) > 1;
  });
  if (!any) return {};
  return rewrite_nodes(graph, [](Builder& builder, const Node& node, NodeId) {
    return detail::split_product(builder, node);
  });
}

}  // namespace sinter::inline SINTER_ABI::schedule
