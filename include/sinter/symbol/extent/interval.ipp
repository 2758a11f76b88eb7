#pragma once

#include <algorithm>  // std::min, std::max

#include <sinter/symbol/extent/interval.hpp>

namespace sinter::inline SINTER_ABI::detail {

// x / y rounded down, for y >= 1, either of them perhaps unbounded.
constexpr std::int64_t divide_bounds(std::int64_t x, std::int64_t y) {
  if (y == unbounded) return x < 0 ? -1 : 0;
  return is_unbounded(x) ? x : floor_quotient(x, y);
}

SINTER_INLINE Interval operator*(const Interval& a, const Interval& b) {
  const auto [low, high] =
      std::minmax({saturating_multiply(a.min, b.min), saturating_multiply(a.min, b.max),
                   saturating_multiply(a.max, b.min), saturating_multiply(a.max, b.max)});
  return {low, high};
}

SINTER_INLINE Interval floor_div(const Interval& a, const Interval& b) {
  const std::int64_t least = std::max<std::int64_t>(b.min, 1);
  const std::int64_t most = std::max(b.max, least);
  return {std::min(detail::divide_bounds(a.min, least), detail::divide_bounds(a.min, most)),
          std::max(detail::divide_bounds(a.max, least), detail::divide_bounds(a.max, most))};
}

SINTER_INLINE Interval mod(const Interval& a, const Interval& b) {
  const std::int64_t most = b.max == unbounded ? unbounded : std::max<std::int64_t>(b.max, 1) - 1;
  return {0, a.min >= 0 ? std::min(a.max, most) : most};
}

SINTER_INLINE Interval min(const Interval& a, const Interval& b) {
  return {std::min(a.min, b.min), std::min(a.max, b.max)};
}

SINTER_INLINE Interval max(const Interval& a, const Interval& b) {
  return {std::max(a.min, b.min), std::max(a.max, b.max)};
}

}  // namespace sinter::inline SINTER_ABI::detail
