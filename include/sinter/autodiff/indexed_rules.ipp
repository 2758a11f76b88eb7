#pragma once

#include <sinter/autodiff/indexed_rules.hpp>

namespace sinter::inline SINTER_ABI::autodiff::gradient_of {

SINTER_INLINE Value gather(const Backward& at, std::size_t) {
  const Value zeros = at.builder.constant_like(at.input(0), 0);
  return at.builder.scatter_add(zeros, at.input(1), at.gradient(), number(at.node, "axis"));
}

SINTER_INLINE Value scatter_add(const Backward& at, std::size_t input) {
  if (input == 0) return at.gradient();
  return at.builder.gather(at.gradient(), at.input(1), number(at.node, "axis"));
}

}  // namespace sinter::inline SINTER_ABI::autodiff::gradient_of
