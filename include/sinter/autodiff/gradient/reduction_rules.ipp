#pragma once

#include <sinter/autodiff/gradient/exclusive_products.hpp>
#include <sinter/autodiff/gradient/reduction_rules.hpp>

namespace sinter::inline SINTER_ABI::detail::autodiff::gradient_of {

namespace detail {

// `value`, which has no `axes`, repeated along them, of the shape `full`.
SINTER_INLINE Value repeated_along(Builder& build, Value value, const Shape& full,
                                   const AxisList& axes) {
  Shape kept = full;
  for (const std::int64_t axis : axes) kept[static_cast<int>(axis)] = 1;
  return build.expand(build.reshape(value, kept), full);
}

// A value of the shape of the result, repeated along the axes that were reduced.
SINTER_INLINE Value along_reduced(const Backward& at, Value value) {
  return repeated_along(at.builder, value, at.type(0).shape, numbers(at.node, "axes"));
}

SINTER_INLINE Value sum_like(const Backward& at, Value value) {
  return at.builder.reduce(Op::sum, value, numbers(at.node, "axes"));
}

SINTER_INLINE Value extreme_element(const Backward& at) {
  Builder& build = at.builder;
  const Value x = at.input(0);
  const Value chosen = build.elementwise(Op::eq, {x, along_reduced(at, at.result())});
  const Value weight = build.cast(chosen, build.dtype(x));
  const Value share = build.div(at.gradient(), sum_like(at, weight));
  return build.mul(along_reduced(at, share), weight);
}

// Of x and g. Where there are zeros, they are all that matters to the others; from two on, to all.
SINTER_INLINE Graph divided_prod_gradient(const TensorType& x, const TensorType& g,
                                          const AxisList& axes) {
  Graph graph;
  Builder build(graph);
  const Value all = build.input(x), flow = build.input(g);
  const Value zero = build.constant_like(all, 0), one = build.constant_like(all, 1);
  const Value is_zero = build.elementwise(Op::eq, {all, zero});
  const Value filled = build.select(is_zero, one, all);
  const Value zeros = build.reduce(Op::sum, build.cast(is_zero, x.dtype), axes);
  const Value scaled = build.mul(flow, build.reduce(Op::prod, filled, axes));
  const auto flow_if = [&](double count) {
    const Value applies = build.elementwise(Op::eq, {zeros, build.constant_like(zeros, count)});
    const Value flows = build.select(applies, scaled, build.constant_like(scaled, 0));
    return repeated_along(build, flows, x.shape, axes);
  };
  const Value to_others = build.div(flow_if(0), filled), to_zero = flow_if(1);
  graph.outputs = {build.select(is_zero, to_zero, to_others)};
  return graph;
}

}  // namespace detail

SINTER_INLINE Value sum(const Backward& at, std::size_t) {
  return detail::along_reduced(at, at.gradient());
}

SINTER_INLINE Value prod(const Backward& at, std::size_t) {
  const AxisList& axes = numbers(at.node, "axes");
  const TensorType x = at.type(0), g = at.builder.type(at.gradient());
  const Value operands[]{at.input(0), at.gradient()};
  return with_derivatives_of(at, detail::divided_prod_gradient(x, g, axes),
                             exact_prod_gradient(x, g, axes), operands);
}

SINTER_INLINE Value max(const Backward& at, std::size_t) { return detail::extreme_element(at); }

SINTER_INLINE Value min(const Backward& at, std::size_t) { return detail::extreme_element(at); }

}  // namespace sinter::inline SINTER_ABI::detail::autodiff::gradient_of
