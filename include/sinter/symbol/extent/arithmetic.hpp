#pragma once
// Arithmetic on 64-bit integers that rounds down, saturates, or reports that it overflows.

#include <cstdint>  // std::int64_t
#include <limits>   // std::numeric_limits
#include <string>   // std::string

#include <sinter/base/where.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail {

/// No bound: as a maximum, and negated as a minimum.
inline constexpr std::int64_t unbounded = std::numeric_limits<std::int64_t>::max();

/// Throws the ValueError of a size that does not fit in 63 bits: "9 * 10".
[[noreturn]] void throw_extent_overflow(std::string size, Where where = {});

/// a / b rounded down; b > 0.
constexpr std::int64_t floor_quotient(std::int64_t a, std::int64_t b) {
  return a / b - (a % b < 0 ? 1 : 0);
}
/// a - b * floor_quotient(a, b), in [0, b).
constexpr std::int64_t floor_remainder(std::int64_t a, std::int64_t b) {
  return a % b + (a % b < 0 ? b : 0);
}

/// True for the two numbers that stand for "no bound".
constexpr bool is_unbounded(std::int64_t x) { return x == unbounded || x == -unbounded; }

/// The lesser of `x` and `unbounded`, the greater of `x` and `-unbounded`.
constexpr std::int64_t clamp_unbounded(std::int64_t x) { return x < -unbounded ? -unbounded : x; }

/// The sum of two bounds; where both are unbounded, in different directions, the first wins.
constexpr std::int64_t saturating_add(std::int64_t a, std::int64_t b) {
  if (is_unbounded(a)) return a;
  if (is_unbounded(b)) return b;
  std::int64_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) return a > 0 ? unbounded : -unbounded;
  return clamp_unbounded(sum);
}

/// The product of two bounds; 0 times unbounded is 0.
constexpr std::int64_t saturating_multiply(std::int64_t a, std::int64_t b) {
  if (a == 0 || b == 0) return 0;
  std::int64_t product = 0;
  const bool overflows = __builtin_mul_overflow(a, b, &product);
  if (overflows || is_unbounded(a) || is_unbounded(b)) {
    return (a > 0) == (b > 0) ? unbounded : -unbounded;
  }
  return clamp_unbounded(product);
}

/// Throws ValueError if the sum overflows.
inline std::int64_t checked_add(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) throw_extent_overflow(text(a, " + ", b));
  return sum;
}

/// Throws ValueError if the product overflows.
inline std::int64_t checked_multiply(std::int64_t a, std::int64_t b) {
  std::int64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) throw_extent_overflow(text(a, " * ", b));
  return product;
}

}  // namespace sinter::inline SINTER_ABI::detail

#ifdef SINTER_DEFINITIONS
#include <sinter/symbol/extent/arithmetic.ipp>
#endif
