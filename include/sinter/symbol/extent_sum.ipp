#pragma once

#include <algorithm>  // std::lower_bound, std::any_of

#include <sinter/symbol/extent_sum.hpp>
#include <sinter/symbol/order.hpp>

namespace sinter::inline SINTER_ABI::detail {

SINTER_INLINE auto place_of(std::vector<ExtentTerm>& terms, Extent monomial) {
  return std::lower_bound(
      terms.begin(), terms.end(), monomial,
      [](const ExtentTerm& term, Extent one) { return compare(term.monomial, one) < 0; });
}

SINTER_INLINE Extent multiply_monomials(Extent a, Extent b) {
  const auto more = factors_of(b);
  std::vector<Extent> factors(factors_of(a).begin(), factors_of(a).end());
  factors.insert(factors.end(), more.begin(), more.end());
  return make_product(std::move(factors));
}

SINTER_INLINE Extent divide_monomial(Extent monomial, Extent atom) {
  std::vector<Extent> factors(factors_of(monomial).begin(), factors_of(monomial).end());
  factors.erase(std::find_if(factors.begin(), factors.end(),
                             [&](Extent factor) { return same(factor, atom); }));
  return make_product(std::move(factors));
}

SINTER_INLINE ExtentSum::ExtentSum(Extent extent)
    : terms(terms_of(extent).begin(), terms_of(extent).end()), constant(constant_of(extent)) {}

SINTER_INLINE void ExtentSum::add_term(Extent monomial, std::int64_t coefficient) {
  if (coefficient == 0) return;
  const auto place = detail::place_of(terms, monomial);
  if (place == terms.end() || !same(place->monomial, monomial)) {
    terms.insert(place, {monomial, coefficient});
    return;
  }
  place->coefficient = checked_add(place->coefficient, coefficient);
  if (place->coefficient == 0) terms.erase(place);
}

SINTER_INLINE void ExtentSum::add(Extent extent, std::int64_t coefficient) {
  constant = checked_add(constant, checked_multiply(constant_of(extent), coefficient));
  for (const ExtentTerm& term : terms_of(extent)) {
    add_term(term.monomial, checked_multiply(term.coefficient, coefficient));
  }
}

SINTER_INLINE void ExtentSum::add(const ExtentSum& other, std::int64_t coefficient) {
  constant = checked_add(constant, checked_multiply(other.constant, coefficient));
  for (const ExtentTerm& term : other.terms) {
    add_term(term.monomial, checked_multiply(term.coefficient, coefficient));
  }
}

SINTER_INLINE void ExtentSum::add_product(Extent a, Extent b, std::int64_t coefficient) {
  if (a.is_number()) return add(b, checked_multiply(a.number(), coefficient));
  add(a, checked_multiply(constant_of(b), coefficient));
  for (const ExtentTerm& y : terms_of(b)) {
    const std::int64_t factor = checked_multiply(y.coefficient, coefficient);
    add_term(y.monomial, checked_multiply(constant_of(a), factor));
    for (const ExtentTerm& x : terms_of(a)) {
      add_term(multiply_monomials(x.monomial, y.monomial), checked_multiply(x.coefficient, factor));
    }
  }
}

SINTER_INLINE std::int64_t ExtentSum::coefficient(Extent monomial) const {
  const auto found = std::find_if(terms.begin(), terms.end(), [&](const ExtentTerm& term) {
    return same(term.monomial, monomial);
  });
  return found == terms.end() ? 0 : found->coefficient;
}

SINTER_INLINE Extent ExtentSum::extent() const {
  const bool divides = std::any_of(terms.begin(), terms.end(), [](const ExtentTerm& term) {
    return term.monomial.node()->divides;
  });
  return divides ? join(*this).extent_as_is() : extent_as_is();
}

SINTER_INLINE Extent ExtentSum::extent_as_is() const {
  if (terms.empty()) return {constant, Where()};
  if (terms.size() == 1 && terms[0].coefficient == 1 && constant == 0) return terms[0].monomial;
  return intern({.kind = ExtentKind::sum, .terms = terms, .constant = constant});
}

}  // namespace sinter::inline SINTER_ABI::detail
