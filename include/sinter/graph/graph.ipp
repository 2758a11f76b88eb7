#pragma once

#include <utility>  // std::move

#include <sinter/graph/graph.hpp>

namespace sinter::inline SINTER_ABI::detail {

SINTER_INLINE NodeId Graph::append(Node&& node) {
  const auto id = static_cast<NodeId>(nodes.size());
  if (node.op == Op::input) inputs.push_back(id);
  nodes.emplace_back(std::move(node));
  return id;
}

SINTER_INLINE CalledFunction called_function(const Node& node) {
  return {node.called == nullptr ? info(node.op).name.data() : node.called, node.where, node.path};
}

SINTER_INLINE bool has_attribute(const Node& node, std::string_view name) {
  for (const Attribute& attribute : node.attributes) {
    if (attribute.name == name) return true;
  }
  return false;
}

SINTER_INLINE bool is_written_cast(const Node& node) {
  return node.op == Op::cast && has_attribute(node, "written");
}

}  // namespace sinter::inline SINTER_ABI::detail
