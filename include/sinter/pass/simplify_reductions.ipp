#pragma once

#include <array>    // std::array
#include <utility>  // std::move

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/graph/rewrite.hpp>
#include <sinter/pass/match.hpp>
#include <sinter/pass/simplify_reductions.hpp>

namespace sinter::inline SINTER_ABI::detail::pass {

namespace detail {

// True if the order in which elements are reduced cannot be told from the result.
SINTER_INLINE bool any_order(const Node& node, DType dtype) {
  return node.op == Op::max || node.op == Op::min || !is_floating(dtype);
}

// Drops those of the axes of the reduction along which `drops` holds, by a reshape, or leaves them.
template <bool strict>
Vector<Value> reduce_one(Builder& builder, const Node& node) {
  if (!is_reduction(node.op) || node.op == Op::argmax) return {};
  const Value x = node.inputs[0];
  Shape kept;
  AxisList axes;
  for (int axis = 0; axis < builder.shape(x).size(); ++axis) {
    const Extent extent = builder.shape(x)[axis];
    const bool reduced = contains(numbers(node, "axes"), axis);
    if (reduced && same(extent, Extent(1))) continue;
    if (reduced) axes.push_back(kept.size());
    kept.push_back(extent);
  }
  if (axes.size() == numbers(node, "axes").size()) return {};
  const bool zero_sign = node.op == Op::sum && is_floating(builder.dtype(x));
  if (strict && axes.empty() && zero_sign) return {};
  return {builder.reduce(node.op, builder.reshape(x, kept), axes)};
}

// There is nothing to read, and perhaps no memory that it could be read from.
SINTER_INLINE Vector<Value> reduce_none(Builder& builder, const Node& node) {
  if (node.op != Op::sum && node.op != Op::prod) return {};
  const Shape shape = builder.shape(node.inputs[0]);
  for (const std::int64_t axis : numbers(node, "axes")) {
    if (!same(shape[static_cast<int>(axis)], Extent(0))) continue;
    const TensorType& type = node.results[0];
    return {builder.constant(constant(node.op == Op::sum ? 0 : 1, type.dtype), type)};
  }
  return {};
}

template <bool strict>
Vector<Value> merge_reductions(Builder& builder, const Node& node) {
  if (!is_reduction(node.op) || node.op == Op::argmax) return {};
  const auto x = input_of(builder, node.inputs[0], node.op);
  if (!x || (strict && !any_order(node, builder.dtype(*x)))) return {};
  const AxisList first = numbers(maker(builder, node.inputs[0]), "axes");
  const AxisList& second = numbers(node, "axes");
  AxisList both;
  std::int64_t position = 0;  // of the axis among those that the first reduction keeps
  for (std::int64_t axis = 0; axis < builder.shape(*x).size(); ++axis) {
    const bool in_first = contains(first, axis);
    if (in_first || contains(second, position)) both.push_back(axis);
    position += in_first ? 0 : 1;
  }
  return {builder.reduce(node.op, *x, both)};
}

// sum(expand(x)) along the axes that were repeated a known number of times is x times that number.
template <bool strict>
Vector<Value> sum_of_expand(Builder& builder, const Node& node) {
  const auto x = node.op == Op::sum ? input_of(builder, node.inputs[0], Op::expand) : std::nullopt;
  if (!x || (strict && is_floating(builder.dtype(*x)))) return {};
  const Shape from = builder.shape(*x), to = builder.shape(node.inputs[0]);
  Shape shape;  // not repeated along the axes that the product accounts for
  Extent times = 1;
  for (int axis = 0; axis < to.size(); ++axis) {
    const bool repeated = !same(from[axis], to[axis]) && to[axis].is_number();
    const bool counted = repeated && contains(numbers(node, "axes"), axis);
    if (counted) times *= to[axis];
    shape.push_back(counted ? from[axis] : to[axis]);
  }
  const double count = static_cast<double>(times.number());
  const DType dtype = builder.dtype(*x);
  const bool exact = !is_floating(dtype) || constant(count, dtype).floating() == count;
  if (same(times, Extent(1)) || !exact) return {};
  const Value sum = builder.reduce(Op::sum, builder.expand(*x, shape), numbers(node, "axes"));
  return {builder.mul(sum, builder.constant_like(sum, times.number()))};
}

// Sums in memory are rounded to its dtype at each addition; strict, as eager, rounds once, from
// f64.
template <bool strict>
Vector<Value> add_wide(Builder& builder, const Node& node) {
  if (node.op != Op::scatter_add) return {};
  const DType dtype = builder.dtype(node.inputs[0]);
  const DType wide = strict ? f64 : computed_in(dtype);
  if (wide == dtype || !is_floating(dtype)) return {};
  const Value x = builder.cast(node.inputs[0], wide), y = builder.cast(node.inputs[2], wide);
  const Value sum = builder.scatter_add(x, node.inputs[1], y, number(node, "axis"));
  return {builder.cast(sum, dtype)};
}

// What a reduction gives is compared with what it read, and subtracted from it: in 16 bits it would
// be rounded where it is stored, and its operand, which is recomputed, would not be. Under strict
// sums and products are rounded once, as those of the eager backend are.
template <bool strict>
Vector<Value> reduce_wide(Builder& builder, const Node& node) {
  if (!is_reduction(node.op) || node.op == Op::argmax) return {};
  const DType dtype = builder.dtype(node.inputs[0]), wide = strict ? f64 : computed_in(dtype);
  if (wide == dtype || !is_floating(dtype) || (strict && any_order(node, dtype))) return {};
  const Value x = builder.cast(node.inputs[0], wide);
  return {builder.cast(builder.reduce(node.op, x, numbers(node, "axes")), dtype)};
}

// The same of products.
SINTER_INLINE Vector<Value> multiply_wide(Builder& builder, const Node& node) {
  if (node.op != Op::dot_general) return {};
  const DType dtype = builder.dtype(node.inputs[0]);
  if (dtype == f64 || !is_floating(dtype)) return {};
  const Value x = builder.cast(node.inputs[0], f64), y = builder.cast(node.inputs[1], f64);
  const DotAxes axes{numbers(node, "lhs_batch"), numbers(node, "rhs_batch"),
                     numbers(node, "lhs_contract"), numbers(node, "rhs_contract")};
  return {builder.cast(builder.dot_general(x, y, axes), dtype)};
}

inline constexpr std::array product_rules{Rule{"product of f32 -> product of f64", multiply_wide}};

template <bool strict>
inline constexpr std::array reduction_rules{
    Rule{"sum over an axis of extent 0 -> 0, prod -> 1", reduce_none},
    Rule{"sum over an axis of extent 1 -> reshape", reduce_one<strict>},
    Rule{"sum(sum(x)) -> sum(x)", merge_reductions<strict>},
    Rule{"sum(expand(x)) -> x * n", sum_of_expand<strict>},
    Rule{strict ? "scatter_add of f32 -> scatter_add of f64"
                : "scatter_add of f16 -> scatter_add of f32",
         add_wide<strict>},
    Rule{strict ? "sum of f32 -> sum of f64" : "sum of f16 -> sum of f32", reduce_wide<strict>},
};

}  // namespace detail

SINTER_INLINE Graph simplify_reductions(Graph graph, Options options) {
  if (options.wide_products) graph = rewrite(std::move(graph), detail::product_rules);
  return options.strict ? rewrite(std::move(graph), detail::reduction_rules<true>)
                        : rewrite(std::move(graph), detail::reduction_rules<false>);
}

}  // namespace sinter::inline SINTER_ABI::detail::pass
