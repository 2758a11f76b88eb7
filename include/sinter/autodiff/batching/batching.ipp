#pragma once

#include <utility>  // std::move

#include <sinter/autodiff/batching/batching.hpp>
#include <sinter/graph/print.hpp>

namespace sinter::inline SINTER_ABI::detail::autodiff {

SINTER_INLINE Vector<bool> Batching::batched_inputs() const {
  Vector<bool> result;
  for (const Batched& input : inputs) result.push_back(input.is_batched);
  return result;
}

SINTER_INLINE Shape Batching::with_count(const Shape& shape) const {
  if (shape.size() == max_rank) {
    throw ShapeError(
        {.op = "vmap",
         .what = "a batch of these tensors has too many dimensions",
         .facts = {{"one sample", text(shape)}},
         .rule = text("tensors have at most ", max_rank, " dimensions, that of the batch included"),
         .fix = "merge dimensions that belong together: reshape or flatten",
         .where = node.where});
  }
  Shape result{count};
  for (const Extent& extent : shape) result.push_back(extent);
  return result;
}

SINTER_INLINE Value Batching::repeated(Batched x) const {
  if (x.is_batched) return x.value;
  const Shape one = builder.shape(x.value), all = with_count(one);
  const Node& from = builder.graph()[x.value.node];
  if (from.op == Op::constant) {
    return builder.constant(attribute<Constant>(from, "value"), {from.results[0].dtype, all});
  }
  if (from.op == Op::iota) {
    return builder.iota({from.results[0].dtype, all}, number(from, "axis") + 1);
  }
  Shape apart = all;
  apart[0] = 1;
  return builder.expand(builder.reshape(x.value, apart), all);
}

SINTER_INLINE Value Batching::spread(Value condition, const Shape& shape) const {
  Shape apart{count};
  for (int axis = 0; axis < shape.size(); ++axis) apart.push_back(1);
  return builder.expand(builder.reshape(condition, apart), with_count(shape));
}

SINTER_INLINE Value Batching::where_active(Value x, std::int64_t otherwise) const {
  if (!active) return x;
  Shape one;
  for (int axis = 1; axis < builder.shape(x).size(); ++axis) {
    one.push_back(builder.shape(x)[axis]);
  }
  return builder.select(spread(*active, one), x, builder.constant_like(x, otherwise));
}

SINTER_INLINE Node Batching::bare_node() const {
  return {.op = node.op,
          .attributes = node.attributes,
          .where = node.where,
          .path = node.path,
          .called = node.called};
}

SINTER_INLINE bool is_shared_draw(const Node& node) {
  return node.op == Op::random_bits && has_attribute(node, "shared");
}

SINTER_INLINE Node with_shared_draws(Node node, std::int64_t batches) {
  for (Graph& body : node.bodies) body = with_shared_draws(std::move(body), batches);
  if (node.op != Op::random_bits) return node;
  const std::int64_t all = batches + (is_shared_draw(node) ? number(node, "shared") : 0);
  erase_if(node.attributes, [](const Attribute& one) { return one.name == "shared"; });
  if (all > 0) node.attributes.push_back({"shared", constant(all)});
  return node;
}

SINTER_INLINE Graph with_shared_draws(Graph graph, std::int64_t batches) {
  for (Node& node : graph.nodes) node = with_shared_draws(std::move(node), batches);
  return graph;
}

SINTER_INLINE AxisList behind_count(const AxisList& axes) {
  AxisList result;
  for (const std::int64_t axis : axes) result.push_back(axis + 1);
  return result;
}

SINTER_INLINE AxisList axes_from(std::int64_t first, std::int64_t count) {
  AxisList result;
  for (std::int64_t i = 0; i < count; ++i) result.push_back(first + i);
  return result;
}

SINTER_INLINE Value move_axis(Builder& builder, Value x, std::int64_t from, std::int64_t to) {
  if (from == to) return x;
  AxisList axes = axes_from(0, builder.shape(x).size());
  axes.erase(axes.begin() + from);
  axes.insert(axes.begin() + to, from);
  return builder.permute(x, axes);
}

// A symbolic size becomes a number of the program as the last of a row of positions.
SINTER_INLINE Value size_of(Builder& builder, Extent size) {
  if (size.is_number()) return builder.constant(constant(size.number()), {i64, {}});
  const Value positions = builder.iota({i64, {size + 1}}, 0);
  return builder.reshape(builder.slice(positions, {size}, {1}, {1}), {});
}

SINTER_INLINE Value fill(Builder& builder, Value x, const Shape& shape) {
  Shape ones;
  for (int axis = 0; axis < shape.size(); ++axis) ones.push_back(1);
  return builder.expand(builder.reshape(x, ones), shape);
}

}  // namespace sinter::inline SINTER_ABI::detail::autodiff
