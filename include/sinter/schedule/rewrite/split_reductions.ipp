#pragma once

#include <algorithm>  // std::any_of, std::find, std::min
#include <limits>     // std::numeric_limits

#include <sinter/graph/rewrite.hpp>
#include <sinter/schedule/analysis/fusion_analysis.hpp>
#include <sinter/schedule/ir/access.hpp>
#include <sinter/schedule/ir/domain.hpp>
#include <sinter/schedule/rewrite/serial_totals.hpp>
#include <sinter/schedule/rewrite/split_reductions.hpp>
#include <sinter/symbol/extent/interval.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

namespace detail {

// A reduction of fewer elements is done before a second thread has started.
inline constexpr std::int64_t fewest_elements_split = 65536;
inline constexpr std::int64_t parts_of_axis = 64;
// How many operations on elements are looked at.
inline constexpr std::size_t most_traced_elements = 64;

// Whether `value` is made, element by element, of a product whose rows have factors of their own.
SINTER_INLINE bool is_of_own_rows(const Graph& graph, Value value) {
  std::vector<NodeId> open{beneath(graph, value)};
  for (std::size_t i = 0; i < open.size() && i < most_traced_elements; ++i) {
    const Node& node = graph[open[i]];
    if (node.op == Op::dot_general && !numbers(node, "lhs_batch").empty()) return true;
    if (!is_elementwise(node.op)) continue;
    for (const Value input : node.inputs) {
      if (!is_spread(graph, input)) open.push_back(beneath(graph, input));
    }
  }
  return false;
}

// Whether threads share the results of `node`: as attention with few queries does, blocks compute
// rows of scores where they are reduced, and parts of them would be in memory.
SINTER_INLINE bool is_of_blocks(const Graph& graph, const Node& node) {
  const Shape& shape = graph.type(node.inputs[0]).shape;
  return numbers(node, "axes") == AxisList{shape.size() - 1} &&
         numel(node.results[0].shape).number() > 1 && is_of_own_rows(graph, node.inputs[0]);
}

SINTER_INLINE bool is_split(const Graph& graph, const Node& node, bool blocks) {
  const bool combines = is_reduction(node.op) && node.op != Op::argmax;
  if (!combines || !is_floating(node.results[0].dtype)) return false;
  const Shape& shape = graph.type(node.inputs[0]).shape;
  const Extent results = numel(node.results[0].shape);
  if (!is_static(shape) || numel(shape).number() <= fewest_elements_split) return false;
  return !are_shared(results.number(), numel(shape).number()) &&
         !(blocks && is_of_blocks(graph, node));
}

// Of a GPU: blocks of threads that keep it busy, where they have rows and where columns; columns
// that one of them takes, elements that are worth one, and the parts of an axis of any length.
inline constexpr std::int64_t blocks_of_rows = 512, blocks_of_columns = 64, columns_of_block = 8;
inline constexpr std::int64_t elements_of_block = 8192, parts_of_any = 256;

// In how many parts a GPU takes the reduction `node` over `axis`; 1 if it is not split.
SINTER_INLINE std::int64_t parts_on_gpu(const Graph& graph, const Node& node, int axis) {
  const bool combines = is_reduction(node.op) && node.op != Op::argmax;
  if (!combines || !is_floating(node.results[0].dtype)) return 1;
  const Shape& shape = graph.type(node.inputs[0]).shape;
  const std::vector<std::int64_t> axes = numbers(node, "axes");
  const bool rows = std::find(axes.begin(), axes.end(), shape.size() - 1) != axes.end();
  const Extent results = numel(node.results[0].shape), all = numel(shape);
  if (!results.is_number() || shape.size() == max_rank) return 1;
  const std::int64_t count = std::max<std::int64_t>(results.number(), 1);
  const std::int64_t blocks = rows ? count : (count + columns_of_block - 1) / columns_of_block;
  if (!all.is_number() || !shape[axis].is_number()) {  // nothing times something is a number
    const bool may_be_long = bounds(all).max > elements_of_block * blocks_of_columns;
    return blocks == 1 && may_be_long && !shape[axis].is_number() ? parts_of_any : 1;
  }
  const std::int64_t most = all.number() / blocks / elements_of_block;
  const std::int64_t length = shape[axis].number();
  const std::int64_t busy = rows ? blocks_of_rows : blocks_of_columns;
  const std::int64_t wanted = std::min({2 * busy / blocks, most, length / 16});
  if (blocks >= busy) return 1;
  if (wanted < 2) return 1;
  for (std::int64_t parts = wanted; 2 * parts > wanted; --parts) {
    if (length % parts == 0) return parts;  // nothing is filled up
  }
  return wanted;
}

SINTER_INLINE double identity_of(Op op) {
  const double infinity = std::numeric_limits<double>::infinity();
  if (op == Op::max) return -infinity;
  if (op == Op::min) return infinity;
  return op == Op::prod ? 1 : 0;
}

// The longest of the axes that are reduced, as far as that is known.
SINTER_INLINE int longest(const Shape& shape, const std::vector<std::int64_t>& axes) {
  int result = static_cast<int>(axes[0]);
  for (const std::int64_t axis : axes) {
    const Extent one = shape[static_cast<int>(axis)], best = shape[result];
    if (bounds(one).max > bounds(best).max) result = static_cast<int>(axis);
  }
  return result;
}

// x with `axis` as [parts, extent / parts], filled up with what changes no result.
SINTER_INLINE Value in_parts(Builder& builder, Value x, int axis, Op op, std::int64_t parts) {
  Shape shape = builder.shape(x), none = shape, missing = shape, split;
  for (int i = 0; i < shape.size(); ++i) none[i] = missing[i] = 0;
  const Extent extent = shape[axis], length = ceil_div(extent, parts);
  if (!same(length * parts, extent)) {
    missing[axis] = length * parts - extent;
    x = builder.pad(x, none, missing, constant(identity_of(op)));
  }
  for (int i = 0; i < shape.size(); ++i) {
    if (i == axis) split.push_back(parts);
    split.push_back(i == axis ? length : shape[i]);
  }
  return builder.reshape(x, split);
}

// In how many parts `node` is done over `axis`, which is set to the longest that it reduces.
SINTER_INLINE std::int64_t parts_of(const Graph& graph, const Node& node, bool blocks, bool gpu,
                                    int& axis) {
  if (!is_reduction(node.op) || numbers(node, "axes").empty()) return 1;
  const Shape& shape = graph.type(node.inputs[0]).shape;
  axis = longest(shape, numbers(node, "axes"));
  if (gpu) return parts_on_gpu(graph, node, axis);
  const bool split = is_split(graph, node, blocks) && shape.size() < max_rank;
  return split && shape[axis].number() >= 2 * parts_of_axis ? parts_of_axis : 1;
}

// A reduction over `axes` as one over all but the parts of the longest, and one over the parts.
SINTER_INLINE std::vector<Value> split_reduction(Builder& builder, const Node& node, bool blocks,
                                                 bool gpu) {
  int axis = 0;
  const std::int64_t parts = parts_of(builder.graph(), node, blocks, gpu, axis);
  if (parts == 1) return {};
  const Value split = in_parts(builder, node.inputs[0], axis, node.op, parts);
  AxisList inner;
  std::int64_t kept = axis;  // the axis of the parts in the result of the first step
  for (const std::int64_t reduced : numbers(node, "axes")) {
    inner.push_back(reduced < axis ? reduced : reduced + 1);
    kept -= reduced < axis ? 1 : 0;
  }
  return {builder.reduce(node.op, builder.reduce(node.op, split, inner), {kept})};
}

}  // namespace detail

SINTER_INLINE std::optional<Graph> split_reductions(const Graph& graph, bool blocks, bool gpu) {
  const bool any = std::any_of(graph.nodes.begin(), graph.nodes.end(), [&](const Node& node) {
    int axis = 0;
    return gpu ? detail::parts_of(graph, node, blocks, true, axis) > 1
               : detail::is_split(graph, node, blocks);
  });
  if (!any) return {};
  const detail::TotalFinder totals{graph};
  return rewrite_nodes(graph, [&](Builder& builder, const Node& node, NodeId id) {
    return totals.is_first(id) && !gpu ? std::vector<Value>()
                                       : detail::split_reduction(builder, node, blocks, gpu);
  });
}

}  // namespace sinter::inline SINTER_ABI::detail::schedule
