#pragma once

#include <sinter/autodiff/reduction_rules.hpp>

namespace sinter::inline SINTER_ABI::autodiff::gradient_of {

namespace detail {

// A value of the shape of the result, repeated along the axes that were reduced.
SINTER_INLINE Value along_reduced(const Backward& at, Value value) {
  const Shape full = at.type(0).shape;
  Shape kept = full;
  for (const std::int64_t axis : numbers(at.node, "axes")) kept[static_cast<int>(axis)] = 1;
  return at.builder.expand(at.builder.reshape(value, kept), full);
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

}  // namespace detail

SINTER_INLINE Value sum(const Backward& at, std::size_t) {
  return detail::along_reduced(at, at.gradient());
}

SINTER_INLINE Value prod(const Backward& at, std::size_t) {
  Builder& build = at.builder;
  const Value x = at.input(0);
  const Value zero = build.constant_like(x, 0), one = build.constant_like(x, 1);
  const Value is_zero = build.elementwise(Op::eq, {x, zero});
  const Value filled = build.select(is_zero, one, x);
  const Value product = build.reduce(Op::prod, filled, numbers(at.node, "axes"));
  const Value zeros = detail::sum_like(at, build.cast(is_zero, build.dtype(x)));
  const Value flow = build.mul(at.gradient(), product);
  // Where there are zeros, they are all that matters to the others; from two on, to all.
  const auto flow_if = [&](double count) {
    const Value applies = build.elementwise(Op::eq, {zeros, build.constant_like(zeros, count)});
    return detail::along_reduced(at, build.select(applies, flow, build.constant_like(flow, 0)));
  };
  const Value to_others = build.div(flow_if(0), filled), to_zero = flow_if(1);
  return build.select(is_zero, to_zero, to_others);
}

SINTER_INLINE Value max(const Backward& at, std::size_t) { return detail::extreme_element(at); }

SINTER_INLINE Value min(const Backward& at, std::size_t) { return detail::extreme_element(at); }

}  // namespace sinter::inline SINTER_ABI::autodiff::gradient_of
