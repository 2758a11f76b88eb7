#pragma once

#include <algorithm>  // std::all_of, std::includes
#include <numeric>    // std::gcd
#include <optional>   // std::optional

#include <sinter/symbol/division.hpp>
#include <sinter/symbol/extent_sum.hpp>
#include <sinter/symbol/order.hpp>
#include <sinter/symbol/proof.hpp>

namespace sinter::inline SINTER_ABI::detail {

// The term of highest degree; the first of several.
SINTER_INLINE ExtentTerm leading_term(Extent extent) {
  const auto terms = terms_of(extent);
  return *std::max_element(terms.begin(), terms.end(),
                           [](const ExtentTerm& a, const ExtentTerm& b) {
                             return factors_of(a.monomial).size() < factors_of(b.monomial).size();
                           });
}

// monomial / by, if every factor of `by` is one of monomial's.
SINTER_INLINE std::optional<Extent> divide_monomials(Extent monomial, Extent by) {
  const auto have = factors_of(monomial);
  const auto need = factors_of(by);
  const auto before = [](Extent a, Extent b) { return compare(a, b) < 0; };
  if (!std::includes(have.begin(), have.end(), need.begin(), need.end(), before)) {
    return std::nullopt;
  }
  std::vector<Extent> rest;
  std::set_difference(have.begin(), have.end(), need.begin(), need.end(), std::back_inserter(rest),
                      before);
  return make_product(std::move(rest));
}

// Division of polynomials: takes multiples of divisor out of the terms that its leading term
// divides. Always right; more terms than before are no progress.
SINTER_INLINE ExtentDivision take_multiples(Extent dividend, Extent divisor) {
  const ExtentTerm lead = leading_term(divisor);
  ExtentSum quotient;
  ExtentSum rest(dividend);
  for (int step = 0; step < 16; ++step) {
    const auto take = [&]() {
      for (const auto& [monomial, coefficient] : rest.terms) {
        const std::int64_t times = coefficient / lead.coefficient;
        const auto factor = divide_monomials(monomial, lead.monomial);
        if (times == 0 || !factor) continue;
        quotient.add(*factor, times);
        rest.add_product(*factor, divisor, -times);
        return true;
      }
      return false;
    };
    if (!take()) break;
  }
  if (rest.terms.size() > terms_of(dividend).size()) return {0, dividend};
  return {quotient.extent(), rest.extent()};
}

SINTER_INLINE bool is_remainder(Extent extent, Extent divisor) {
  return proven_ge0(extent) && proven_less(extent, divisor);
}

// (f*x + y) / (f*d), where 0 <= y < f, is x / d; remainder f * (x % d) + y.
SINTER_INLINE std::optional<ExtentDivision> by_factor(Extent dividend, Extent divisor,
                                                      Extent factor) {
  ExtentSum multiple;
  ExtentSum small;
  const auto divide_term = [&](const ExtentTerm& term, ExtentSum& into) {
    if (factor.is_number()) {
      if (term.coefficient % factor.number() != 0) return false;
      into.add_term(term.monomial, term.coefficient / factor.number());
      return true;
    }
    const auto rest = divide_monomials(term.monomial, factor);
    if (rest) into.add(*rest, term.coefficient);
    return rest.has_value();
  };
  for (const ExtentTerm& term : terms_of(dividend)) {
    if (!divide_term(term, multiple)) small.add_term(term.monomial, term.coefficient);
  }
  small.constant = constant_of(dividend);
  if (factor.is_number()) {
    multiple.constant = floor_quotient(small.constant, factor.number());
    small.constant = floor_remainder(small.constant, factor.number());
  }
  const Extent rest = small.extent();
  if (!same(rest, 0) && !is_remainder(rest, factor)) return std::nullopt;
  ExtentSum smaller_divisor;
  for (const ExtentTerm& term : terms_of(divisor)) divide_term(term, smaller_divisor);
  if (factor.is_number()) smaller_divisor.constant = constant_of(divisor) / factor.number();
  const ExtentDivision division = divide(multiple.extent(), smaller_divisor.extent());
  return ExtentDivision{division.quotient, factor * division.remainder + rest};
}

// The numbers and atoms that divide every term of `divisor`.
SINTER_INLINE std::vector<Extent> common_factors(Extent divisor) {
  const auto terms = terms_of(divisor);
  std::int64_t number = constant_of(divisor);
  for (const ExtentTerm& term : terms) number = std::gcd(number, term.coefficient);
  std::vector<Extent> result;
  if (number > 1) result.push_back(number);
  if (constant_of(divisor) != 0) return result;
  for (const Extent atom : factors_of(terms[0].monomial)) {
    const auto has_it = [&](const ExtentTerm& term) {
      return divide_monomials(term.monomial, atom).has_value();
    };
    const bool known = !result.empty() && same(result.back(), atom);
    if (!known && bounds(atom).min >= 0 && std::all_of(terms.begin(), terms.end(), has_it)) {
      result.push_back(atom);
    }
  }
  return result;
}

// dividend / divisor, if it is known to leave no remainder.
SINTER_INLINE std::optional<Extent> exact(Extent dividend, Extent divisor) {
  if (dividend.is_number()) return std::nullopt;
  const ExtentDivision division = take_multiples(dividend, divisor);
  return same(division.remainder, 0) ? std::optional(division.quotient) : std::nullopt;
}

// x / a / d is x / (a*d); (x % (k*d)) / d is (x / d) % k, with the remainder x % d.
SINTER_INLINE ExtentDivision nested_division(Extent dividend, Extent divisor) {
  ExtentDivision result{make_atom(ExtentKind::floor_div, dividend, divisor),
                        make_atom(ExtentKind::mod, dividend, divisor)};
  if (dividend.is_number()) return result;
  const ExtentNode& node = *dividend.node();
  if (node.kind == ExtentKind::floor_div) {
    result.quotient = floor_div(node.operands[0], node.operands[1] * divisor);
  }
  if (node.kind == ExtentKind::mod) {
    if (const auto times = exact(node.operands[1], divisor)) {
      return {mod(floor_div(node.operands[0], divisor), *times), mod(node.operands[0], divisor)};
    }
  }
  return result;
}

SINTER_INLINE ExtentDivision divide_rest_by_extent(Extent dividend, Extent divisor) {
  for (const int turn : {0, -1, 1}) {
    const Extent rest = dividend - turn * divisor;
    if (is_remainder(rest, divisor)) return {turn, rest};
  }
  for (const Extent factor : common_factors(divisor)) {
    if (auto division = by_factor(dividend, divisor, factor)) return *division;
  }
  return nested_division(dividend, divisor);
}

SINTER_INLINE ExtentDivision divide_by_extent(Extent dividend, Extent divisor) {
  if (same(dividend, 0)) return {0, 0};
  if (same(dividend, divisor)) return {1, 0};
  const ExtentDivision taken = detail::take_multiples(dividend, divisor);
  if (same(taken.remainder, 0)) return taken;
  const ExtentDivision division = detail::divide_rest_by_extent(taken.remainder, divisor);
  return {taken.quotient + division.quotient, division.remainder};
}

}  // namespace sinter::inline SINTER_ABI::detail
