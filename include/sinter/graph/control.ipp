#pragma once

#include <algorithm>  // std::copy_if
#include <iterator>   // std::back_inserter

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/graph/callee.hpp>
#include <sinter/graph/control.hpp>
#include <sinter/graph/print.hpp>

namespace sinter::inline SINTER_ABI::detail {

using TypeList = Vector<TensorType>;

SINTER_INLINE TypeList types_of_outputs(const Graph& body) {
  TypeList result;
  for (const Value output : body.outputs) result.push_back(body.type(output));
  return result;
}

SINTER_INLINE std::string input_mistake(const Node& node, std::size_t position,
                                        Span<const TensorType> given) {
  const Graph& body = node.bodies[position];
  if (body.inputs.size() != given.size()) {
    return text("body ", position, " takes ", body.inputs.size(), " inputs and gets ",
                given.size());
  }
  for (std::size_t i = 0; i < given.size(); ++i) {
    const TensorType& type = body.type(body.inputs[i]);
    if (!same(type, given[i])) {
      return text("input ", i, " of body ", position, " is ", type, " and gets ", given[i]);
    }
  }
  return {};
}

SINTER_INLINE std::string output_mistake(const Graph& body, Span<const TensorType> expected) {
  if (body.outputs.size() < expected.size()) return "a body has too few outputs";
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const TensorType& type = body.type(body.outputs[i]);
    if (!same(type, expected[i])) {
      return text("output ", i, " is ", type, " and must be ", expected[i]);
    }
  }
  return {};
}

SINTER_INLINE std::string predicate_mistake(const TensorType& type) {
  return same(type, {boolean, {}}) ? "" : text("the predicate is ", type);
}

SINTER_INLINE bool is_floating_type(const TensorType& type) { return is_floating(type.dtype); }

SINTER_INLINE std::string callee_mistake(const Node& node, Span<const TensorType> types) {
  const Graph& graph = callee_of(node)->graph();
  if (graph.inputs.size() != types.size()) {
    return text("the callee takes ", graph.inputs.size(), " inputs and gets ", types.size());
  }
  for (std::size_t i = 0; i < types.size(); ++i) {
    const TensorType type = type_with(graph.type(graph.inputs[i]), callee_sizes(node));
    if (!same(type, types[i])) {
      return text("input ", i, " of the callee is ", type, " and gets ", types[i]);
    }
  }
  return {};
}

// Body 1 takes the inputs, the results and the gradients of the floating results, and gives those
// of the floating inputs.
SINTER_INLINE std::string gradient_mistake(const Node& node, Span<const TensorType> types,
                                           Span<const TensorType> results) {
  TypeList given(types.begin(), types.end()), gradients;
  given.insert(given.end(), results.begin(), results.end());
  std::copy_if(results.begin(), results.end(), std::back_inserter(given), is_floating_type);
  std::copy_if(types.begin(), types.end(), std::back_inserter(gradients), is_floating_type);
  if (auto mistake = input_mistake(node, 1, given); !mistake.empty()) return mistake;
  return output_mistake(node.bodies[1], gradients);
}

SINTER_INLINE std::string call_mistake(const Node& node, Span<const TensorType> types) {
  if (callee_of(node) != nullptr) return callee_mistake(node, types);
  if (node.bodies.empty() || node.bodies.size() > 2) return "one or two bodies are required";
  if (auto mistake = input_mistake(node, 0, types); !mistake.empty()) return mistake;
  if (node.bodies.size() == 1) return {};
  return gradient_mistake(node, types, types_of_outputs(node.bodies[0]));
}

SINTER_INLINE std::string cond_mistake(const Node& node, Span<const TensorType> types) {
  if (types.empty() || node.bodies.size() != 2) return "a predicate and two bodies are required";
  if (auto mistake = predicate_mistake(types[0]); !mistake.empty()) return mistake;
  for (std::size_t i = 0; i < 2; ++i) {
    if (auto mistake = input_mistake(node, i, types.subspan(1)); !mistake.empty()) return mistake;
  }
  if (node.bodies[0].outputs.size() != node.bodies[1].outputs.size()) {
    return "both bodies must have as many outputs";
  }
  return output_mistake(node.bodies[1], types_of_outputs(node.bodies[0]));
}

SINTER_INLINE std::string while_mistake(const Node& node, Span<const TensorType> types) {
  const std::size_t states = state_count(node);
  if (node.bodies.size() != 2 || states > types.size()) return "two bodies must be there";
  for (std::size_t i = 0; i < 2; ++i) {
    if (auto mistake = input_mistake(node, i, types); !mistake.empty()) return mistake;
  }
  if (node.bodies[0].outputs.size() != 1) return "the first body gives the predicate";
  const TensorType& predicate = node.bodies[0].type(node.bodies[0].outputs[0]);
  if (auto mistake = predicate_mistake(predicate); !mistake.empty()) return mistake;
  if (node.bodies[1].outputs.size() != states) return "the second body gives the state";
  return output_mistake(node.bodies[1], types.subspan(0, states));
}

