#pragma once
// Quotient and remainder of two extents, found together.

#include <cstdint>  // std::int64_t

#include <sinter/base/container/optional.hpp>
#include <sinter/symbol/extent/expression.hpp>
#include <sinter/symbol/extent/interval.hpp>

namespace sinter::inline SINTER_ABI::detail {

/// dividend = quotient * divisor + remainder, and 0 <= remainder < divisor.
struct ExtentDivision {
  Extent quotient;
  Extent remainder;
};

/// The canonical division; divisor >= 1 is taken for granted where it is not a number.
/// Throws ValueError if `divisor` is a number below 1.
ExtentDivision divide(Extent dividend, Extent divisor);

/// divide() for a `divisor` that is not a number.
ExtentDivision divide_by_extent(Extent dividend, Extent divisor);

/// Throws the ValueError of a divisor below 1.
[[noreturn]] void throw_divisor(Extent divisor);

/// The one quotient of all numbers in `dividend`, if there is only one.
Optional<std::int64_t> constant_quotient(const Interval& dividend, std::int64_t divisor);

}  // namespace sinter::inline SINTER_ABI::detail

#ifdef SINTER_DEFINITIONS
#include <sinter/symbol/extent/division.ipp>
#endif
