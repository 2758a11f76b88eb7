#pragma once
// Interval arithmetic on extents: the range and a divisor of their values.

#include <cstdint>  // std::int64_t
#include <numeric>  // std::gcd

#include <sinter/symbol/extent/arithmetic.hpp>
#include <sinter/symbol/extent/expression.hpp>

namespace sinter::inline SINTER_ABI::detail {

/// min <= value <= max, where -unbounded and unbounded are no bounds.
struct Interval {
  std::int64_t min = -unbounded;
  std::int64_t max = unbounded;
  bool operator==(const Interval&) const = default;
  constexpr bool is_point() const { return min == max && !is_unbounded(min); }
};

constexpr Interval operator+(const Interval& a, const Interval& b) {
  const bool below = a.min == -unbounded || b.min == -unbounded;
  const bool above = a.max == unbounded || b.max == unbounded;
  return {below ? -unbounded : saturating_add(a.min, b.min),
          above ? unbounded : saturating_add(a.max, b.max)};
}
Interval operator*(const Interval& a, const Interval& b);
/// Of floor_div(a, b), where b >= 1 whatever its interval says.
Interval floor_div(const Interval& a, const Interval& b);
/// Of mod(a, b), where b >= 1 whatever its interval says.
Interval mod(const Interval& a, const Interval& b);
Interval min(const Interval& a, const Interval& b);
Interval max(const Interval& a, const Interval& b);

/// The numbers between which `extent` lies, whatever its symbols and ranges are.
Interval bounds(Extent extent);

/// A number that divides `extent`, whatever its symbols and ranges are; 0 only for the number 0.
std::int64_t known_divisor(Extent extent);

}  // namespace sinter::inline SINTER_ABI::detail

#ifdef SINTER_DEFINITIONS
#include <sinter/symbol/extent/interval.ipp>
#endif
