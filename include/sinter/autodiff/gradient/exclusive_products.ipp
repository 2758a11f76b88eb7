#pragma once

#include <utility>  // std::move

#include <sinter/autodiff/gradient/exclusive_products.hpp>
#include <sinter/autodiff/gradient/gradient.hpp>
#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/graph/rewrite.hpp>

namespace sinter::inline SINTER_ABI::detail::autodiff {

namespace detail {

// The axes of a tensor of `rank`: those of `first`, then the others.
SINTER_INLINE AxisList axes_first(const AxisList& first, int rank) {
  AxisList result = first;
  for (std::int64_t axis = 0; axis < rank; ++axis) {
    if (!contains(first, axis)) result.push_back(axis);
  }
  return result;
}

SINTER_INLINE AxisList inverse(const AxisList& order) {
  AxisList result(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    result[static_cast<std::size_t>(order[i])] = static_cast<std::int64_t>(i);
  }
  return result;
}

// The type of one step of `xs`.
SINTER_INLINE TensorType step_of(const Builder& build, Value xs) {
  Shape shape;
  for (int i = 1; i < build.shape(xs).size(); ++i) shape.push_back(build.shape(xs)[i]);
  return {build.dtype(xs), shape};
}

// A scan over axis 0 of `xs` with one carry, and what `body` gives in each step.
SINTER_INLINE Value scanned(Builder& build, Value carry, std::initializer_list<Value> xs,
                            Graph body, bool reverse) {
  Node node{.op = Op::scan, .inputs = {carry}};
  for (const Value value : xs) node.inputs.push_back(value);
  node.attributes = {{"carries", constant(std::int64_t{1})},
                     {"xs", constant(static_cast<std::int64_t>(xs.size()))},
                     {"reverse", constant(std::int64_t{reverse ? 1 : 0})}};
  node.bodies.push_back(std::move(body));
  return {build.append(std::move(node)), 1};
}

// The product of the elements along axis 0 before each one, or after it.
SINTER_INLINE Value exclusive_product(Builder& build, Value x, bool after) {
  const TensorType type = step_of(build, x);
  Graph body;
  Builder step(body);
  const Value carry = step.input(type), element = step.input(type);
  body.outputs = {step.mul(carry, element), carry};
  const Value one = build.constant(sinter::detail::constant(1, type.dtype), type);
  return scanned(build, one, {x}, std::move(body), after);
}

// s[i] = g[i] + x[i + 1] * s[i + 1], along axis 0.
SINTER_INLINE Value sum_of_products_after(Builder& build, Value x, Value g) {
  const TensorType type = step_of(build, x);
  Graph body;
  Builder step(body);
  const Value carry = step.input(type), element = step.input(type), own = step.input(type);
  const Value sum = step.add(own, carry);
  body.outputs = {step.mul(element, sum), sum};
  const Value zero = build.constant(sinter::detail::constant(0, type.dtype), type);
  return scanned(build, zero, {x, g}, std::move(body), true);
}

// The gradients of all inputs of `exact`: of these, its result and the gradient of that.
SINTER_INLINE Graph adjoint_of(const Graph& exact) {
  Graph adjoint = exact;
  const TensorType type = exact.type(exact.outputs[0]);
  Vector<Value> inputs(exact.inputs.begin(), exact.inputs.end());
  Builder build(adjoint);
  build.input(type);
  const Value seed = build.input(type);
  adjoint.outputs = gradient(adjoint, exact.outputs[0], inputs, seed);
  return rewrite(adjoint, {});
}

}  // namespace detail

SINTER_INLINE Value with_derivatives_of(const Backward& at, const Graph& fast, const Graph& exact,
                                        Span<const Value> operands) {
  Node node{.op = Op::call, .where = at.node.where, .path = at.node.path};
  for (const Value operand : operands) node.inputs.push_back(operand);
  node.bodies.push_back(fast);
  node.bodies.push_back(detail::adjoint_of(exact));
  return at.builder.append(std::move(node));
}

SINTER_INLINE Graph exact_prod_gradient(const TensorType& x, const TensorType& g,
                                        const AxisList& axes) {
  Graph graph;
  Builder build(graph);
  const Value all = build.input(x), flow = build.input(g);
  const AxisList order = detail::axes_first(axes, x.shape.size());
  const Value ordered = build.permute(all, order);
  Extent count = 1;
  for (const std::int64_t axis : axes) count = count * x.shape[static_cast<int>(axis)];
  Shape rows{count};
  Shape row{1};
  for (const Extent& extent : g.shape) rows.push_back(extent), row.push_back(extent);
  const Value factors = build.reshape(ordered, rows);
  const Value others = build.mul(detail::exclusive_product(build, factors, false),
                                 detail::exclusive_product(build, factors, true));
  const Value found = build.mul(others, build.expand(build.reshape(flow, row), rows));
  const Shape shape = build.shape(ordered);
  graph.outputs = {build.permute(build.reshape(found, shape), detail::inverse(order))};
  return graph;
}

SINTER_INLINE Graph exact_cumprod_gradient(const TensorType& x, std::int64_t axis) {
  Graph graph;
  Builder build(graph);
  const Value all = build.input(x), flow = build.input(x);
  build.input(x);
  const AxisList order = detail::axes_first({axis}, x.shape.size());
  const Value factors = build.permute(all, order), flows = build.permute(flow, order);
  const Value before = detail::exclusive_product(build, factors, false);
  const Value found = build.mul(before, detail::sum_of_products_after(build, factors, flows));
  graph.outputs = {build.permute(found, detail::inverse(order))};
  return graph;
}

}  // namespace sinter::inline SINTER_ABI::detail::autodiff
