#pragma once

#include <numeric>  // std::gcd

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/span.hpp>
#include <sinter/symbol/extent/extent.hpp>
#include <sinter/symbol/extent/node.hpp>
#include <sinter/symbol/solve/solve.hpp>
#include <sinter/symbol/solve/variables.hpp>

namespace sinter::inline SINTER_ABI::detail {

// monomial / variable; nothing if the variable is none of its factors.
SINTER_INLINE Optional<Extent> cofactor(Extent monomial, Extent variable) {
  const Span<const Extent> factors = factors_of(monomial);
  const auto found = find_if(factors, [variable](Extent factor) { return same(factor, variable); });
  if (found == factors.end()) return std::nullopt;
  Extent result = 1;
  for (auto factor = factors.begin(); factor != factors.end(); ++factor) {
    if (factor != found) result *= *factor;
  }
  return result;
}

SINTER_INLINE bool is_polynomial(Extent extent) {
  return extent.is_number() || !extent.node()->divides;
}

SINTER_INLINE Extent primitive_part(Extent extent) {
  std::int64_t divisor = constant_of(extent);
  for (const ExtentTerm& term : terms_of(extent)) divisor = std::gcd(divisor, term.coefficient);
  if (divisor == 0 || divisor == 1 || divisor == -1) return extent;
  divisor = divisor < 0 ? -divisor : divisor;
  Extent result = constant_of(extent) / divisor;
  for (const ExtentTerm& term : terms_of(extent)) {
    result += term.monomial * Extent(term.coefficient / divisor);
  }
  return result;
}

SINTER_INLINE Optional<Extent> divide_exactly(Extent extent, Extent variable) {
  if (constant_of(extent) != 0) return std::nullopt;
  Extent result = 0;
  for (const ExtentTerm& term : terms_of(extent)) {
    const auto rest = detail::cofactor(term.monomial, variable);
    if (!rest) return std::nullopt;
    result += *rest * Extent(term.coefficient);
  }
  return result;
}

SINTER_INLINE Optional<Extent> solve(Extent equation, Extent variable) {
  const auto factor = coefficient_of(equation, variable);
  if (!factor) return std::nullopt;
  const Extent rest = without(equation, variable);
  if (same(*factor, Extent(1))) return -rest;
  if (same(*factor, Extent(-1))) return rest;
  return std::nullopt;
}

}  // namespace sinter::inline SINTER_ABI::detail
