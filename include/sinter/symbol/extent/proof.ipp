#pragma once

#include <sinter/base/container/optional.hpp>
#include <sinter/base/error.hpp>
#include <sinter/symbol/extent/extent.hpp>
#include <sinter/symbol/extent/memo.hpp>
#include <sinter/symbol/extent/proof.hpp>
#include <sinter/symbol/extent/search.hpp>
#include <sinter/symbol/extent/sum.hpp>

namespace sinter::inline SINTER_ABI::detail {

// lhs - rhs; nothing if it does not fit in 63 bits.
SINTER_INLINE Optional<Extent> difference(Extent lhs, Extent rhs) {
  try {
    return lhs - rhs;
  } catch (const ValueError&) {
    return std::nullopt;
  }
}

// The same sum with x - d*(x//d) for each x%d: what is left of it is 0 if the sum is.
SINTER_INLINE ExtentSum without_remainders(Extent extent) {
  ExtentSum result;
  result.constant = constant_of(extent);
  for (const auto& [monomial, coefficient] : terms_of(extent)) {
    if (monomial.node()->kind != ExtentKind::mod) {
      result.add_term(monomial, coefficient);
      continue;
    }
    const auto& operands = monomial.node()->operands;
    result.add(operands[0], coefficient);
    const Extent quotient = floor_div(operands[0], operands[1]);
    result.add_product(operands[1], quotient, checked_multiply(-1, coefficient));
  }
  return result;
}

SINTER_INLINE bool is_zero(Extent extent) {
  if (extent.is_number()) return extent.number() == 0;
  try {
    const ExtentSum left = without_remainders(extent);
    return left.terms.empty() && left.constant == 0;
  } catch (const ValueError&) {  // a coefficient overflows
    return false;
  }
}

SINTER_INLINE bool proven_ge0(Extent extent) {
  const Interval interval = bounds(extent);
  if (interval.min >= 0) return true;
  if (interval.max < 0) return false;
  if (const auto known = recall(ExtentQuestion::proven_ge0, extent, 0)) return known->number() != 0;
  const bool result = find_proof_of_ge0(extent);
  remember(ExtentQuestion::proven_ge0, extent, 0, result);
  return result;
}

SINTER_INLINE bool proven_less_equal(Extent lhs, Extent rhs) {
  const auto difference = detail::difference(rhs, lhs);
  return difference && proven_ge0(*difference);
}

SINTER_INLINE bool proven_less(Extent lhs, Extent rhs) {
  const auto difference = detail::difference(rhs, lhs);
  return difference && proven_ge0(*difference - 1);
}

SINTER_INLINE bool proven_equal(Extent lhs, Extent rhs) {
  if (same(lhs, rhs)) return true;
  const auto difference = detail::difference(lhs, rhs);
  return difference && detail::is_zero(*difference);
}

SINTER_INLINE bool proven_not_equal(Extent lhs, Extent rhs) {
  const auto difference = detail::difference(lhs, rhs);
  if (!difference || same(*difference, 0)) return false;
  const Extent terms = *difference - constant_of(*difference);
  const std::int64_t divisor = known_divisor(terms);
  if (divisor > 1 && constant_of(*difference) % divisor != 0) return true;
  return proven_ge0(*difference - 1) || proven_ge0(-*difference - 1);
}

SINTER_INLINE bool proven_divisible(Extent extent, Extent divisor) {
  if (divisor.is_number()) {
    return divisor.number() != 0 && known_divisor(extent) % divisor.number() == 0;
  }
  return same(mod(extent, divisor), 0);
}

}  // namespace sinter::inline SINTER_ABI::detail
