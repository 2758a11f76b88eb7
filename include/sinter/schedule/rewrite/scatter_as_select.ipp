#pragma once

#include <algorithm>  // std::any_of, std::equal, std::find_if
#include <iterator>   // std::next
#include <vector>     // std::vector

#include <sinter/graph/rewrite.hpp>
#include <sinter/schedule/analysis/positions.hpp>
#include <sinter/schedule/rewrite/scatter_as_select.hpp>
#include <sinter/symbol/solve/variables.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

namespace detail {

// Rows to each of which one number is added: the axes of `shape` other than `axis` are those of the
// numbers, and `position` has where in the row.
struct Addition {
  Shape shape{};
  int axis = 0;
  Value position{};
};

// The variables of a position: the ranges of what is added, and what a gather gives.
struct PositionParts {
  Index ranges{};  // of the numbers that are added
  std::vector<Extent> variables{};
  Extent taken = 0;
  Value gather{};
  int gathers = 0;
};

SINTER_INLINE Extent parts_of(const Graph& graph, Value indices, PositionParts& parts) {
  const Shape& shape = graph.type(indices).shape;
  parts.ranges = ranges_over(shape);
  for (const Extent range : parts.ranges) {
    if (!range.is_number()) parts.variables.push_back(range);
  }
  const auto taken = [&](NodeId id, const Index& index) {
    const Node& gather = graph[id];
    const auto axis = static_cast<int>(number(gather, "axis"));
    const bool all = same(linear(index, gather.results[0].shape), linear(parts.ranges, shape));
    parts.gathers += all ? 1 : 2;
    parts.taken = Extent::range(max_rank, graph.type(gather.inputs[0]).shape[axis]);
    parts.gather = {id, 0};
    return parts.taken;
  };
  return position_of(graph, indices, parts.ranges, taken);
}

// Whether all that is taken is one position of a list of positions, which is then the number
// itself.
SINTER_INLINE bool takes_position(const Graph& graph, const PositionParts& parts) {
  if (parts.gathers != 1 || parts.taken.is_number()) return false;
  const Position list = element(graph, graph[parts.gather.node].inputs[0], {parts.taken});
  return graph.type(graph[parts.gather.node].inputs[0]).shape.size() == 1 &&
         graph[list.node].op == Op::iota &&
         same(list.index[static_cast<int>(number(graph[list.node], "axis"))], parts.taken);
}

// The rows, whose axis that is taken comes behind `before` axes of several elements: it is an axis
// of the numbers of extent 1, as far as there is one, so that shapes stay as they were.
SINTER_INLINE Addition rows_of(const PositionParts& parts, std::size_t before) {
  Addition result{.position = parts.gather};
  int found = -1, end = parts.ranges.size();
  std::size_t passed = parts.variables.size();
  for (int axis = parts.ranges.size(); axis-- > 0;) {
    const bool one = parts.ranges[axis].is_number();
    if (one && passed == before && found < 0) found = axis;
    passed -= one ? 0 : 1;
    if (passed >= before) end = axis;
  }
  result.axis = found >= 0 ? found : end;
  for (int axis = 0; axis < parts.ranges.size(); ++axis) {
    const bool one = parts.ranges[axis].is_number();
    if (axis == result.axis) result.shape.push_back(parts.taken.range_extent());
    if (axis != found) result.shape.push_back(one ? Extent(1) : parts.ranges[axis].range_extent());
  }
  if (result.axis == parts.ranges.size()) result.shape.push_back(parts.taken.range_extent());
  return result;
}

// Nothing unless each of `elements` has one position: mixed radices, of which one is taken.
SINTER_INLINE std::optional<Addition> addition_of(const Graph& graph, Value indices,
                                                  Extent elements) {
  if (!is_position(graph, indices)) return {};
  PositionParts parts;
  Extent left = parts_of(graph, indices, parts);
  if (!takes_position(graph, parts) || parts.ranges.size() == max_rank) return {};
  std::vector<Extent> open = parts.variables, order;
  open.push_back(parts.taken);
  Extent stride = 1;
  while (!open.empty()) {  // from the last axis on
    const auto fits = [&](Extent variable) {
      const auto step = coefficient_of(left, variable);
      return step && same(*step, stride);
    };
    const auto next = std::find_if(open.rbegin(), open.rend(), fits);
    if (next == open.rend()) return {};
    left = without(left, *next);
    stride *= next->range_extent();
    order.push_back(*next);
    open.erase(std::next(next).base());
  }
  if (!same(left, 0) || !same(stride, elements)) return {};
  const auto taken = std::find_if(order.rbegin(), order.rend(),
                                  [&](Extent variable) { return same(variable, parts.taken); });
  const auto before = static_cast<std::size_t>(taken - order.rbegin());
  order.erase(std::next(taken).base());
  const bool in_order = std::equal(order.rbegin(), order.rend(), parts.variables.begin(),
                                   [](Extent a, Extent b) { return same(a, b); });
  if (!in_order) return {};
  return rows_of(parts, before);
}

SINTER_INLINE std::vector<Value> chosen(Builder& builder, const Node& node) {
  if (node.op != Op::scatter_add || builder.shape(node.inputs[0]).size() != 1) return {};
  const auto found = addition_of(builder.graph(), node.inputs[1], builder.shape(node.inputs[0])[0]);
  if (!found) return {};
  const Shape shape = found->shape;
  Shape one = shape;
  one[found->axis] = 1;
  const auto spread = [&](Value x) { return builder.expand(builder.reshape(x, one), shape); };
  const Value x = builder.reshape(node.inputs[0], shape), y = spread(node.inputs[2]);
  const Value here = builder.iota({i64, shape}, found->axis);
  const Value is_here = builder.elementwise(Op::eq, {here, spread(found->position)});
  const Value chosen = builder.select(is_here, builder.add(x, y), x);
  return {builder.reshape(chosen, node.results[0].shape)};
}

}  // namespace detail

SINTER_INLINE std::optional<Graph> choose_additions(const Graph& graph) {
  const bool any = std::any_of(graph.nodes.begin(), graph.nodes.end(), [&](const Node& node) {
    if (node.op != Op::scatter_add || graph.type(node.inputs[0]).shape.size() != 1) return false;
    const Extent elements = graph.type(node.inputs[0]).shape[0];
    return detail::addition_of(graph, node.inputs[1], elements).has_value();
  });
  if (!any) return {};
  static constexpr Rule rules[]{{"scatter_add(x, one of each row) -> select", detail::chosen}};
  return rewrite(graph, rules);
}

}  // namespace sinter::inline SINTER_ABI::detail::schedule
