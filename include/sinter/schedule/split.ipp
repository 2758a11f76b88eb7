#pragma once

#include <algorithm>  // std::any_of, std::find
#include <limits>     // std::numeric_limits
#include <utility>    // std::move

#include <sinter/graph/rewrite.hpp>
#include <sinter/schedule/access.hpp>
#include <sinter/schedule/domain.hpp>
#include <sinter/schedule/first_totals.ipp>
#include <sinter/schedule/split.hpp>
#include <sinter/schedule/survey.hpp>

namespace sinter::inline SINTER_ABI::schedule {

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

SINTER_INLINE double identity_of(Op op) {
  const double infinity = std::numeric_limits<double>::infinity();
  if (op == Op::max) return -infinity;
  if (op == Op::min) return infinity;
  return op == Op::prod ? 1 : 0;
}

// The longest of the axes that are reduced.
SINTER_INLINE int longest(const Shape& shape, const std::vector<std::int64_t>& axes) {
  int result = static_cast<int>(axes[0]);
  for (const std::int64_t axis : axes) {
    const bool longer = shape[static_cast<int>(axis)].number() > shape[result].number();
    if (longer) result = static_cast<int>(axis);
  }
  return result;
}

// x with `axis` as [parts_of_axis, extent / parts_of_axis], filled up with what changes no result.
SINTER_INLINE Value in_parts(Builder& builder, Value x, int axis, Op op) {
  Shape shape = builder.shape(x), none = shape, missing = shape, split;
  for (int i = 0; i < shape.size(); ++i) none[i] = missing[i] = 0;
  const std::int64_t extent = shape[axis].number();
  const std::int64_t length = (extent + parts_of_axis - 1) / parts_of_axis;
  if (length * parts_of_axis != extent) {
    missing[axis] = length * parts_of_axis - extent;
    x = builder.pad(x, none, missing, constant(identity_of(op)));
  }
  for (int i = 0; i < shape.size(); ++i) {
    if (i == axis) split.push_back(parts_of_axis);
    split.push_back(i == axis ? Extent(length) : shape[i]);
  }
  return builder.reshape(x, split);
}

// A reduction over `axes` as one over all but the parts of the longest, and one over the parts.
SINTER_INLINE std::vector<Value> split_reduction(Builder& builder, const Node& node, bool blocks) {
  if (!is_split(builder.graph(), node, blocks)) return {};
  const std::vector<std::int64_t> axes = numbers(node, "axes");
  const Shape shape = builder.shape(node.inputs[0]);
  const int axis = longest(shape, axes);
  if (shape.size() == max_rank || shape[axis].number() < 2 * parts_of_axis) return {};
  const Value split = in_parts(builder, node.inputs[0], axis, node.op);
  AxisList inner;
  std::int64_t kept = axis;  // the axis of the parts in the result of the first step
  for (const std::int64_t reduced : axes) {
    inner.push_back(reduced < axis ? reduced : reduced + 1);
    kept -= reduced < axis ? 1 : 0;
  }
  return {builder.reduce(node.op, builder.reduce(node.op, split, inner), {kept})};
}

}  // namespace detail

SINTER_INLINE std::optional<Graph> split_reductions(const Graph& graph, bool blocks) {
  const bool any = std::any_of(graph.nodes.begin(), graph.nodes.end(), [&](const Node& node) {
    return detail::is_split(graph, node, blocks);
  });
  if (!any) return {};
  const detail::TotalFinder totals{graph};
  return rewrite_nodes(graph, [&](Builder& builder, const Node& node, NodeId id) {
    return totals.is_first(id) ? std::vector<Value>()
                               : detail::split_reduction(builder, node, blocks);
  });
}

}  // namespace sinter::inline SINTER_ABI::schedule
