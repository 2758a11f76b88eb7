#pragma once

#include <array>   // std::array
#include <vector>  // std::vector

#include <sinter/base/container/shared_ptr.hpp>
#include <sinter/base/container/small_vector.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/graph/callee.hpp>
#include <sinter/graph/control.hpp>
#include <sinter/graph/hash.hpp>

namespace sinter::inline SINTER_ABI::detail {

SINTER_INLINE void hash(Hasher& hasher, const Shape& shape, Numbering& numbering) {
  hasher.add(static_cast<std::uint64_t>(shape.size()));
  for (const Extent& extent : shape) hash(hasher, extent, numbering);
}

SINTER_INLINE void hash(Hasher& hasher, const Attribute& attribute, Numbering& numbering) {
  hasher.add(attribute.name).add(attribute.value.index());
  if (const auto* constant = attribute.value.get_if<Constant>()) {
    hasher.add(static_cast<std::uint64_t>(constant->dtype)).add(constant->bits);
  } else if (const auto* shape = attribute.value.get_if<Shape>()) {
    hash(hasher, *shape, numbering);
  } else if (const auto* list = attribute.value.get_if<std::vector<std::int64_t>>()) {
    hasher.add(list->size());
    for (const std::int64_t number : *list) hasher.add(static_cast<std::uint64_t>(number));
  } else if (const auto* callee = attribute.value.get_if<SharedPtr<const Callee>>()) {
    hasher.add((*callee)->id());  // in this process only
  } else if (const auto* code = attribute.value.get_if<SharedPtr<const CustomCode>>()) {
    hasher.add((*code)->identity);
  } else {
    hasher.add(attribute.value.get<std::string>());
  }
}

SINTER_INLINE std::uint64_t key_of(Op op) {
  static constexpr auto keys = [] {
    std::array<std::uint64_t, op_count> result{};
    for (std::size_t i = 0; i < op_count; ++i) result[i] = hash_of(op_table[i].name).low;
    return result;
  }();
  return keys[static_cast<std::size_t>(op)];
}

SINTER_INLINE Hash hash_node(const Node& node, Span<const Hash> inputs, Numbering& numbering) {
  Hasher hasher;
  hasher.add(key_of(node.op)).add(inputs.size());
  for (const Hash& input : inputs) hasher.add(input);
  hasher.add(node.attributes.size());
  for (const Attribute& attribute : node.attributes) detail::hash(hasher, attribute, numbering);
  for (const TensorType& type : node.results) {
    hasher.add(static_cast<std::uint64_t>(type.dtype));
    detail::hash(hasher, type.shape, numbering);
  }
  for (const Graph& body : node.bodies) hasher.add(hash_of(body, numbering));
  return hasher.result();
}

SINTER_INLINE Hash hash_of(const Graph& graph) {
  Numbering numbering;
  return hash_of(graph, numbering);
}

SINTER_INLINE Hash hash_with_symbols(const Graph& graph) {
  Numbering numbering = Numbering::of_symbol_ids();
  return hash_of(graph, numbering);
}

SINTER_INLINE Hash hash_of(const Graph& graph, Numbering& numbering) {
  Vector<Hash> hashes(graph.nodes.size());
  for (std::size_t i = 0; i < graph.inputs.size(); ++i) {  // first, so that they number the symbols
    const Node& node = graph[graph.inputs[i]];
    const Hash position = Hasher().add(i).result();
    hashes[graph.inputs[i]] = hash_node(node, {&position, 1}, numbering);
  }
  for (NodeId id = 0; id < graph.nodes.size(); ++id) {
    const Node& node = graph[id];
    if (node.op == Op::input) continue;
    SmallVector<Hash, 4> inputs;
    for (Value input : node.inputs) {
      inputs.push_back(Hasher().add(hashes[input.node]).add(input.result).result());
    }
    hashes[id] = hash_node(node, {inputs.data(), inputs.size()}, numbering);
  }
  Hasher hasher;
  for (NodeId id = 0; id < graph.nodes.size(); ++id) {  // no output may depend on these
    if (has_side_effects(graph[id])) hasher.add(hashes[id]);
  }
  hasher.add(graph.inputs.size());
  for (NodeId id : graph.inputs) hasher.add(hashes[id]);
  for (Value output : graph.outputs) hasher.add(hashes[output.node]).add(output.result);
  if (graph.tf32) hasher.add("tf32");
  return hasher.result();
}

}  // namespace sinter::inline SINTER_ABI::detail
