#pragma once
// Pattern matching on the inputs of a node.

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/optional.hpp>
#include <sinter/config.hpp>
#include <sinter/graph/builder.hpp>

namespace sinter::inline SINTER_ABI::detail::pass {

/// The node that makes `value`. Appending to the graph ends the life of the reference.
inline const Node& maker(const Builder& builder, Value value) {
  return builder.graph()[value.node];
}

/// The number that `value` repeats, if it is a constant.
inline Optional<Constant> number_of(const Builder& builder, Value value) {
  const Node& node = maker(builder, value);
  if (node.op != Op::constant) return {};
  return attribute<Constant>(node, "value");
}

/// True if `value` is `number` repeated; 0 is not -0.
template <Number T>
bool is_number(const Builder& builder, Value value, T number) {
  return number_of(builder, value) == constant(number, builder.dtype(value));
}

/// The input of the node that makes `value`, if that is a node of `op`.
inline Optional<Value> input_of(const Builder& builder, Value value, Op op) {
  const Node& node = maker(builder, value);
  if (node.op != op) return {};
  return node.inputs[0];
}

/// True if every extent of `shape` is `number`.
inline bool all_are(const Shape& shape, std::int64_t number) {
  return all_of(shape, [number](Extent extent) { return same(extent, Extent(number)); });
}

}  // namespace sinter::inline SINTER_ABI::detail::pass
