#pragma once
// Position values: integers made of iota, constants and gathers from lists of positions, with sums
// and products. As extents they can be analyzed like loop variables, unlike loaded integers.

#include <sinter/base/container/function_ref.hpp>
#include <sinter/config.hpp>
#include <sinter/schedule/ir/access.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

/// Returns a variable over the axis of the node `gather`: the position from which element `index`
/// of its result is gathered.
using GatherVariable = FunctionRef<Extent(NodeId gather, const Index& index)>;

namespace detail {

// Longer expressions are not analyzed: that takes time, and they do not address rows of memory.
inline constexpr int most_position_nodes = 64;
// A product of larger factors might overflow an extent.
inline constexpr std::int64_t largest_factor = std::int64_t{1} << 31;

inline bool is_made_of_positions(const Graph& graph, Value value, int& left) {
  const NodeId id = beneath(graph, value);
  const Node& node = graph[id];
  if (node.results[0].dtype != i64 || --left < 0) return false;
  for (NodeId at = value.node; at != id; at = graph[at].inputs[0].node) {
    if (graph[at].op == Op::pad) return false;
  }
  switch (node.op) {
    case Op::iota:
      return true;
    case Op::constant: {
      const std::int64_t number = attribute<Constant>(node, "value").integer();
      return number > -largest_factor && number < largest_factor;
    }
    case Op::gather:
      return is_made_of_positions(graph, node.inputs[0], left);
    case Op::add:
    case Op::sub:
    case Op::mul:
      return is_made_of_positions(graph, node.inputs[0], left) &&
             is_made_of_positions(graph, node.inputs[1], left);
    default:
      return false;
  }
}

inline bool any_gather(const Graph& graph, Value value, FunctionRef<bool(NodeId)> holds,
                       bool held) {
  const NodeId id = beneath(graph, value);
  const Node& node = graph[id];
  if (node.op == Op::iota || node.op == Op::constant) return false;
  held = held || holds(id);
  const bool gathers = node.op == Op::gather;
  return (gathers && held) || any_gather(graph, node.inputs[0], holds, held) ||
         (!gathers && any_gather(graph, node.inputs[1], holds, held));
}

}  // namespace detail

/// The part of an index into the result of a gather that is an index into its indices.
inline Index indices_index(const Graph& graph, const Node& gather, const Index& index) {
  const auto axis = static_cast<int>(number(gather, "axis"));
  Index result;
  for (int i = 0; i < graph.type(gather.inputs[1]).shape.size(); ++i) {
    result.push_back(index[axis + i]);
  }
  return result;
}

/// The index into the input of a gather of the element `index` of its result, gathered from `at`.
inline Index gathered_index(const Graph& graph, const Node& gather, const Index& index, Extent at) {
  const auto axis = static_cast<int>(number(gather, "axis"));
  const int gathered = graph.type(gather.inputs[1]).shape.size();
  Index result;
  for (int i = 0; i < graph.type(gather.inputs[0]).shape.size(); ++i) {
    result.push_back(i == axis ? at : index[i < axis ? i : i + gathered - 1]);
  }
  return result;
}

/// Whether the elements of `value` are positions.
inline bool is_position(const Graph& graph, Value value) {
  int left = detail::most_position_nodes;
  return detail::is_made_of_positions(graph, value, left);
}

/// Whether the position value `value` is made of a gather for which `holds`, or of one in a sum or
/// product for which it does.
inline bool any_gather(const Graph& graph, Value value, FunctionRef<bool(NodeId)> holds) {
  return detail::any_gather(graph, value, holds, false);
}

/// The element `index` of the position value `value`, as an extent.
inline Extent position_of(const Graph& graph, Value value, const Index& index,
                          const GatherVariable& gathered) {
  const Position found = element(graph, value, index);
  const Node& node = graph[found.node];
  if (node.op == Op::iota) return found.index[static_cast<int>(number(node, "axis"))];
  if (node.op == Op::constant) return attribute<Constant>(node, "value").integer();
  if (node.op == Op::gather) {
    const Extent at = gathered(found.node, found.index);
    return position_of(graph, node.inputs[0], gathered_index(graph, node, found.index, at),
                       gathered);
  }
  const auto operand = [&](std::size_t i) {
    const bool scalar = graph.type(node.inputs[i]).shape.empty();
    return position_of(graph, node.inputs[i], scalar ? Index() : found.index, gathered);
  };
  const Extent x = operand(0), y = operand(1);
  return node.op == Op::add ? x + y : node.op == Op::sub ? x - y : x * y;
}

}  // namespace sinter::inline SINTER_ABI::detail::schedule
