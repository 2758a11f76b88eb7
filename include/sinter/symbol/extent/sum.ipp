#pragma once

#include <algorithm>  // std::lower_bound
#include <optional>   // std::optional

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/optional.hpp>
#include <sinter/symbol/extent/extent.hpp>
#include <sinter/symbol/extent/node.hpp>
#include <sinter/symbol/extent/sum.hpp>

namespace sinter::inline SINTER_ABI::detail {

SINTER_INLINE auto place_of(ExtentTerms& terms, Extent monomial) {
  return std::lower_bound(
      terms.begin(), terms.end(), monomial,
      [](const ExtentTerm& term, Extent one) { return compare(term.monomial, one) < 0; });
}

SINTER_INLINE Extent multiply_monomials(Extent a, Extent b) {
  const auto more = factors_of(b);
  ExtentList factors(factors_of(a).begin(), factors_of(a).end());
  factors.append(more.begin(), more.end());
  return make_product(std::move(factors));
}

SINTER_INLINE Extent divide_monomial(Extent monomial, Extent atom) {
  ExtentList factors(factors_of(monomial).begin(), factors_of(monomial).end());
  erase_at(factors, find_if(factors, [&](Extent factor) { return same(factor, atom); }));
  return make_product(std::move(factors));
}

SINTER_INLINE ExtentSum::ExtentSum(Extent extent)
    : terms(terms_of(extent).begin(), terms_of(extent).end()), constant(constant_of(extent)) {}

SINTER_INLINE void ExtentSum::add_term(Extent monomial, std::int64_t coefficient) {
  if (coefficient == 0) return;
  const auto place = detail::place_of(terms, monomial);
  if (place == terms.end() || !same(place->monomial, monomial)) {
    insert_at(terms, place, {monomial, coefficient});
    return;
  }
  place->coefficient = checked_add(place->coefficient, coefficient);
  if (place->coefficient == 0) erase_at(terms, place);
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
  const auto found =
      find_if(terms, [&](const ExtentTerm& term) { return same(term.monomial, monomial); });
  return found == terms.end() ? 0 : found->coefficient;
}

SINTER_INLINE Extent ExtentSum::extent() const {
  const bool divides =
      any_of(terms, [](const ExtentTerm& term) { return term.monomial.node()->divides; });
  return divides ? join(*this).extent_as_is() : extent_as_is();
}

SINTER_INLINE Extent ExtentSum::extent_as_is() const {
  if (terms.empty()) return {constant, Where()};
  if (terms.size() == 1 && terms[0].coefficient == 1 && constant == 0) return terms[0].monomial;
  return intern({.kind = ExtentKind::sum, .terms = terms, .constant = constant});
}

// coefficient * others * atom: one way to see a term.
struct Occurrence {
  std::int64_t coefficient;
  Extent others;
  Extent atom;

