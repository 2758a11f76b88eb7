#pragma once

#include <algorithm>  // std::clamp
#include <cmath>      // std::cos, std::pow
#include <numbers>    // std::numbers::pi

#include <sinter/optim/schedule.hpp>

namespace sinter::inline SINTER_ABI::optim {

namespace detail {

// The completed fraction of `steps`, from 0 to 1.
SINTER_INLINE double part(std::int64_t step, std::int64_t steps) {
  if (step >= steps) return 1;
  return std::clamp(static_cast<double>(step) / static_cast<double>(steps), 0.0, 1.0);
}

SINTER_INLINE float power(double start, double factor, std::int64_t exponent) {
  return static_cast<float>(start * std::pow(factor, static_cast<double>(exponent)));
}

}  // namespace detail

SINTER_INLINE float ConstantRate::operator()(std::int64_t) const {
  return static_cast<float>(value);
}

SINTER_INLINE float LinearRate::operator()(std::int64_t step) const {
  return static_cast<float>(start + (end - start) * detail::part(step, steps));
}

SINTER_INLINE float CosineRate::operator()(std::int64_t step) const {
  const double angle = std::numbers::pi * detail::part(step, steps);
  return static_cast<float>(end + (start - end) * (1 + std::cos(angle)) / 2);
}

SINTER_INLINE float ExponentialRate::operator()(std::int64_t step) const {
  return detail::power(start, factor, step);
}

SINTER_INLINE float StepRate::operator()(std::int64_t step) const {
  return detail::power(start, factor, every > 0 ? step / every : 0);
}

}  // namespace sinter::inline SINTER_ABI::optim
