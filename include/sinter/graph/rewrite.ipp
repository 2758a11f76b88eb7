#pragma once

#include <utility>  // std::move

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/graph/control.hpp>
#include <sinter/graph/rewrite.hpp>

namespace sinter::inline SINTER_ABI::detail {

// Which nodes an output, or with `effects` a side effect, needs; inputs are always needed, for they
// are the signature.
SINTER_INLINE Vector<bool> needed_nodes(const Graph& graph, bool effects = true) {
  Vector<bool> needed(graph.nodes.size(), false);
  for (Value output : graph.outputs) needed[output.node] = true;
  for (NodeId id : graph.inputs) needed[id] = true;
  for (std::size_t id = graph.nodes.size(); id-- > 0;) {
    needed[id] = needed[id] || (effects && has_side_effects(graph.nodes[id]));
    if (!needed[id]) continue;
    for (Value input : graph.nodes[id].inputs) needed[input.node] = true;
  }
  return needed;
}

using NewValues = SmallVector<Value, 1>;

// What the first rule that applies puts in place of `node`.
SINTER_INLINE Vector<Value> by_rules(Builder& builder, const Node& node, Span<const Rule> rules) {
  for (const Rule& rule : rules) {
    Vector<Value> replacement = rule.apply(builder, node);
    if (replacement.empty()) continue;
    if (rewrite_probe == nullptr) return replacement;
    return rewrite_probe->replaced(builder, rule.name, node, std::move(replacement));
  }
  return {};
}

// Whether no rule applies to a node of `graph`, and all of them are needed: the graph as it is
// would be the result. What rules append is taken back.
SINTER_INLINE bool is_fixed(Graph& graph, Span<const Rule> rules) {
  const Vector<bool> needed = needed_nodes(graph);
  if (contains(needed, false)) return false;
  const std::size_t count = graph.nodes.size();
  Builder builder(graph, false);
  for (NodeId id = 0; id < count; ++id) {
    Node node = std::move(graph.nodes[id]);  // appending moves the others
    builder.at(node);
    const bool applies = !by_rules(builder, node, rules).empty();
    graph.nodes[id] = std::move(node);
    graph.nodes.erase(graph.nodes.begin() + count, graph.nodes.end());
    if (applies) return false;
  }
  return true;
}

// What stands for the results of `node`: `replacement`, else its own.
SINTER_INLINE NewValues replaced(Builder& builder, Node&& node, const Vector<Value>& replacement) {
  if (!replacement.empty()) return {replacement.data(), replacement.data() + replacement.size()};
  const std::size_t count = node.results.size();
  const NodeId id = builder.append_typed(std::move(node));  // rules keep the types of operands
  NewValues results;
  for (std::uint32_t i = 0; i < count; ++i) results.push_back({id, i});
  return results;
}

// rewrite_nodes() without the probe.
SINTER_INLINE Graph rebuilt(Graph graph,
                            FunctionRef<Vector<Value>(Builder&, const Node&, NodeId)> replace) {
  const Vector<bool> needed = detail::needed_nodes(graph);
  Graph result;
  Builder builder(result);
  builder.reserve(graph.nodes.size());
  Vector<detail::NewValues> moved(graph.nodes.size());  // by the old id
  for (NodeId id = 0; id < graph.nodes.size(); ++id) {
    if (!needed[id]) continue;
    Node& node = graph.nodes[id];
    for (Value& input : node.inputs) input = moved[input.node][input.result];
    builder.at(node);
    const Vector<Value> replacement = replace(builder, node, id);
    moved[id] = detail::replaced(builder, std::move(node), replacement);
  }
  result.inputs.clear();
  for (NodeId input : graph.inputs) result.inputs.push_back(moved[input][0].node);
  for (Value output : graph.outputs) result.outputs.push_back(moved[output.node][output.result]);
  return result;
}

SINTER_INLINE Graph
rewrite_nodes(Graph graph, FunctionRef<Vector<Value>(Builder&, const Node&, NodeId)> replace) {
  if (rewrite_probe == nullptr) return rebuilt(std::move(graph), replace);
  return rebuilt(std::move(graph), [&](Builder& builder, const Node& node, NodeId id) {
    Vector<Value> replacement = replace(builder, node, id);
    if (replacement.empty()) return replacement;
    return rewrite_probe->replaced(builder, "", node, std::move(replacement));
  });
}

SINTER_INLINE Graph without_side_effects(Graph graph) {
  if (!any_of(graph.nodes, has_side_effects)) return graph;
  const Vector<bool> needed = detail::needed_nodes(graph, false);
  Vector<NodeId> moved(graph.nodes.size());
  Graph result;
  for (NodeId id = 0; id < graph.nodes.size(); ++id) {
    Node& node = graph.nodes[id];
    if (!needed[id]) continue;
    for (Value& input : node.inputs) input.node = moved[input.node];
    if (has_side_effects(node)) {
      for (Graph& body : node.bodies) body = without_side_effects(std::move(body));
    }
    moved[id] = static_cast<NodeId>(result.nodes.size());
    result.nodes.push_back(std::move(node));
  }
  for (const NodeId input : graph.inputs) result.inputs.push_back(moved[input]);
  for (const Value output : graph.outputs) {
    result.outputs.push_back({moved[output.node], output.result});
  }
  return result;
}

SINTER_INLINE Graph rewrite(Graph graph, Span<const Rule> rules) {
  for (Node& node : graph.nodes) {
    for (Graph& body : node.bodies) body = rewrite(std::move(body), rules);
  }
  const bool is_probed = rewrite_probe != nullptr;  // which would hear of each rule twice
  if (!is_probed && !rules.empty() && detail::is_fixed(graph, rules)) return graph;
  return rebuilt(std::move(graph), [rules](Builder& builder, const Node& node, NodeId) {
    return detail::by_rules(builder, node, rules);
  });
}

}  // namespace sinter::inline SINTER_ABI::detail
