#pragma once

#include <span>  // std::span

#include <sinter/nn/flatten.hpp>

namespace sinter::inline SINTER_ABI::nn {

SINTER_INLINE Tensor Unflatten::forward(Operand x) const {
  return unflatten(x, axis, Shape(std::span(sizes)));
}

}  // namespace sinter::inline SINTER_ABI::nn
