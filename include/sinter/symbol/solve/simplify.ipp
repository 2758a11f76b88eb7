#pragma once

#include <vector>  // std::vector

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/optional.hpp>
#include <sinter/base/error.hpp>
#include <sinter/symbol/extent/division.hpp>
#include <sinter/symbol/extent/interval.hpp>
#include <sinter/symbol/extent/proof.hpp>
#include <sinter/symbol/extent/sum.hpp>
#include <sinter/symbol/solve/simplify.hpp>
#include <sinter/symbol/solve/variables.hpp>

namespace sinter::inline SINTER_ABI::detail {

// What holds under a guard, as extents that are not negative.
class KnownFacts {
 public:
  explicit KnownFacts(Span<const Within> facts) {
    for (const Within& fact : facts) {
      nonnegative_.push_back(fact.extent - fact.low);
      nonnegative_.push_back(fact.high - 1 - fact.extent);
    }
  }

  bool ge0(Extent extent, int depth = 2) const {
    if (proven_ge0(extent)) return true;
    if (depth == 0) return false;
    return any_of(nonnegative_, [&](Extent fact) {
      const auto left = without(extent, fact);
      return left && ge0(*left, depth - 1);
    });
  }

  Interval bounds_of(Extent extent) const {
    return {least(extent), saturating_multiply(least(-extent), -1)};
  }

 private:
  // extent - k * fact for the k > 0 that removes a term; extent is at least that.
  static Optional<Extent> without(Extent extent, Extent fact) {
    const ExtentSum sum(extent);
    for (const auto& [monomial, coefficient] : terms_of(fact)) {
      const std::int64_t in_extent = sum.coefficient(monomial);
      if (in_extent != 0 && in_extent % coefficient == 0 && in_extent / coefficient > 0) {
        return extent - in_extent / coefficient * fact;
      }
    }
    return std::nullopt;
  }

  std::int64_t least(Extent extent) const {
    for (const Extent fact : nonnegative_) {
      const auto left = without(extent, fact);
      if (left && bounds(*left).min > bounds(extent).min) extent = *left;
    }
    return bounds(extent).min;
  }

  std::vector<Extent> nonnegative_;
};

class GuardedSimplifier {
 public:
  explicit GuardedSimplifier(Span<const Within> facts) : facts_(facts) {}

  Extent simplify(Extent extent) const {
    if (extent.is_number() || !extent.node()->divides) return extent;
    ExtentSum result;
    result.constant = constant_of(extent);
    for (const auto& [monomial, coefficient] : terms_of(extent)) {
      Extent product = 1;
      for (const Extent atom : factors_of(monomial)) product *= simplify_atom(atom);
      result.add(product, coefficient);
    }
    return result.extent();
  }

 private:
  Extent simplify_atom(Extent atom) const {
    if (atom.is_variable()) return atom;
    const ExtentNode& node = *atom.node();
    const Extent lhs = simplify(node.operands[0]);
    const Extent rhs = simplify(node.operands[1]);
    switch (node.kind) {
      case ExtentKind::floor_div:
        if (const auto quotient = quotient_of(lhs, rhs)) return *quotient;
        return floor_div(lhs, rhs);
      case ExtentKind::mod:
        if (const auto quotient = quotient_of(lhs, rhs)) return lhs - *quotient * rhs;
        return mod(lhs, rhs);
      default:
        return extreme(node.kind == ExtentKind::min, lhs, rhs);
    }
  }

  Optional<Extent> quotient_of(Extent dividend, Extent divisor) const {
    if (divisor.is_number()) {
      const auto quotient = constant_quotient(facts_.bounds_of(dividend), divisor.number());
      if (quotient) return Extent(*quotient);
    }
    if (facts_.ge0(dividend) && facts_.ge0(divisor - 1 - dividend)) return Extent(0);
    return std::nullopt;
  }

  Extent extreme(bool least, Extent lhs, Extent rhs) const {
    if (facts_.ge0(rhs - lhs)) return least ? lhs : rhs;
    if (facts_.ge0(lhs - rhs)) return least ? rhs : lhs;
    return least ? min(lhs, rhs) : max(lhs, rhs);
  }

  KnownFacts facts_;
};

// `extent` with the variables that a fact leaves only one value.
SINTER_INLINE Extent fix_variables(Extent extent, Span<const Within> facts) {
  for (const Within& fact : facts) {
    if (!fact.extent.is_variable() || !same(fact.high - fact.low, 1)) continue;
    if (!depends_on(fact.low, fact.extent)) extent = substitute(extent, fact.extent, fact.low);
  }
  return extent;
}

SINTER_INLINE bool proven(const Within& within) {
  return proven_less_equal(within.low, within.extent) && proven_less(within.extent, within.high);
}

SINTER_INLINE Extent simplify_under(Extent extent, Span<const Within> facts) {
  try {
    return detail::GuardedSimplifier(facts).simplify(detail::fix_variables(extent, facts));
  } catch (const ValueError&) {  // a coefficient overflows
    return extent;
  }
}

SINTER_INLINE bool proven_ge0_under(Extent extent, Span<const Within> facts) {
  try {
    return detail::KnownFacts(facts).ge0(extent);
  } catch (const ValueError&) {  // a coefficient overflows
    return false;
  }
}

}  // namespace sinter::inline SINTER_ABI::detail
