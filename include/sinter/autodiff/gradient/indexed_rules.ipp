#pragma once

#include <sinter/autodiff/gradient/indexed_rules.hpp>

namespace sinter::inline SINTER_ABI::detail::autodiff::gradient_of {

SINTER_INLINE Value gather(const Backward& at, std::size_t) {
  const Value zeros = at.builder.constant_like(at.input(0), 0);
  return at.builder.scatter_add(zeros, at.input(1), at.gradient(), number(at.node, "axis"));
}

SINTER_INLINE Value scatter_add(const Backward& at, std::size_t input) {
  if (input == 0) return at.gradient();
  return at.builder.gather(at.gradient(), at.input(1), number(at.node, "axis"));
}

SINTER_INLINE Value concatenate(const Backward& at, std::size_t input) {
  const auto axis = static_cast<int>(number(at.node, "axis"));
  const Shape shape = at.type(input).shape;
  Shape start;
  for (int i = 0; i < shape.size(); ++i) start.push_back(0);
  for (std::size_t i = 0; i < input; ++i) start[axis] += at.type(i).shape[axis];
  const AxisList step(static_cast<std::size_t>(shape.size()), 1);
  return at.builder.slice(at.gradient(), start, step, shape);
}

}  // namespace sinter::inline SINTER_ABI::detail::autodiff::gradient_of
