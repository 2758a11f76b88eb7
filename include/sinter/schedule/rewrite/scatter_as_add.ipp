#pragma once

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/graph/rewrite.hpp>
#include <sinter/schedule/analysis/positions.hpp>
#include <sinter/schedule/rewrite/scatter_as_add.hpp>
#include <sinter/symbol/extent/proof.hpp>

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

SINTER_INLINE bool adds_every_element(const Graph& graph, const Node& node) {
  if (node.op != Op::scatter_add || graph.type(node.inputs[0]).shape.size() != 1) return false;
  const Value indices = node.inputs[1];
  const Shape& shape = graph.type(indices).shape;
  if (!same(numel(shape), graph.type(node.inputs[0]).shape[0])) return false;
  const Index ranges = ranges_over(shape);
  PositionsInBounds positions{graph};
  return same(positions.at(indices, ranges), linear(ranges, shape)) && positions.inside;
}

SINTER_INLINE Vector<Value> as_add(Builder& builder, const Node& node) {
  if (!adds_every_element(builder.graph(), node)) return {};
  return {builder.add(node.inputs[0], builder.reshape(node.inputs[2], node.results[0].shape))};
}

}  // namespace detail

SINTER_INLINE Optional<Graph> scatter_as_add(const Graph& graph) {
  const bool any = any_of(
      graph.nodes, [&](const Node& node) { return detail::adds_every_element(graph, node); });
  if (!any) return {};
  static constexpr Rule rules[]{{"scatter_add(x, all in order) -> add", detail::as_add}};
  return rewrite(graph, rules);
}

}  // namespace sinter::inline SINTER_ABI::detail::schedule
