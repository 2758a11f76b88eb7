#pragma once

#include <sinter/base/container/optional.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/graph/control.hpp>
#include <sinter/graph/rewrite.hpp>
#include <sinter/trace/core/extract.hpp>
#include <sinter/trace/core/recorder.hpp>

namespace sinter::inline SINTER_ABI::detail {

SINTER_INLINE Extractor::Extractor(Graph& graph, const Recorder* recorder, Detached detached)
    : builder_(graph), recorder_(recorder), walk_(detached) {}

SINTER_INLINE Shape Extractor::resolve(const Shape& shape) const {
  if (recorder_ == nullptr || is_static(shape)) return shape;
  const Shape resolved = recorder_->resolve(shape);
  return sizes_are_fixed_ ? recorder_->with_fixed_sizes(resolved) : resolved;
}

SINTER_INLINE TensorType Extractor::resolve(const TensorType& type) const {
  return {type.dtype, resolve(type.shape)};
}

SINTER_INLINE Value Extractor::add_input(const Tensor& value) {
  Lazy* const lazy = walk_.target(value.lazy().get());
  if (const auto known = values_.find(lazy); known != values_.end()) return known->second;
  const Value result = builder_.input(resolve(lazy->node.results[value.result()]));
  values_.emplace(lazy, result);
  inputs_.push_back(value);
  return result;
}

SINTER_INLINE Value Extractor::add(const Tensor& value) {
  Lazy* const lazy = walk_.target(value.lazy().get());
  const auto skips = [&](const Lazy& reader, Lazy* operand) {
    return (reader.expression != nullptr && is_number(*operand)) || values_.count(operand) != 0;
  };
  if (values_.count(lazy) == 0) {
    walk_.visit(lazy, skips, [&](Lazy& next) { append_any(next); });
  }
  return value_of(*lazy, value.result());
}

SINTER_INLINE Value Extractor::value_of(Lazy& lazy, std::uint32_t result) const {
  const Value value = values_.at(&lazy);
  return result == 0 ? value : Value(value.node, result);
}

// Adds a value whose operands are in the graph already.
SINTER_INLINE void Extractor::append_any(Lazy& lazy) {
  if (walk_.is_leaf(lazy)) {
    add_input(Tensor(reference_to(lazy)));
  } else if (lifted_.count(&lazy) != 0) {
    append_number(lazy);
  } else if (lazy.expression != nullptr) {
    append_expression(lazy);
  } else {
    append(lazy);
  }
}

SINTER_INLINE void Extractor::append_number(Lazy& lazy) {
  const TensorType type = resolve(lazy.node.results[0]);
  builder_.at(lazy.node);
  Value value = builder_.input({type.dtype, {}});
  inputs_.push_back(Tensor(reference_to(lazy)));
  if (type.shape.size() != 0) {
    Shape ones;
    for (int axis = 0; axis < type.shape.size(); ++axis) ones.push_back(1);
    value = builder_.expand(builder_.reshape(value, ones), type.shape);
  }
  values_.emplace(&lazy, value);
}

SINTER_INLINE void Extractor::resolve_sizes(Node& node) const {
  for (TensorType& type : node.results) type = resolve(type);
  for (Attribute& attribute : node.attributes) {
    auto* const shape = attribute.value.get_if<Shape>();
    if (shape != nullptr) *shape = resolve(*shape);
  }
  for (Graph& body : node.bodies) {
    body = map_extents(std::move(body), [&](Extent extent) { return resolve(Shape{extent})[0]; });
  }
}

// True for a number of the program that becomes a constant of the graph.
SINTER_INLINE bool Extractor::is_number(const Lazy& lazy) const {
  return lazy.node.op == Op::constant && lazy.node.results[0].shape.empty() && !lazy.evaluated() &&
         lifted_.count(&lazy) == 0;
}

// Numbers become constants of the dtypes and shapes in which they are used, as when the operations
// are recorded one by one.
SINTER_INLINE void Extractor::append_expression(Lazy& lazy) {
  const Graph& body = lazy.expression->graph;
  Vector<Value> moved(body.nodes.size());
  Vector<Optional<Constant>> numbers(body.nodes.size());
  for (std::size_t i = 0; i < body.inputs.size(); ++i) {
    Lazy& operand = *walk_.target(lazy.operands[i].lazy.get());
    const NodeId input = body.inputs[i];
    if (is_number(operand)) {
      numbers[input] = attribute<Constant>(operand.node, "value");
    } else {
      moved[input] = value_of(operand, lazy.operands[i].result);
    }
  }
  const auto constant = [&](const Node& node, Constant number, const TensorType& type) {
    builder_.at(node.where, lazy.node.path, node.called);
    return builder_.constant(number, resolve(type));
  };
  for (NodeId id = 0; id < body.nodes.size(); ++id) {
    Node node = body[id];
    if (node.op == Op::input) continue;
    const bool repeats = node.op == Op::cast || node.op == Op::reshape || node.op == Op::expand;
    if (repeats && numbers[node.inputs[0].node]) {
      numbers[id] = cast(*numbers[node.inputs[0].node], node.results[0].dtype);
      continue;
    }
    for (Value& input : node.inputs) {
      const auto& number = numbers[input.node];
      input = number ? constant(node, *number, body.type(input)) : moved[input.node];
    }
    node.path = lazy.node.path;
    resolve_sizes(node);
    moved[id] = builder_.append(std::move(node));
  }
  values_.emplace(&lazy, moved[body.outputs[0].node]);
}

SINTER_INLINE void Extractor::append(Lazy& lazy) {
  if (lazy.is_detached) {
    const Value value = values_.at(walk_.operand(lazy, 0));
    values_.emplace(&lazy, builder_.append(detached(value, builder_.type(value))));
    return;
  }
  Node node = lazy.node;
  for (const LazyValue& operand : lazy.operands) {
    node.inputs.push_back(value_of(*walk_.target(operand.lazy.get()), operand.result));
  }
  resolve_sizes(node);
  const bool reshapes = node.op == Op::expand || node.op == Op::reshape;
  if (reshapes && same(builder_.shape(node.inputs[0]), node.results[0].shape)) {
    values_.emplace(&lazy, node.inputs[0]);  // a no-op: the sizes are equal
    return;
  }
  values_.emplace(&lazy, builder_.append(std::move(node)));
}

}  // namespace sinter::inline SINTER_ABI::detail
