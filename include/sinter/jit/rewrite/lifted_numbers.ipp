#pragma once

#include <cstring>  // std::memcpy

#include <sinter/base/container/vector.hpp>
#include <sinter/graph/rewrite.hpp>
#include <sinter/jit/rewrite/lifted_numbers.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

SINTER_INLINE std::uint64_t element_of(const Constant& number) {
  std::uint64_t result = 0;
  visit_dtype(number.dtype, [&]<class T>(T) {
    const T element = is_floating(number.dtype) ? convert_element<T>(number.floating())
                                                : convert_element<T>(number.integer());
    std::memcpy(&result, &element, sizeof(element));
  });
  return result;
}

namespace detail {

class NumberLifter {
 public:
  explicit NumberLifter(LiftedNumbers& result) : result_(result) {}

  void add(const GraphNumber& number) { numbers_.push_back(number); }

  const Vector<NodeId>& lifted() const { return lifted_; }

  // Empty if `node` has none of the numbers, which are sorted by node.
  Vector<Value> replace(Builder& builder, const Node& node, NodeId id) {
    while (next_ < numbers_.size() && numbers_[next_].node < id) ++next_;
    if (next_ == numbers_.size() || numbers_[next_].node != id) return {};
    if (node.op == Op::constant) return {input(builder, node)};
    Node moved = node;
    for (std::size_t i = next_; i < numbers_.size() && numbers_[i].node == id; ++i) {
      move_start(builder, moved, numbers_[i].axis);
    }
    return {builder.append(std::move(moved))};
  }

 private:
  Value input(Builder& builder, const Node& node) {
    const TensorType& type = node.results[0];
    result_.inputs.push_back(element_of(attribute<Constant>(node, "value")));
    const Value number = builder.input({type.dtype, {}});
    lifted_.push_back(number.node);
    if (type.shape.size() == 0) return number;
    Shape ones;
    for (int i = 0; i < type.shape.size(); ++i) ones.push_back(1);
    return builder.expand(builder.reshape(number, ones), type.shape);
  }

  // Replaces a start by a symbol whose range keeps the slice within its input.
  void move_start(Builder& builder, Node& node, int axis) {
    const std::int64_t extent = builder.shape(node.inputs[0])[axis].number();
    const std::int64_t steps = node.results[0].shape[axis].number() - 1;
    const std::int64_t step = numbers(node, "step")[static_cast<std::size_t>(axis)];
    const auto id = static_cast<std::uint32_t>(result_.symbols.size());
    for (Attribute& attribute : node.attributes) {
      if (attribute.name != "start") continue;
      Extent& start = attribute.value.get<Shape>()[axis];
      result_.symbols.push_back(start.number());
      start = Extent::symbol(id, {.max = extent - 1 - steps * step});
    }
  }

  LiftedNumbers& result_;
  Vector<GraphNumber> numbers_{};
  Vector<NodeId> lifted_{};
  std::size_t next_ = 0;
};

}  // namespace detail

SINTER_INLINE Vector<GraphNumber> numbers_of(const Graph& graph) {
  Vector<GraphNumber> result;
  for (NodeId id = 0; id < graph.nodes.size(); ++id) {
    const Node& node = graph[id];
    if (node.op == Op::constant) {
      result.push_back({id, GraphNumber::constant, attribute<Constant>(node, "value").bits});
    }
    if (node.op != Op::slice) continue;
    const Shape& start = attribute<Shape>(node, "start");
    for (int axis = 0; axis < start.size(); ++axis) {
      const Extent extent = node.results[0].shape[axis];
      const bool is_empty = extent.is_number() && extent.number() == 0;
      if (!start[axis].is_number() || is_empty) continue;
      result.push_back({id, axis, static_cast<std::uint64_t>(start[axis].number())});
    }
  }
  return result;
}

SINTER_INLINE LiftedNumbers lift(const Graph& graph, Span<const GraphNumber> numbers,
                                 const Vector<bool>& are_inputs) {
  LiftedNumbers result;
  detail::NumberLifter lifter(result);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (are_inputs[i]) lifter.add(numbers[i]);
  }
  result.graph = rewrite_nodes(graph, [&](Builder& builder, const Node& node, NodeId id) {
    return lifter.replace(builder, node, id);
  });
  const Vector<NodeId>& lifted = lifter.lifted();
  result.graph.inputs.insert(result.graph.inputs.end(), lifted.begin(), lifted.end());
  return result;
}

}  // namespace sinter::inline SINTER_ABI::detail::jit
