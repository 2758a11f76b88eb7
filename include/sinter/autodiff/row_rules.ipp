#pragma once

#include <sinter/autodiff/row_rules.hpp>

namespace sinter::inline SINTER_ABI::autodiff::gradient_of {

namespace detail {

// The sum of the elements of `x` from each position on.
SINTER_INLINE Value sum_from(const Backward& at, Value x) {
  const std::int64_t axis = number(at.node, "axis");
  return at.builder.flip(at.builder.cumulate(Op::cumsum, at.builder.flip(x, {axis}), axis), {axis});
}

}  // namespace detail

SINTER_INLINE Value cumsum(const Backward& at, std::size_t) {
  return detail::sum_from(at, at.gradient());
}

// Before the first zero of a row, what follows is divided by the element. At the first zero, the
// products that have it are computed without it. Behind it, every product is 0 and stays so.
SINTER_INLINE Value cumprod(const Backward& at, std::size_t) {
  Builder& build = at.builder;
  const Value x = at.input(0), g = at.gradient();
  const std::int64_t axis = number(at.node, "axis");
  const Value zero = build.constant_like(x, 0), one = build.constant_like(x, 1);
  const Value is_zero = build.elementwise(Op::eq, {x, zero});
  const Value zeros = build.cumulate(Op::cumsum, build.cast(is_zero, build.dtype(x)), axis);
  const Value is_before = build.elementwise(Op::eq, {zeros, zero});
  const Value is_first = build.select(is_zero, build.elementwise(Op::eq, {zeros, one}),
                                      build.constant_like(is_zero, false));
  const Value before =
      build.div(detail::sum_from(at, build.mul(g, at.result())), build.select(is_zero, one, x));
  const Value others = build.cumulate(Op::cumprod, build.select(is_first, one, x), axis);
  const Value with_zero = build.select(is_before, zero, build.mul(g, others));
  const Value at_zero = detail::sum_from(at, with_zero);
  return build.select(is_before, before, build.select(is_first, at_zero, zero));
}

}  // namespace sinter::inline SINTER_ABI::autodiff::gradient_of