  const ExtentNode& node() const { return *atom.node(); }
  Extent dividend() const { return node().operands[0]; }
  Extent divisor() const { return node().operands[1]; }
};

struct SumSize {
  std::ptrdiff_t divisions = 0;
  std::size_t terms = 0;
  auto operator<=>(const SumSize&) const = default;
};

SINTER_INLINE SumSize size_of(const ExtentSum& sum) {
  SumSize result{0, sum.terms.size()};
  for (const ExtentTerm& term : sum.terms) {
    const auto factors = factors_of(term.monomial);
    result.divisions += count_if(factors, [](Extent factor) { return !factor.is_variable(); });
  }
  return result;
}

// True if every term of `part`, or every one that divides, is in `sum` as it is in `part`.
SINTER_INLINE bool contains(const ExtentSum& sum, const ExtentSum& part, bool only_divisions) {
  bool any = false;
  for (const ExtentTerm& term : part.terms) {
    if (only_divisions && !term.monomial.node()->divides) continue;
    if (sum.coefficient(term.monomial) != term.coefficient) return false;
    any = true;
  }
  return any;
}

SINTER_INLINE ExtentSum product(Extent a, Extent b, std::int64_t coefficient) {
  ExtentSum result;
  result.add_product(a, b, coefficient);
  return result;
}

// c*(x//c) + x%c -> x
SINTER_INLINE Optional<ExtentSum> join_remainder(const ExtentSum& sum, const Occurrence& found) {
  const Extent quotient = floor_div(found.dividend(), found.divisor());
  const ExtentSum scale = product(found.others, found.divisor(), found.coefficient);
  const ExtentSum partner = product(scale.extent_as_is(), quotient, 1);
  if (!contains(sum, partner, true)) return std::nullopt;
  ExtentSum result = sum;
  result.add(partner, -1);
  result.add(product(found.others, found.atom, found.coefficient), -1);
  result.add(product(found.others, found.dividend(), found.coefficient), 1);
  return result;
}

// c*(x//c) -> x where c divides x
SINTER_INLINE Optional<ExtentSum> join_exact(const ExtentSum& sum, const Occurrence& found) {
  if (!found.divisor().is_number()) return std::nullopt;
  const std::int64_t divisor = found.divisor().number();
  if (found.coefficient % divisor != 0) return std::nullopt;
  if (known_divisor(found.dividend()) % divisor != 0) return std::nullopt;
  ExtentSum result = sum;
  result.add(product(found.others, found.atom, found.coefficient), -1);
  result.add(product(found.others, found.dividend(), found.coefficient / divisor), 1);
  return result;
}

// The k and the rest for which term = -k * rest * divisor * quotient, of a divisor of one term.
SINTER_INLINE Optional<Occurrence> undo_divisor(const Occurrence& found) {
  if (constant_of(found.divisor()) != 0 && !found.divisor().is_number()) return std::nullopt;
  if (terms_of(found.divisor()).size() > 1) return std::nullopt;
  std::int64_t number = constant_of(found.divisor());
  Extent others = found.others;
  for (const ExtentTerm& term : terms_of(found.divisor())) {
    number = term.coefficient;
    for (const Extent factor : factors_of(term.monomial)) {
      if (others.is_number()) return std::nullopt;
      const auto factors = factors_of(others);
      const auto is_it = [&](Extent one) { return same(one, factor); };
      if (none_of(factors, is_it)) return std::nullopt;
      others = divide_monomial(others, factor);
    }
  }
  if (found.coefficient % number != 0) return std::nullopt;
  return Occurrence{-(found.coefficient / number), others, found.atom};
}

// x - c*(x//c) -> x%c
SINTER_INLINE Optional<ExtentSum> join_dividend(const ExtentSum& sum, const Occurrence& found) {
  const auto scaled = undo_divisor(found);
  if (!scaled) return std::nullopt;
  const ExtentSum dividend = product(scaled->others, found.dividend(), scaled->coefficient);
  if (!contains(sum, dividend, false)) return std::nullopt;
  ExtentSum result = sum;
  result.add(dividend, -1);
  result.add(product(found.others, found.atom, found.coefficient), -1);
  const Extent remainder = mod(found.dividend(), found.divisor());
  result.add(product(scaled->others, remainder, scaled->coefficient), 1);
  return result;
}

// x//a - c*(x//(a*c)) -> (x//a)%c
SINTER_INLINE Optional<ExtentSum> join_quotients(const ExtentSum& sum, const Occurrence& found) {
  if (!found.divisor().is_number()) return std::nullopt;
  const std::int64_t divisor = found.divisor().number();
  for (const ExtentTerm& term : sum.terms) {
    for (const Extent atom : factors_of(term.monomial)) {
      if (atom.node()->kind != ExtentKind::floor_div || same(atom, found.atom)) continue;
      const Occurrence inner{term.coefficient, divide_monomial(term.monomial, atom), atom};
      if (!same(inner.dividend(), found.dividend()) || !same(inner.others, found.others)) continue;
      if (!inner.divisor().is_number() || divisor % inner.divisor().number() != 0) continue;
      const std::int64_t ratio = divisor / inner.divisor().number();
      if (found.coefficient != -checked_multiply(inner.coefficient, ratio)) continue;
      ExtentSum result = sum;
      result.add(product(found.others, found.atom, found.coefficient), -1);
      result.add(product(inner.others, inner.atom, inner.coefficient), -1);
      result.add(product(inner.others, mod(inner.atom, ratio), inner.coefficient), 1);
      return result;
    }
  }
  return std::nullopt;
}

SINTER_INLINE Optional<ExtentSum> join_once(const ExtentSum& sum) {
  const SumSize size = size_of(sum);
  const auto smaller = [&](const Optional<ExtentSum>& joined) {
    return joined && size_of(*joined) < size;
  };
  for (const ExtentTerm& term : sum.terms) {
    for (const Extent atom : factors_of(term.monomial)) {
      const ExtentKind kind = atom.node()->kind;
      if (kind != ExtentKind::mod && kind != ExtentKind::floor_div) continue;
      const Occurrence found{term.coefficient, divide_monomial(term.monomial, atom), atom};
      if (kind == ExtentKind::mod) {
        if (auto joined = join_remainder(sum, found); smaller(joined)) return joined;
        continue;
      }
      for (const auto& rule : {join_exact, join_dividend, join_quotients}) {
        if (auto joined = rule(sum, found); smaller(joined)) return joined;
      }
    }
  }
  return std::nullopt;
}

SINTER_INLINE ExtentSum join(ExtentSum sum) {
  while (auto joined = detail::join_once(sum)) sum = std::move(*joined);
  return sum;
}

}  // namespace sinter::inline SINTER_ABI::detail
