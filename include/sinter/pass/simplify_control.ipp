#pragma once

#include <array>    // std::array
#include <utility>  // std::move

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/graph/control.hpp>
#include <sinter/graph/hash.hpp>
#include <sinter/graph/rewrite.hpp>
#include <sinter/pass/match.hpp>
#include <sinter/pass/simplify_control.hpp>

namespace sinter::inline SINTER_ABI::detail::pass {

namespace detail {

SINTER_INLINE Vector<Value> results_of(Builder& builder, Node node) {
  node.results.clear();
  const NodeId id = builder.append(std::move(node));
  Vector<Value> result;
  const auto count = static_cast<std::uint32_t>(builder.graph()[id].results.size());
  for (std::uint32_t i = 0; i < count; ++i) result.push_back({id, i});
  return result;
}

SINTER_INLINE Vector<Value> call_of_body(Builder& builder, const Node& node) {
  if (node.op != Op::call) return {};
  return builder.inlined(node.bodies[0], Vector<Value>(node.inputs.begin(), node.inputs.end()));
}

SINTER_INLINE Vector<Value> known_predicate(Builder& builder, const Node& node) {
  if (node.op != Op::cond) return {};
  const auto predicate = number_of(builder, node.inputs[0]);
  if (!predicate) return {};
  const Vector<Value> operands(node.inputs.begin() + 1, node.inputs.end());
  return builder.inlined(node.bodies[predicate->integer() != 0 ? 0 : 1], operands);
}

// Which input of the bodies input `i` of `node` is.
inline std::size_t body_input(const Node& node, std::size_t i) {
  return node.op == Op::cond ? i - 1 : i;
}

// The first input of `node` that bodies can do without: no predicate, state or carry, and not all
// that is scanned.
SINTER_INLINE std::size_t first_optional(const Node& node) {
  if (node.op == Op::cond) return 1;
  if (node.op == Op::while_loop) return state_count(node);
  const ScanLayout layout = scan_layout(node);
  return layout.carries + (layout.xs == 1 ? 1 : 0);
}

SINTER_INLINE bool uses_input(const Graph& body, std::size_t input) {
  const Value value = body.inputs[input];
  const auto reads = [&](const Node& node) { return contains(node.inputs, value); };
  return any_of(body.nodes, reads) || contains(body.outputs, value);
}

// `node` without input `i`, which no body uses any more.
SINTER_INLINE Node without_input(Node node, std::size_t i) {
  const auto position = static_cast<std::ptrdiff_t>(body_input(node, i));
  for (Graph& body : node.bodies) {
    body.inputs.erase(body.inputs.begin() + position);
    body = rewrite(body, {});
  }
  SmallVector<Value, 3> inputs;
  for (std::size_t k = 0; k < node.inputs.size(); ++k) {
    if (k != i) inputs.push_back(node.inputs[k]);
  }
  const bool is_scanned =
      node.op == Op::scan && i < scan_layout(node).carries + scan_layout(node).xs;
  for (Attribute& attribute : node.attributes) {
    if (is_scanned && attribute.name == "xs") {
      attribute.value = constant(number(node, "xs") - 1);
      break;
    }
  }
  node.inputs = std::move(inputs);
  return node;
}

SINTER_INLINE Vector<Value> unused_input(Builder& builder, const Node& node) {
  if (!is_control(node.op) || node.op == Op::custom) return {};
  for (std::size_t i = first_optional(node); i < node.inputs.size(); ++i) {
    const bool is_used = any_of(
        node.bodies, [&](const Graph& body) { return uses_input(body, body_input(node, i)); });
    if (!is_used) return results_of(builder, without_input(node, i));
  }
  return {};
}

SINTER_INLINE Vector<Value> constant_input(Builder& builder, const Node& node) {
  if (!is_control(node.op) || node.op == Op::custom) return {};
  for (std::size_t i = first_optional(node); i < node.inputs.size(); ++i) {
    const auto known = number_of(builder, node.inputs[i]);
    if (!known) continue;
    Node result = node;
    for (Graph& body : result.bodies) {
      Node& input = body.nodes[body.inputs[body_input(node, i)]];
      input.op = Op::constant;
      input.attributes = {{"value", *known}};
    }
    return results_of(builder, without_input(std::move(result), i));
  }
  return {};
}

inline constexpr std::array control_rules{
    Rule{"call -> its body", call_of_body},
    Rule{"cond of a constant -> its branch", known_predicate},
    Rule{"input that no body uses -> none", unused_input},
    Rule{"constant input -> constant in the bodies", constant_input},
};

// Whether `longer` is `scan` and gives more.
SINTER_INLINE bool extends(const Node& longer, const Node& scan) {
  if (longer.op != Op::scan || longer.inputs.size() != scan.inputs.size()) return false;
  if (longer.results.size() <= scan.results.size()) return false;
  const ScanLayout a = scan_layout(longer), b = scan_layout(scan);
  if (a.carries != b.carries || a.xs != b.xs || a.reverse != b.reverse) return false;
  for (std::size_t i = 0; i < scan.inputs.size(); ++i) {
    if (longer.inputs[i] != scan.inputs[i]) return false;
  }
  Graph shorter = longer.bodies[0];
  shorter.outputs.resize(scan.bodies[0].outputs.size());
  return hash_with_symbols(shorter) == hash_with_symbols(scan.bodies[0]);
}

// Makes scans equal to longer ones, so that they become one node.
SINTER_INLINE Graph merge_scans(Graph graph) {
  Vector<NodeId> scans;
  for (NodeId id = 0; id < graph.nodes.size(); ++id) {
    if (graph[id].op == Op::scan) scans.push_back(id);
  }
  for (const NodeId id : scans) {
    for (const NodeId other : scans) {
      if (!extends(graph[other], graph[id])) continue;
      graph.nodes[id].bodies = graph[other].bodies;
      graph.nodes[id].results = graph[other].results;
    }
  }
  return graph;
}

// Leaves out the results of `node` that are not used; the positions of those that stay.
SINTER_INLINE Vector<std::uint32_t> keep_results(Node& node, const Vector<bool>& used) {
  const std::size_t carries = node.op == Op::scan ? scan_layout(node).carries : 0;
  const bool is_fixed = node.op == Op::while_loop;
  Vector<std::uint32_t> kept;
  for (std::uint32_t i = 0; i < node.results.size(); ++i) {
    if (is_fixed || i < carries || used[i]) kept.push_back(i);
  }
  if (kept.empty()) kept.push_back(0);
  SmallVector<TensorType, 1> results;
  for (const std::uint32_t i : kept) results.push_back(node.results[i]);
  for (Graph& body : node.bodies) {
    if (is_fixed) break;
    Vector<Value> outputs;
    for (const std::uint32_t i : kept) outputs.push_back(body.outputs[i]);
    body.outputs = std::move(outputs);
  }
  node.results = std::move(results);
  return kept;
}

SINTER_INLINE Graph drop_unused_results(Graph graph) {
  Vector<Vector<bool>> used(graph.nodes.size());
  for (NodeId id = 0; id < graph.nodes.size(); ++id) used[id].resize(graph[id].results.size());
  const auto mark = [&](Value value) { used[value.node][value.result] = true; };
  for (const Node& node : graph.nodes) {
    for (const Value input : node.inputs) mark(input);
  }
  for (const Value output : graph.outputs) mark(output);
  Vector<Vector<std::uint32_t>> kept(graph.nodes.size());
  const auto move = [&](Value& value) {
    const auto& list = kept[value.node];
    if (list.empty()) return;
    const auto found = find(list, value.result);
    value.result = static_cast<std::uint32_t>(found - list.begin());
  };
  for (NodeId id = 0; id < graph.nodes.size(); ++id) {
    Node& node = graph.nodes[id];
    for (Value& input : node.inputs) move(input);
    if (!is_control(node.op)) continue;
    // A call is written out below, and its other body is a gradient. Custom nodes give all results.
    if (node.op != Op::call && node.op != Op::custom) kept[id] = keep_results(node, used[id]);
    for (Graph& body : node.bodies) body = drop_unused_results(std::move(body));
  }
  for (Value& output : graph.outputs) move(output);
  return graph;
}

}  // namespace detail

SINTER_INLINE Graph simplify_control(Graph graph) {
  const bool branches = any_of(graph.nodes, [](const Node& node) { return is_control(node.op); });
  if (!branches) return graph;
  Graph merged = rewrite(detail::merge_scans(std::move(graph)), {});
  return rewrite(detail::drop_unused_results(std::move(merged)), detail::control_rules);
}

}  // namespace sinter::inline SINTER_ABI::detail::pass