SINTER_INLINE std::string scan_mistake(const Node& node, Span<const TensorType> types) {
  const ScanLayout layout = scan_layout(node);
  const std::size_t first_same = layout.carries + layout.xs;
  if (node.bodies.size() != 1 || layout.xs == 0 || first_same > types.size()) {
    return "a body and something to scan are required";
  }
  TypeList given(types.begin(), types.end());
  for (std::size_t i = layout.carries; i < first_same; ++i) {
    if (types[i].shape.empty()) return "a scanned input has no axis";
    if (!same(types[i].shape[0], types[layout.carries].shape[0])) return "lengths must be equal";
    given[i] = step_type(types[i]);
  }
  if (auto mistake = input_mistake(node, 0, given); !mistake.empty()) return mistake;
  return output_mistake(node.bodies[0], types.subspan(0, layout.carries));
}

SINTER_INLINE ScanLayout scan_layout(const Node& node) {
  return {static_cast<std::size_t>(number(node, "carries")),
          static_cast<std::size_t>(number(node, "xs")), number(node, "reverse") != 0};
}

SINTER_INLINE Extent scan_length(const Node& node, Span<const TensorType> types) {
  return types[scan_layout(node).carries].shape[0];
}

SINTER_INLINE std::size_t state_count(const Node& node) {
  return static_cast<std::size_t>(number(node, "states"));
}

SINTER_INLINE TensorType step_type(const TensorType& type) {
  TensorType result{type.dtype, {}};
  for (int axis = 1; axis < type.shape.size(); ++axis) result.shape.push_back(type.shape[axis]);
  return result;
}

SINTER_INLINE TensorType stacked_type(const TensorType& type, Extent length) {
  TensorType result{type.dtype, {length}};
  for (const Extent& extent : type.shape) result.shape.push_back(extent);
  return result;
}

SINTER_INLINE const SharedPtr<const CustomCode>& shared_custom_code(const Node& node) {
  return attribute<SharedPtr<const CustomCode>>(node, "code");
}

SINTER_INLINE std::size_t custom_operands(const Node& node) {
  return static_cast<std::size_t>(number(node, "operands"));
}

SINTER_INLINE const Graph* reference_of(const Node& node) {
  const bool is_given = !node.bodies.empty() && !node.bodies[0].outputs.empty();
  return is_given ? &node.bodies[0] : nullptr;
}

SINTER_INLINE bool body_has_side_effects(const Graph& body) {
  return any_of(body.nodes, has_side_effects);
}

// Of a call only body 0 runs: body 1 is its gradient.
SINTER_INLINE bool has_side_effects(const Node& node) {
  if (node.op == Op::custom) return custom_code(node).has_side_effects;
  if (const Callee* const callee = callee_of(node)) return body_has_side_effects(callee->graph());
  if (node.bodies.empty()) return false;
  return node.op == Op::call ? body_has_side_effects(node.bodies[0])
                             : any_of(node.bodies, body_has_side_effects);
}

SINTER_INLINE std::string custom_mistake(const Node& node, Span<const TensorType> types) {
  const Span<const TensorType> results{node.results.data(), node.results.size()};
  if (results.empty()) return "the node must name its results";
  if (custom_operands(node) > types.size()) return "an operand is missing";
  if (const Graph* const reference = reference_of(node)) {
    if (auto mistake = input_mistake(node, 0, types); !mistake.empty()) return mistake;
    if (reference->outputs.size() != results.size()) return "the reference has other results";
    if (auto mistake = output_mistake(*reference, results); !mistake.empty()) return mistake;
  }
  return node.bodies.size() < 2 ? "" : gradient_mistake(node, types, results);
}

SINTER_INLINE std::string control_mistake(const Node& node, Span<const TensorType> types) {
  if (node.op == Op::call) return detail::call_mistake(node, types);
  if (node.op == Op::custom) return custom_mistake(node, types);
  if (node.op == Op::cond) return detail::cond_mistake(node, types);
  return node.op == Op::scan ? detail::scan_mistake(node, types)
                             : detail::while_mistake(node, types);
}

SINTER_INLINE SmallVector<TensorType, 1> control_results(const Node& node,
                                                         Span<const TensorType> types) {
  if (node.op == Op::custom) return node.results;
  SmallVector<TensorType, 1> result;
  if (const Callee* const callee = callee_of(node)) {
    const Graph& graph = callee->graph();
    for (const Value output : graph.outputs) {
      result.push_back(type_with(graph.type(output), callee_sizes(node)));
    }
    return result;
  }
  const Graph& body = node.bodies[node.op == Op::while_loop ? 1 : 0];
  for (std::size_t i = 0; i < body.outputs.size(); ++i) {
    const TensorType& type = body.type(body.outputs[i]);
    const bool is_stacked = node.op == Op::scan && i >= scan_layout(node).carries;
    result.push_back(is_stacked ? stacked_type(type, scan_length(node, types)) : type);
  }
  return result;
}

SINTER_INLINE Node detached(Value x, const TensorType& type) {
  return {.op = Op::cast,
          .inputs = {x},
          .attributes = {{"detached", constant(true)}},
          .results = {type}};
}

SINTER_INLINE bool is_detached(const Node& node) {
  return node.op == Op::cast && has_attribute(node, "detached");
}

}  // namespace sinter::inline SINTER_ABI::detail
