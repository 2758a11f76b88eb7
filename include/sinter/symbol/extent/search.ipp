#pragma once

#include <vector>  // std::vector

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/optional.hpp>
#include <sinter/base/error.hpp>
#include <sinter/symbol/extent/extent.hpp>
#include <sinter/symbol/extent/interval.hpp>
#include <sinter/symbol/extent/node.hpp>
#include <sinter/symbol/extent/search.hpp>
#include <sinter/symbol/extent/sum.hpp>

namespace sinter::inline SINTER_ABI::detail {

class ProofSearch {
 public:
  bool ge0(Extent extent) {
    const Interval interval = bounds(extent);
    if (interval.min >= 0) return true;
    if (interval.max < 0 || --steps_ < 0) return false;
    for (const Extent atom : atoms_of(extent)) {
      if (const auto view = view_in(extent, atom)) {
        if (by_extreme(*view)) return true;
      }
    }
    return false;
  }

 private:
  // rest + factor * atom, where factor has a known sign.
  struct View {
    Extent atom;
    Extent factor;
    Extent rest;
    bool grows;

    Extent with(Extent value) const { return rest + factor * value; }
  };

  // Order of elimination: composite atoms before the atoms they contain.
  static std::vector<Extent> atoms_of(Extent extent) {
    std::vector<Extent> result;
    for (const ExtentTerm& term : terms_of(extent)) {
      for (const Extent atom : factors_of(term.monomial)) {
        const bool known = any_of(result, [&](Extent other) { return same(other, atom); });
        if (!known) result.push_back(atom);
      }
    }
    stable_sort(result, [](Extent a, Extent b) { return compare(a, b) > 0; });
    return result;
  }

  // For a power, one factor is the atom, the others remain in its coefficient.
  static Optional<View> view_in(Extent extent, Extent atom) {
    ExtentSum factor;
    ExtentSum rest;
    rest.constant = constant_of(extent);
    for (const auto& [monomial, coefficient] : terms_of(extent)) {
      const auto factors = factors_of(monomial);
      const auto is_it = [&](Extent one) { return same(one, atom); };
      if (none_of(factors, is_it)) {
        rest.add_term(monomial, coefficient);
      } else {
        factor.add(divide_monomial(monomial, atom), coefficient);
      }
    }
    const Extent multiplier = factor.extent();
    const bool grows = bounds(multiplier).min >= 0;
    if (!grows && bounds(multiplier).max > 0) return std::nullopt;
    return View{atom, multiplier, rest.extent(), grows};
  }

  bool by_extreme(const View& view) {
    const ExtentNode& node = *view.atom.node();
    switch (node.kind) {
      case ExtentKind::symbol: {
        const std::int64_t bound = view.grows ? node.known.min : node.known.max;
        return !is_unbounded(bound) && ge0(view.with(bound));
      }
      case ExtentKind::range:
        return ge0(view.with(view.grows ? Extent(0) : node.operands[0] - 1));
      case ExtentKind::floor_div:
        return by_quotient(view, node.operands[0], node.operands[1]);
      case ExtentKind::mod:
        return by_remainder(view, node.operands[0], node.operands[1]);
      case ExtentKind::min:
      case ExtentKind::max: {
        const bool either = (node.kind == ExtentKind::min) != view.grows;
        const bool first = ge0(view.with(node.operands[0]));
        if (first == either) return first;
        return ge0(view.with(node.operands[1]));
      }
      default:
        return false;
    }
  }

  // d * sum is a multiple of d, so that sum >= 0 follows from d * sum > -d.
  bool by_quotient(const View& view, Extent dividend, Extent divisor) {
    const Extent extreme = view.grows ? dividend - (divisor - 1) : dividend;
    if (ge0(view.rest * divisor + view.factor * extreme + (divisor - 1))) return true;
    if (view.grows && bounds(dividend).min >= 0) return ge0(view.rest);
    const auto furthest = at_extreme(dividend, view.grows);
    return furthest && ge0(view.with(floor_div(*furthest, divisor)));
  }

  bool by_remainder(const View& view, Extent dividend, Extent divisor) {
    if (view.grows) return ge0(view.rest);
    if (ge0(view.with(divisor - 1))) return true;
    return bounds(dividend).min >= 0 && ge0(view.with(dividend));
  }

  // `extent` with each range where the sum is least or greatest; nothing if it has none.
  static Optional<Extent> at_extreme(Extent extent, bool least) {
    bool found = false;
    for (const Extent atom : atoms_of(extent)) {
      if (!atom.is_range()) continue;
      const auto view = view_in(extent, atom);
      if (!view) return std::nullopt;
      extent = view->with(view->grows == least ? Extent(0) : atom.range_extent() - 1);
      found = true;
    }
    return found ? Optional(extent) : std::nullopt;
  }

  int steps_ = 64;
};

SINTER_INLINE bool find_proof_of_ge0(Extent extent) {
  try {
    return detail::ProofSearch().ge0(extent);
  } catch (const ValueError&) {  // a coefficient overflows
    return false;
  }
}

}  // namespace sinter::inline SINTER_ABI::detail
