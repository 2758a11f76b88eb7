#pragma once

#include <utility>  // std::move

#include <sinter/graph/graph.hpp>

namespace sinter::inline SINTER_ABI::detail {

SINTER_INLINE const Node& Graph::operator[](NodeId id) const { return nodes[id]; }

SINTER_INLINE const TensorType& Graph::type(Value value) const {
  return nodes[value.node].results[value.result];
}

SINTER_INLINE NodeId Graph::append(Node node) {
  const auto id = static_cast<NodeId>(nodes.size());
  if (node.op == Op::input) inputs.push_back(id);
  nodes.push_back(std::move(node));
  return id;
}

}  // namespace sinter::inline SINTER_ABI::detail
