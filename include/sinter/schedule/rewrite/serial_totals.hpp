#pragma once
// Scalar reductions of inputs with many consumers: one thread computes them first, so that the
// consumers stay in one kernel.

#include <cstdint>  // std::int64_t

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/base/container/worklist.hpp>
#include <sinter/config.hpp>
#include <sinter/graph/graph.hpp>
#include <sinter/schedule/analysis/cost.hpp>
#include <sinter/schedule/ir/target.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule::detail {

/// Finds scalar reductions of inputs with many consumers. If they were split, their chunks would be
/// fused with nodes that do not depend on them, and the consumers would be a second kernel, which
/// loads what the first one stored. If they are cheap compared with the rest, one thread computes
/// them first, and there is one kernel.
struct SerialTotals {
  const Graph& graph;
  const Target& target;

  /// The number of elements that the node computes or reduces; -1 if unknown.
  std::int64_t elements(NodeId id) const {
    const Node& node = graph[id];
    const Value of = is_reduction(node.op) ? node.inputs[0] : Value{id, 0};
    const Extent count = numel(graph.type(of).shape);
    return count.is_number() ? count.number() : -1;
  }

  bool is_counted(NodeId id) const {
    return is_elementwise(graph[id].op) || is_reduction(graph[id].op);
  }

  std::int64_t cost(NodeId id) const {
    return is_counted(id) ? elements(id) * schedule::operations_of(graph[id].op) : 0;
  }

  /// The cost of `total` if it is computed elementwise from inputs; else -1.
  std::int64_t cost_to_compute(NodeId total) const {
    std::int64_t result = 0;
    Worklist<NodeId> pending{total};
    for (std::size_t i = 0; i < pending.size(); ++i) {
      const NodeId id = pending[i];
      const Op op = graph[id].op;
      if (op == Op::input || op == Op::constant || op == Op::iota) continue;
      if (id != total && !is_elementwise(op) && !is_movement(op)) return -1;
      result += cost(id);
      for (const Value input : graph[id].inputs) pending.add(input.node);
    }
    return result;
  }

  /// Whether a node with at least as many elements as `total` reduces depends on it.
  bool has_large_reader(NodeId total) const {
    Vector<char> depends(graph.nodes.size());
    depends[total] = 1;
    for (NodeId id = total + 1; id < graph.nodes.size(); ++id) {
      const Vector<Value> inputs(graph[id].inputs.begin(), graph[id].inputs.end());
      const bool needs = any_of(inputs, [&](Value input) { return depends[input.node] != 0; });
      if (!needs) continue;
      depends[id] = 1;
      if (is_counted(id) && elements(id) >= elements(total)) return true;
    }
    return false;
  }

  /// Whether one thread computes `total` before the other kernels.
  bool is_serial(NodeId total) const {
    const Node& node = graph[total];
    if (!is_reduction(node.op) || !same(numel(node.results[0].shape), 1)) return false;
    if (elements(total) < 0 || elements(total) > target.chunks.most_serial_elements) return false;
    const std::int64_t own_cost = cost_to_compute(total);
    if (own_cost < 0 || !has_large_reader(total)) return false;
    std::int64_t others = 0;
    for (NodeId id = 0; id < graph.nodes.size(); ++id) {
      if (elements(id) >= elements(total)) others += cost(id);
    }
    return own_cost * target.parallel.start_share <= others - own_cost;
  }
};

}  // namespace sinter::inline SINTER_ABI::detail::schedule::detail
