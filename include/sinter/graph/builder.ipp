#pragma once

#include <sinter/base/container/vector.hpp>
#include <sinter/graph/builder.hpp>
#include <sinter/graph/control.hpp>
#include <sinter/graph/infer.hpp>
#include <sinter/graph/region.hpp>

namespace sinter::inline SINTER_ABI::detail {

// Within one graph a node is what its operation, attributes and inputs are; ids stand for inputs.
// Nodes that are compiled with different options stay apart.
SINTER_INLINE Hash identity(const Node& node, Numbering& numbering) {
  SmallVector<Hash, 4> inputs;
  for (Value input : node.inputs) inputs.push_back({input.node, input.result});
  const Hash hash = hash_node(node, {inputs.data(), inputs.size()}, numbering);
  const std::string_view region = region_of(node.path);
  return region.empty() ? hash : Hasher().add(hash).add(region).result();
}

SINTER_INLINE Builder::Builder(Graph& graph, bool shares) : graph_(graph), shares_(shares) {
  if (!shares) return;
  for (NodeId id = 0; id < graph_.nodes.size(); ++id) {
    if (graph_[id].op != Op::input) ids_.emplace(detail::identity(graph_[id], numbering_), id);
  }
}

SINTER_INLINE void Builder::reserve(std::size_t nodes) {
  graph_.nodes.reserve(nodes);
  ids_.reserve(nodes);
}

SINTER_INLINE NodeId Builder::append(Node node) {
  SmallVector<TensorType, 4> types;
  for (Value input : node.inputs) types.push_back(graph_.type(input));
  node.results = infer(node, {types.data(), types.size()});
  return append_typed(std::move(node));
}

SINTER_INLINE NodeId Builder::append_typed(Node&& node) {
  const bool is_shared = shares_ && node.op != Op::input && !has_side_effects(node);
  if (!is_shared) return graph_.append(std::move(node));
  const auto [entry, is_new] =
      ids_.emplace(detail::identity(node, numbering_), static_cast<NodeId>(graph_.nodes.size()));
  return is_new ? graph_.append(std::move(node)) : entry->second;
}

SINTER_INLINE Vector<Value> Builder::inlined(const Graph& body, Span<const Value> operands) {
  Vector<Value> moved(body.nodes.size());  // a result 0 stands for all results of a node
  for (std::size_t i = 0; i < operands.size(); ++i) moved[body.inputs[i]] = operands[i];
  const auto value = [&](Value old) {
    const Value found = moved[old.node];
    return Value(found.node, found.result + old.result);
  };
  for (NodeId id = 0; id < body.nodes.size(); ++id) {
    if (body[id].op == Op::input) continue;
    Node node = body[id];
    for (Value& input : node.inputs) input = value(input);
    moved[id] = append(std::move(node));
  }
  Vector<Value> result;
  for (const Value output : body.outputs) result.push_back(value(output));
  return result;
}

SINTER_INLINE Node Builder::node(Op op, std::initializer_list<Value> inputs,
                                 Vector<Attribute> attributes) {
  return {.op = op,
          .inputs = inputs,
          .attributes = std::move(attributes),
          .where = where_,
          .path = path_,
          .called = called_};
}

SINTER_INLINE Value Builder::input(TensorType type) {
  Node result = node(Op::input, {});
  result.results = {type};
  return append(std::move(result));
}

SINTER_INLINE Value Builder::constant(Constant number, TensorType type) {
  Node result = node(Op::constant, {}, {{"value", sinter::detail::cast(number, type.dtype)}});
  result.results = {type};
  return append(std::move(result));
}

SINTER_INLINE Value Builder::iota(TensorType type, std::int64_t axis) {
  Node result = node(Op::iota, {}, {{"axis", sinter::detail::constant(axis)}});
  result.results = {type};
  return append(std::move(result));
}

SINTER_INLINE Value Builder::cast(Value x, DType dtype) {
  if (this->dtype(x) == dtype) return x;
  Node result = node(Op::cast, {x});
  result.results = {{dtype, shape(x)}};
  return append(std::move(result));
}

SINTER_INLINE Value Builder::elementwise(Op op, std::initializer_list<Value> operands) {
  return append(node(op, operands));
}

SINTER_INLINE Value Builder::reduce(Op op, Value x, AxisList axes) {
  if (axes.empty() && op != Op::argmax) return x;
  return append(node(op, {x}, {{"axes", std::move(axes)}}));
}

SINTER_INLINE Value Builder::cumulate(Op op, Value x, std::int64_t axis) {
  return append(node(op, {x}, {{"axis", sinter::detail::constant(axis)}}));
}

SINTER_INLINE Value Builder::argsort(Value x, std::int64_t axis, bool descending) {
  return append(node(Op::argsort, {x},
                     {{"axis", sinter::detail::constant(axis)},
                      {"descending", sinter::detail::constant(descending)}}));
}

SINTER_INLINE Value Builder::reshape(Value x, Shape shape) {
  if (same(this->shape(x), shape)) return x;
  Node result = node(Op::reshape, {x});
  result.results = {{dtype(x), shape}};
  return append(std::move(result));
}

SINTER_INLINE Value Builder::permute(Value x, AxisList axes) {
  return append(node(Op::permute, {x}, {{"axes", std::move(axes)}}));
}

SINTER_INLINE Value Builder::expand(Value x, Shape shape) {
  if (same(this->shape(x), shape)) return x;
  Node result = node(Op::expand, {x});
  result.results = {{dtype(x), shape}};
  return append(std::move(result));
}

SINTER_INLINE Value Builder::pad(Value x, Shape low, Shape high, Constant value) {
  return append(
      node(Op::pad, {x},
           {{"low", low}, {"high", high}, {"value", sinter::detail::cast(value, dtype(x))}}));
}

SINTER_INLINE Value Builder::slice(Value x, Shape start, AxisList step, Shape shape) {
  Node result = node(Op::slice, {x}, {{"start", start}, {"step", std::move(step)}});
  result.results = {{dtype(x), shape}};
  return append(std::move(result));
}

SINTER_INLINE Value Builder::unfold(Value x, std::int64_t axis, Extent count, std::int64_t size,
                                    std::int64_t step, std::int64_t dilation) {
  Node result = node(Op::unfold, {x},
                     {{"axis", sinter::detail::constant(axis)},
                      {"size", sinter::detail::constant(size)},
                      {"step", sinter::detail::constant(step)},
                      {"dilation", sinter::detail::constant(dilation)}});
  Shape shape = this->shape(x);
  shape[static_cast<int>(axis)] = count;
  shape.push_back(size);
  result.results = {{dtype(x), shape}};
  return append(std::move(result));
}

SINTER_INLINE Value Builder::flip(Value x, AxisList axes) {
  return append(node(Op::flip, {x}, {{"axes", std::move(axes)}}));
}

SINTER_INLINE Value Builder::gather(Value x, Value indices, std::int64_t axis) {
  return append(node(Op::gather, {x, indices}, {{"axis", sinter::detail::constant(axis)}}));
}

SINTER_INLINE Value Builder::scatter_add(Value x, Value indices, Value y, std::int64_t axis) {
  return append(node(Op::scatter_add, {x, indices, y}, {{"axis", sinter::detail::constant(axis)}}));
}

SINTER_INLINE Value Builder::concatenate(Span<const Value> parts, std::int64_t axis) {
  if (parts.size() == 1) return parts[0];
  Node result = node(Op::concatenate, {}, {{"axis", sinter::detail::constant(axis)}});
  for (const Value part : parts) result.inputs.push_back(part);
  return append(std::move(result));
}

SINTER_INLINE Value Builder::dot_general(Value lhs, Value rhs, DotAxes axes) {
  return append(node(Op::dot_general, {lhs, rhs},
                     {{"lhs_batch", std::move(axes.lhs_batch)},
                      {"rhs_batch", std::move(axes.rhs_batch)},
                      {"lhs_contract", std::move(axes.lhs_contract)},
                      {"rhs_contract", std::move(axes.rhs_contract)}}));
}

}  // namespace sinter::inline SINTER_ABI::detail
