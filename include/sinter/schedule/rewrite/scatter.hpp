#pragma once
// scatter_add as an elementwise operation: an addition where it adds to all elements in order, as
// the gradient of a gather at loop positions does, and a select where it adds to one of each row.

#include <algorithm>  // std::equal, std::find_if
#include <iterator>   // std::next
#include <vector>     // std::vector

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/optional.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/config.hpp>
#include <sinter/graph/graph.hpp>
#include <sinter/graph/rewrite.hpp>
#include <sinter/schedule/analysis/positions.hpp>
#include <sinter/symbol/extent/proof.hpp>
#include <sinter/symbol/solve/variables.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

namespace detail {

// Evaluates positions, and proves that they are within the axes from which they are gathered.
struct PositionsInBounds {
  const Graph& graph;
  bool inside = true;

  Extent at(Value indices, const Index& index) {
    inside = inside && is_position(graph, indices);
    if (!inside) return 0;  // unknown until run time
    const auto gathered = [&](NodeId id, const Index& element) {
      const Node& gather = graph[id];
      const Extent bound =
          graph.type(gather.inputs[0]).shape[static_cast<int>(number(gather, "axis"))];
      const Extent found = at(gather.inputs[1], indices_index(graph, gather, element));
      inside = inside && proven_ge0(found) && proven_less(found, bound);
      return found;
    };
    return position_of(graph, indices, index, gathered);
  }
};

inline bool adds_every_element(const Graph& graph, const Node& node) {
  if (node.op != Op::scatter_add || graph.type(node.inputs[0]).shape.size() != 1) return false;
  const Value indices = node.inputs[1];
  const Shape& shape = graph.type(indices).shape;
  if (!same(numel(shape), graph.type(node.inputs[0]).shape[0])) return false;
  const Index ranges = ranges_over(shape);
  PositionsInBounds positions{graph};
  return same(positions.at(indices, ranges), linear(ranges, shape)) && positions.inside;
}

inline Vector<Value> as_add(Builder& builder, const Node& node) {
  if (!adds_every_element(builder.graph(), node)) return {};
  return {builder.add(node.inputs[0], builder.reshape(node.inputs[2], node.results[0].shape))};
}

// Adds one number to each row: the rows are along `axis` of `shape`, and its other axes are those
// of the added numbers, and `position` has the position within the row.
struct RowAddition {
  Shape shape{};
  int axis = 0;
  Value position{};
};

// The variables of a position: the ranges of the added numbers, and the result of a gather.
struct PositionTerms {
  Index ranges{};  // of the numbers that are added
  std::vector<Extent> variables{};
  Extent gathered = 0;
  Value gather{};
  int gathers = 0;
};

inline Extent terms_of_position(const Graph& graph, Value indices, PositionTerms& terms) {
  const Shape& shape = graph.type(indices).shape;
  terms.ranges = ranges_over(shape);
  for (const Extent range : terms.ranges) {
    if (!range.is_number()) terms.variables.push_back(range);
  }
  const auto gathered = [&](NodeId id, const Index& index) {
    const Node& gather = graph[id];
    const auto axis = static_cast<int>(number(gather, "axis"));
    const bool all = same(linear(index, gather.results[0].shape), linear(terms.ranges, shape));
    terms.gathers += all ? 1 : 2;
    terms.gathered = Extent::range(max_rank, graph.type(gather.inputs[0]).shape[axis]);
    terms.gather = {id, 0};
    return terms.gathered;
  };
  return position_of(graph, indices, terms.ranges, gathered);
}

// Whether the only gather reads a list of all positions, so that its result is its index.
inline bool takes_position(const Graph& graph, const PositionTerms& terms) {
  if (terms.gathers != 1 || terms.gathered.is_number()) return false;
  const Position list = element(graph, graph[terms.gather.node].inputs[0], {terms.gathered});
  return graph.type(graph[terms.gather.node].inputs[0]).shape.size() == 1 &&
         graph[list.node].op == Op::iota &&
         same(list.index[static_cast<int>(number(graph[list.node], "axis"))], terms.gathered);
}

// The row addition whose row axis follows `before` axes with more than one element. If possible it
// takes the place of an axis of extent 1 of the added numbers, so that shapes stay the same.
inline RowAddition rows_of(const PositionTerms& terms, std::size_t before) {
  RowAddition result{.position = terms.gather};
  int found = -1, end = terms.ranges.size();
  std::size_t passed = terms.variables.size();
  for (int axis = terms.ranges.size(); axis-- > 0;) {
    const bool one = terms.ranges[axis].is_number();
    if (one && passed == before && found < 0) found = axis;
    passed -= one ? 0 : 1;
    if (passed >= before) end = axis;
  }
  result.axis = found >= 0 ? found : end;
  for (int axis = 0; axis < terms.ranges.size(); ++axis) {
    const bool one = terms.ranges[axis].is_number();
    if (axis == result.axis) result.shape.push_back(terms.gathered.range_extent());
    if (axis != found) result.shape.push_back(one ? Extent(1) : terms.ranges[axis].range_extent());
  }
  if (result.axis == terms.ranges.size()) result.shape.push_back(terms.gathered.range_extent());
  return result;
}

// Nothing unless the positions are mixed-radix numbers over all of `elements`, in which one digit
// is gathered.
inline Optional<RowAddition> row_addition_of(const Graph& graph, Value indices, Extent elements) {
  if (!is_position(graph, indices)) return {};
  PositionTerms terms;
  Extent left = terms_of_position(graph, indices, terms);
  if (!takes_position(graph, terms) || terms.ranges.size() == max_rank) return {};
  std::vector<Extent> pending = terms.variables, order;
  pending.push_back(terms.gathered);
  Extent stride = 1;
  while (!pending.empty()) {  // starts with the last axis
    const auto fits = [&](Extent variable) { return has_step(left, variable, stride); };
    const auto next = std::find_if(pending.rbegin(), pending.rend(), fits);
    if (next == pending.rend()) return {};
    left = without(left, *next);
    stride *= next->range_extent();
    order.push_back(*next);
    pending.erase(std::next(next).base());
  }
  if (!same(left, 0) || !same(stride, elements)) return {};
  const auto gathered = std::find_if(order.rbegin(), order.rend(), [&](Extent variable) {
    return same(variable, terms.gathered);
  });
  const auto before = static_cast<std::size_t>(gathered - order.rbegin());
  order.erase(std::next(gathered).base());
  const bool in_order = std::equal(order.rbegin(), order.rend(), terms.variables.begin(),
                                   [](Extent a, Extent b) { return same(a, b); });
  if (!in_order) return {};
  return rows_of(terms, before);
}

// The same for `node`, if it adds to a vector.
inline Optional<RowAddition> row_addition_of(const Graph& graph, const Node& node) {
  if (node.op != Op::scatter_add || graph.type(node.inputs[0]).shape.size() != 1) return {};
  return row_addition_of(graph, node.inputs[1], graph.type(node.inputs[0]).shape[0]);
}

inline Vector<Value> as_select(Builder& builder, const Node& node) {
  const auto found = row_addition_of(builder.graph(), node);
  if (!found) return {};
  const Shape shape = found->shape;
  Shape one = shape;
  one[found->axis] = 1;
  const auto spread = [&](Value x) { return builder.expand(builder.reshape(x, one), shape); };
  const Value x = builder.reshape(node.inputs[0], shape), y = spread(node.inputs[2]);
  const Value here = builder.iota({i64, shape}, found->axis);
  const Value is_here = builder.elementwise(Op::eq, {here, spread(found->position)});
  const Value as_select = builder.select(is_here, builder.add(x, y), x);
  return {builder.reshape(as_select, node.results[0].shape)};
}

// `graph` rewritten by `rule`, if that applies to a node.
inline Optional<Graph> rewritten_by(const Graph& graph, const Rule& rule,
                                    FunctionRef<bool(const Node& node)> applies) {
  if (!any_of(graph.nodes, applies)) return {};
  return rewrite(graph, {&rule, 1});
}

}  // namespace detail

/// `graph` with each scatter_add that adds one number to each element of a vector, in order,
/// replaced by an add. Inputs and outputs keep their positions. Nothing if there is no such
/// scatter_add.
inline Optional<Graph> scatter_as_add(const Graph& graph) {
  static constexpr Rule rule{"scatter_add(x, all in order) -> add", detail::as_add};
  return detail::rewritten_by(
      graph, rule, [&](const Node& node) { return detail::adds_every_element(graph, node); });
}

/// `graph` with each scatter_add that adds to one element of each row replaced by a select, whose
/// elements are independent. Inputs and outputs keep their positions. Nothing if there is no such
/// scatter_add.
inline Optional<Graph> scatter_as_select(const Graph& graph) {
  static constexpr Rule rule{"scatter_add(x, one of each row) -> select", detail::as_select};
  return detail::rewritten_by(graph, rule, [&](const Node& node) {
    return detail::row_addition_of(graph, node).has_value();
  });
}

}  // namespace sinter::inline SINTER_ABI::detail::schedule
