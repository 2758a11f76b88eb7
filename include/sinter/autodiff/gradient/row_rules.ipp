#pragma once

#include <sinter/autodiff/gradient/exclusive_products.hpp>
#include <sinter/autodiff/gradient/row_rules.hpp>

namespace sinter::inline SINTER_ABI::detail::autodiff::gradient_of {

namespace detail {

// The sum of the elements of `x` from each position on.
SINTER_INLINE Value sum_from(Builder& build, Value x, std::int64_t axis) {
  return build.flip(build.cumulate(Op::cumsum, build.flip(x, {axis}), axis), {axis});
}

// Of x, g and the result. Before the first zero of a row, what follows is divided by the element.
// At the first zero, the products that have it are computed without it. Behind it, every product
// is 0 and stays so.
SINTER_INLINE Graph divided_cumprod_gradient(const TensorType& type, std::int64_t axis) {
  Graph graph;
  Builder build(graph);
  const Value x = build.input(type), g = build.input(type), result = build.input(type);
  const Value zero = build.constant_like(x, 0), one = build.constant_like(x, 1);
  const Value is_zero = build.elementwise(Op::eq, {x, zero});
  const Value zeros = build.cumulate(Op::cumsum, build.cast(is_zero, type.dtype), axis);
  const Value is_before = build.elementwise(Op::eq, {zeros, zero});
  const Value is_first = build.select(is_zero, build.elementwise(Op::eq, {zeros, one}),
                                      build.constant_like(is_zero, false));
  const Value before =
      build.div(sum_from(build, build.mul(g, result), axis), build.select(is_zero, one, x));
  const Value others = build.cumulate(Op::cumprod, build.select(is_first, one, x), axis);
  const Value with_zero = build.select(is_before, zero, build.mul(g, others));
  const Value at_zero = sum_from(build, with_zero, axis);
  graph.outputs = {build.select(is_before, before, build.select(is_first, at_zero, zero))};
  return graph;
}

}  // namespace detail

SINTER_INLINE Value cumsum(const Backward& at, std::size_t) {
  return detail::sum_from(at.builder, at.gradient(), number(at.node, "axis"));
}

SINTER_INLINE Value cumprod(const Backward& at, std::size_t) {
  const std::int64_t axis = number(at.node, "axis");
  const TensorType x = at.type(0);
  const Value operands[]{at.input(0), at.gradient(), at.result()};
  return with_derivatives_of(at, detail::divided_cumprod_gradient(x, axis),
                             exact_cumprod_gradient(x, axis), operands);
}

}  // namespace sinter::inline SINTER_ABI::detail::autodiff::gradient_of
