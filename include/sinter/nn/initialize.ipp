#pragma once

#include <cmath>  // std::sqrt

#include <sinter/nn/initialize.hpp>
#include <sinter/trace/elementwise.hpp>
#include <sinter/trace/random.hpp>

namespace sinter::inline SINTER_ABI::nn {

SINTER_INLINE Tensor uniform_by_inputs(Shape shape, std::int64_t inputs, Where where) {
  const double bound = inputs > 0 ? 1 / std::sqrt(static_cast<double>(inputs)) : 0;
  const Tensor scaled = mul({rand(shape, f32, where), where}, {2 * bound, where});
  return sub({scaled, where}, {bound, where});
}

}  // namespace sinter::inline SINTER_ABI::nn
