#pragma once

#include <sinter/base/text.hpp>
#include <sinter/debug/report/graph_facts.hpp>
#include <sinter/graph/print.hpp>

namespace sinter::inline SINTER_ABI::detail::debug {

namespace detail {

// A long constant is cut: it would be most of the page.
inline constexpr std::size_t most_attribute_bytes = 400;

SINTER_INLINE std::string json_value(Value value) {
  if (value.result == 0) return std::to_string(value.node);
  return text("\"", value.node, ".", value.result, "\"");
}

SINTER_INLINE std::string types_of(const Node& node) {
  std::string result;
  for (const TensorType& type : node.results) result += text(result.empty() ? "" : ", ", type);
  return result;
}

SINTER_INLINE std::string bodies_of(const Node& node) {
  std::string result;
  for (const Graph& body : node.bodies) result += text("body\n", body);
  return result;
}

// The name of each node that is an input.
SINTER_INLINE std::vector<std::string> names_of_inputs(const Graph& graph,
                                                       const std::vector<std::string>& names) {
  std::vector<std::string> result(graph.nodes.size());
  for (std::size_t i = 0; i < graph.inputs.size() && i < names.size(); ++i) {
    result[graph.inputs[i]] = names[i];
  }
  return result;
}

SINTER_INLINE std::string node_json(const Node& node, const std::string& name, StringTable& strings,
                                    const std::string& kernels) {
  std::vector<std::string> operands;
  for (const Value input : node.inputs) operands.push_back(json_value(input));
  std::string attributes = attributes_text(node);
  if (attributes.size() > most_attribute_bytes) {
    attributes = attributes.substr(0, most_attribute_bytes) + " ...";
  }
  return json_values({json_text(info(node.op).name), json_text(types_of(node)),
                      json_values(operands), json_utf8(attributes),
                      std::to_string(strings.index(sinter::to_string(node.where))),
                      std::to_string(strings.index(node.path == nullptr ? "" : *node.path)),
                      json_text(node.called == nullptr ? "" : node.called), kernels,
                      json_text(name), json_text(bodies_of(node))});
}

}  // namespace detail

SINTER_INLINE std::string graph_json(const Graph& graph, const GraphNames& names,
                                     StringTable& strings,
                                     const Vector<Vector<std::int32_t>>* kernels) {
  const auto inputs = detail::names_of_inputs(graph, names.inputs);
  std::vector<std::string> nodes, outputs;
  for (NodeId id = 0; id < graph.nodes.size(); ++id) {
    std::vector<std::int64_t> of;
    if (kernels != nullptr) of.assign((*kernels)[id].begin(), (*kernels)[id].end());
    nodes.push_back(detail::node_json(graph[id], inputs[id], strings, json_numbers(of)));
  }
  for (std::size_t i = 0; i < graph.outputs.size(); ++i) {
    const std::string name = i < names.outputs.size() ? names.outputs[i] : "";
    outputs.push_back(json_values({detail::json_value(graph.outputs[i]), json_text(name)}));
  }
  return JsonObject().add("nodes", json_values(nodes)).add("outputs", json_values(outputs)).str();
}

}  // namespace sinter::inline SINTER_ABI::detail::debug
