#pragma once

#include <type_traits>  // std::is_same_v

#include <sinter/base/container/shared_ptr.hpp>
#include <sinter/graph/control.hpp>
#include <sinter/graph/print.hpp>

namespace sinter::inline SINTER_ABI::detail {

// " %2", or " %2.1" for the second result of %2
SINTER_INLINE std::string print(Value value) {
  return value.result == 0 ? text(" %", value.node) : text(" %", value.node, ".", value.result);
}

// " axes=[0, 1]"
SINTER_INLINE std::string print(const Attribute& attribute) {
  std::string value;
  attribute.value.visit([&]<class T>(const T& any) {
    if constexpr (std::is_same_v<T, SharedPtr<const Callee>>) {
      value = "compiled";
    } else if constexpr (std::is_same_v<T, SharedPtr<const CustomCode>>) {
      value = any->name;
    } else {
      value = text(any);
    }
  });
  return text(" ", attribute.name, "=", value);
}

SINTER_INLINE std::string print(const Graph& graph, const std::string& indent) {
  std::string result;
  for (NodeId id = 0; id < graph.nodes.size(); ++id) {
    const Node& node = graph[id];
    result += text(indent, "%", id, ":");
    for (const TensorType& type : node.results) result += text(" ", type);
    result += text(" = ", info(node.op).name);
    for (Value input : node.inputs) result += print(input);
    for (const Attribute& attribute : node.attributes) result += print(attribute);
    result += "\n";
    for (const Graph& body : node.bodies) result += print(body, indent + "  ");
  }
  result += text(indent, "return");
  for (Value output : graph.outputs) result += print(output);
  return result + "\n";
}

SINTER_INLINE std::string to_string(const TensorType& type) { return text(type.dtype, type.shape); }

SINTER_INLINE std::string to_string(const Graph& graph) { return detail::print(graph, ""); }

SINTER_INLINE std::string attributes_text(const Node& node) {
  std::string result;
  for (const Attribute& attribute : node.attributes) result += print(attribute);
  return result;
}

SINTER_INLINE Origin origin(const Node& node) {
  Origin result{.name = info(node.op).name, .where = node.where};
  if (node.op == Op::custom || node.op == Op::custom_elementwise) {
    result.custom = shared_custom_code(node);
  }
  if (node.op == Op::constant) result.value = attribute<Constant>(node, "value");
  return result;
}

SINTER_INLINE std::string to_string(const Origin& origin) {
  std::string result(origin.custom != nullptr ? origin.custom->name : origin.name);
  if (origin.value) result += text(" ", *origin.value);
  if (origin.where.line() == 0) return result;
  std::string_view file = origin.where.file_name();
  file.remove_prefix(file.find_last_of('/') + 1);
  return text(result, ", ", file, ":", origin.where.line());
}

}  // namespace sinter::inline SINTER_ABI::detail
