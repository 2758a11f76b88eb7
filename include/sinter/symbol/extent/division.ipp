#pragma once

#include <algorithm>  // std::includes
#include <cstdlib>    // std::abs
#include <iterator>   // std::back_inserter
#include <numeric>    // std::gcd

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/optional.hpp>
#include <sinter/base/error.hpp>
#include <sinter/symbol/extent/division.hpp>
#include <sinter/symbol/extent/extent.hpp>
#include <sinter/symbol/extent/memo.hpp>
#include <sinter/symbol/extent/node.hpp>
#include <sinter/symbol/extent/proof.hpp>
#include <sinter/symbol/extent/sum.hpp>

namespace sinter::inline SINTER_ABI {

namespace detail {

// atom / divisor, where divisor is known to divide atom.
SINTER_INLINE Extent exact_quotient(Extent atom, std::int64_t divisor) {
  if (divisor == 1) return atom;
  const ExtentNode& node = *atom.node();
  const auto part = [&](std::size_t i) { return floor_div(node.operands[i], divisor); };
  switch (node.kind) {
    case ExtentKind::floor_div:
      return floor_div(node.operands[0], node.operands[1] * divisor);
    case ExtentKind::mod:
      return mod(part(0), part(1));
    case ExtentKind::min:
      return min(part(0), part(1));
    case ExtentKind::max:
      return max(part(0), part(1));
    default:
      return make_atom(ExtentKind::floor_div, atom, divisor);
  }
}

SINTER_INLINE Extent exact_quotient_of_monomial(Extent monomial, std::int64_t divisor) {
  Extent result = 1;
  for (const Extent factor : factors_of(monomial)) {
    const std::int64_t part = std::gcd(known_divisor(factor), divisor);
    result *= exact_quotient(factor, part);
    divisor /= part;
  }
  return result;
}

// dividend = divisor * quotient + rest
struct SplitDividend {
  ExtentSum quotient;
  ExtentSum rest;
};

// The multiple of divisor to add to `low`, the least value of a rest, so that it is not negative:
// generated code divides nonnegative numbers faster. Where that would take too much, 0.
SINTER_INLINE std::int64_t lift(std::int64_t low, std::int64_t divisor) {
  constexpr std::int64_t far = std::int64_t{1} << 40;
  if (low >= 0 || low < -far) return 0;
  return -floor_quotient(low, divisor) * divisor;
}

SINTER_INLINE SplitDividend split_multiples(Extent dividend, std::int64_t divisor) {
  SplitDividend result;
  for (const auto& [monomial, coefficient] : terms_of(dividend)) {
    const std::int64_t common = std::gcd(coefficient, divisor);
    if (known_divisor(monomial) % (divisor / common) == 0) {
      const Extent exact = exact_quotient_of_monomial(monomial, divisor / common);
      result.quotient.add(exact, coefficient / common);
      continue;
    }
    result.quotient.add_term(monomial, coefficient / divisor);
    result.rest.add_term(monomial, coefficient % divisor);
  }
  const std::int64_t constant = constant_of(dividend);
  const std::int64_t low = bounds(result.rest.extent_as_is()).min;
  const std::int64_t base = floor_remainder(constant, divisor);
  result.rest.constant = base + lift(saturating_add(base, low), divisor);
  result.quotient.constant += (constant - result.rest.constant) / divisor;
  return result;
}

// Replaces coefficients by others of the same remainder, nearer to 0, if that settles the quotient.
SINTER_INLINE Optional<ExtentDivision> by_congruence(const ExtentSum& rest, std::int64_t divisor) {
  ExtentSum quotient;
  ExtentSum remainder;
  remainder.constant = rest.constant;
  for (const auto& [monomial, coefficient] : rest.terms) {
    const bool far = std::abs(coefficient) > divisor / 2;
    const std::int64_t multiple_of_divisor = !far ? 0 : coefficient > 0 ? 1 : -1;
    quotient.add_term(monomial, multiple_of_divisor);
    remainder.add_term(monomial, coefficient - multiple_of_divisor * divisor);
  }
  const auto constant = constant_quotient(bounds(remainder.extent_as_is()), divisor);
  if (quotient.terms.empty() || !constant) return std::nullopt;
  quotient.constant += *constant;
  remainder.constant -= *constant * divisor;
  return ExtentDivision{quotient.extent(), remainder.extent()};
}

// (g*x + y) / (g*d), where 0 <= y < g, is x / d; remainder g * (x % d) + y.
SINTER_INLINE Optional<ExtentDivision> by_common_factor(const ExtentSum& rest, std::int64_t divisor,
                                                        std::int64_t factor) {
  ExtentSum multiple;
  ExtentSum small;
  for (const auto& [monomial, coefficient] : rest.terms) {
    if (coefficient % factor == 0) {
      multiple.add_term(monomial, coefficient / factor);
    } else {
      small.add_term(monomial, coefficient);
    }
  }
  if (multiple.terms.empty()) return std::nullopt;
  multiple.constant = floor_quotient(rest.constant, factor);
  small.constant = floor_remainder(rest.constant, factor);
  const auto small_quotient = constant_quotient(bounds(small.extent_as_is()), factor);
  if (!small_quotient) return std::nullopt;
  const ExtentDivision division = divide(multiple.extent() + *small_quotient, divisor / factor);
  return ExtentDivision{division.quotient,
                        factor * division.remainder + small.extent() - *small_quotient * factor};
}

SINTER_INLINE Optional<ExtentDivision> by_common_factors(const ExtentSum& rest,
                                                         std::int64_t divisor) {
  for (const ExtentTerm& term : rest.terms) {
    const std::int64_t factor = std::gcd(term.coefficient, divisor);
    if (factor == 1) continue;
    if (auto division = by_common_factor(rest, divisor, factor)) return division;
  }
  return std::nullopt;
}

SINTER_INLINE bool is_atom(Extent extent, ExtentKind kind) {
  return !extent.is_number() && extent.node()->kind == kind;
}

// (x % (k*d)) / d is (x / d) % k; (x / a + y) / d is (x + a*y) / (a*d).
SINTER_INLINE Extent nested_quotient(const ExtentSum& rest, std::int64_t divisor) {
  const Extent dividend = rest.extent();
  const Extent atom = make_atom(ExtentKind::floor_div, dividend, divisor);
  if (is_atom(dividend, ExtentKind::mod)) {
    const auto& operands = dividend.node()->operands;
    if (known_divisor(operands[1]) % divisor != 0) return atom;
    return mod(floor_div(operands[0], divisor), floor_div(operands[1], divisor));
  }
  const auto divides = [](const ExtentTerm& term) { return term.monomial.node()->divides; };
  if (count_if(rest.terms, divides) != 1) return atom;
  for (const ExtentTerm& term : rest.terms) {
    if (term.coefficient != 1 || !is_atom(term.monomial, ExtentKind::floor_div)) continue;
    const auto& operands = term.monomial.node()->operands;
    if (!operands[1].is_number()) continue;
    const Extent others = dividend - term.monomial;
    return floor_div(operands[0] + operands[1] * others, operands[1] * divisor);
  }
  return atom;
}

// (c * (x % m) + y) % d is (c*x + y) % d where d divides c*m.
SINTER_INLINE Extent nested_remainder(const ExtentSum& rest, std::int64_t divisor) {
  ExtentSum stripped;
  stripped.constant = rest.constant;
  bool found = false;
  for (const auto& [monomial, coefficient] : rest.terms) {
    const bool is_mod = is_atom(monomial, ExtentKind::mod);
    const std::int64_t needed = divisor / std::gcd(coefficient, divisor);
    if (is_mod && known_divisor(monomial.node()->operands[1]) % needed == 0) {
      stripped.add(monomial.node()->operands[0], coefficient);
      found = true;
    } else {
      stripped.add_term(monomial, coefficient);
    }
  }
  if (found) return mod(stripped.extent(), divisor);
  return make_atom(ExtentKind::mod, rest.extent(), divisor);
}

SINTER_INLINE ExtentDivision divide_rest(const ExtentSum& rest, std::int64_t divisor) {
  const Extent dividend = rest.extent();
  if (const auto constant = constant_quotient(bounds(dividend), divisor)) {
    return {*constant, dividend - *constant * divisor};
  }
  if (proven_ge0(dividend) && proven_less(dividend, divisor)) return {0, dividend};
  if (const auto division = by_congruence(rest, divisor)) return *division;
  if (const auto division = by_common_factors(rest, divisor)) return *division;
  return {nested_quotient(rest, divisor), nested_remainder(rest, divisor)};
}

SINTER_INLINE ExtentDivision divide_by_number(Extent dividend, std::int64_t divisor) {
  if (divisor == 1) return {dividend, 0};
  if (const auto constant = constant_quotient(bounds(dividend), divisor)) {
    return {*constant, dividend - *constant * divisor};
  }
  const SplitDividend split = split_multiples(dividend, divisor);
  const ExtentDivision division = divide_rest(split.rest, divisor);
  return {split.quotient.extent() + division.quotient, division.remainder};
}

// The term of highest degree; the first of several.
SINTER_INLINE ExtentTerm leading_term(Extent extent) {
  const auto terms = terms_of(extent);
  return *std::max_element(terms.begin(), terms.end(),
                           [](const ExtentTerm& a, const ExtentTerm& b) {
                             return factors_of(a.monomial).size() < factors_of(b.monomial).size();
                           });
}

// monomial / by, if every factor of `by` is one of monomial's.
SINTER_INLINE Optional<Extent> divide_monomials(Extent monomial, Extent by) {
  const auto have = factors_of(monomial);
  const auto need = factors_of(by);
  const auto before = [](Extent a, Extent b) { return compare(a, b) < 0; };
  if (!std::includes(have.begin(), have.end(), need.begin(), need.end(), before)) {
    return std::nullopt;
  }
  ExtentList rest;
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
SINTER_INLINE Optional<ExtentDivision> by_factor(Extent dividend, Extent divisor, Extent factor) {
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
    if (!known && bounds(atom).min >= 0 && all_of(terms, has_it)) {
      result.push_back(atom);
    }
  }
  return result;
}

// dividend / divisor, if it is known to leave no remainder.
SINTER_INLINE Optional<Extent> exact(Extent dividend, Extent divisor) {
  if (dividend.is_number()) return std::nullopt;
  const ExtentDivision division = take_multiples(dividend, divisor);
  return same(division.remainder, 0) ? Optional(division.quotient) : std::nullopt;
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
  for (const int multiple_of_divisor : {0, -1, 1}) {
    const Extent rest = dividend - multiple_of_divisor * divisor;
    if (is_remainder(rest, divisor)) return {multiple_of_divisor, rest};
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

SINTER_INLINE ExtentDivision find_division(Extent dividend, Extent divisor) {
  try {
    if (divisor.is_number()) return divide_by_number(dividend, divisor.number());
    return divide_by_extent(dividend, divisor);
  } catch (const ValueError&) {  // a coefficient overflows: leave the division as it is
    return {make_atom(ExtentKind::floor_div, dividend, divisor),
            make_atom(ExtentKind::mod, dividend, divisor)};
  }
}

SINTER_INLINE void throw_divisor(Extent divisor) {
  throw ValueError({.op = "extent",
                    .what = "a size is divided by a number below 1",
                    .facts = {{"divisor", text(divisor)}},
                    .rule = "divisor >= 1"});
}

SINTER_INLINE Optional<std::int64_t> constant_quotient(const Interval& dividend,
                                                       std::int64_t divisor) {
  if (is_unbounded(dividend.min) || is_unbounded(dividend.max)) return std::nullopt;
  const std::int64_t quotient = floor_quotient(dividend.min, divisor);
  if (quotient != floor_quotient(dividend.max, divisor)) return std::nullopt;
  return quotient;
}

}  // namespace detail

SINTER_INLINE Extent floor_div(Extent a, Extent b) { return detail::divide(a, b).quotient; }

SINTER_INLINE Extent mod(Extent a, Extent b) { return detail::divide(a, b).remainder; }

SINTER_INLINE Extent ceil_div(Extent a, Extent b) { return floor_div(a + (b - 1), b); }

namespace detail {

SINTER_INLINE ExtentDivision divide(Extent dividend, Extent divisor) {
  if (divisor.is_number()) {
    const std::int64_t by = divisor.number();
    if (by < 1) throw_divisor(divisor);
    if (dividend.is_number()) {
      return {floor_quotient(dividend.number(), by), floor_remainder(dividend.number(), by)};
    }
  }
  const auto quotient = recall(ExtentQuestion::floor_div, dividend, divisor);
  const auto remainder = recall(ExtentQuestion::mod, dividend, divisor);
  if (quotient && remainder) return {*quotient, *remainder};
  const ExtentDivision division = detail::find_division(dividend, divisor);
  remember(ExtentQuestion::floor_div, dividend, divisor, division.quotient);
  remember(ExtentQuestion::mod, dividend, divisor, division.remainder);
  return division;
}

}  // namespace detail

}  // namespace sinter::inline SINTER_ABI
