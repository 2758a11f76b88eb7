#pragma once

#include <algorithm>  // std::any_of
#include <vector>     // std::vector

#include <sinter/graph/rewrite.hpp>
#include <sinter/schedule/analysis/positions.hpp>
#include <sinter/schedule/rewrite/scatter_as_add.hpp>
#include <sinter/symbol/extent/proof.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

namespace detail {

// Positions that are known to be inside of the axes that they are taken from.
struct InsidePositions {
  const Graph& graph;
  bool inside = true;

  Extent at(Value indices, const Index& index) {
    inside = inside && is_position(graph, indices);
    if (!inside) return 0;  // the run knows
    const auto taken = [&](NodeId id, const Index& element) {
      const Node& gather = graph[id];
      const Extent bound =
          graph.type(gather.inputs[0]).shape[static_cast<int>(number(gather, "axis"))];
      const Extent found = at(gather.inputs[1], indices_index(graph, gather, element));
      inside = inside && proven_ge0(found) && proven_less(found, bound);
      return found;
    };
    return position_of(graph, indices, index, taken);
  }
};

SINTER_INLINE bool adds_in_order(const Graph& graph, const Node& node) {
  if (node.op != Op::scatter_add || graph.type(node.inputs[0]).shape.size() != 1) return false;
  const Value indices = node.inputs[1];
  const Shape& shape = graph.type(indices).shape;
  if (!same(numel(shape), graph.type(node.inputs[0]).shape[0])) return false;
  const Index ranges = ranges_over(shape);
  InsidePositions positions{graph};
  return same(positions.at(indices, ranges), linear(ranges, shape)) && positions.inside;
}

SINTER_INLINE std::vector<Value> added_in_order(Builder& builder, const Node& node) {
  if (!adds_in_order(builder.graph(), node)) return {};
  return {builder.add(node.inputs[0], builder.reshape(node.inputs[2], node.results[0].shape))};
}

}  // namespace detail

SINTER_INLINE std::optional<Graph> add_in_order(const Graph& graph) {
  const bool any = std::any_of(graph.nodes.begin(), graph.nodes.end(), [&](const Node& node) {
    return detail::adds_in_order(graph, node);
  });
  if (!any) return {};
  static constexpr Rule rules[]{{"scatter_add(x, all in order) -> add", detail::added_in_order}};
  return rewrite(graph, rules);
}

}  // namespace sinter::inline SINTER_ABI::detail::schedule
