#pragma once

#include <algorithm>  // std::all_of
#include <numeric>    // std::gcd

#include <sinter/base/container/optional.hpp>
#include <sinter/base/error.hpp>
#include <sinter/symbol/extent/division.hpp>
#include <sinter/symbol/extent/extent.hpp>
#include <sinter/symbol/extent/interval.hpp>
#include <sinter/symbol/extent/memo.hpp>
#include <sinter/symbol/extent/node.hpp>
#include <sinter/symbol/extent/proof.hpp>
#include <sinter/symbol/extent/size_oracle.hpp>
#include <sinter/symbol/extent/sum.hpp>
#include <sinter/symbol/extent/text.hpp>

namespace sinter::inline SINTER_ABI {

SINTER_INLINE Extent Extent::symbol(std::uint32_t id, const detail::SymbolInfo& known) {
  detail::SymbolInfo info = known;
  info.multiple_of = std::max<std::int64_t>(info.multiple_of, 1);
  if (!detail::is_unbounded(info.min)) {
    info.min = -detail::floor_quotient(-info.min, info.multiple_of) * info.multiple_of;
  }
  if (!detail::is_unbounded(info.max)) {
    info.max = detail::floor_quotient(info.max, info.multiple_of) * info.multiple_of;
  }
  return detail::intern({.kind = detail::ExtentKind::symbol, .id = id, .known = info});
}

SINTER_INLINE Extent Extent::range(std::uint32_t id, Extent extent) {
  if (detail::same(extent, 1)) return 0;
  return detail::intern({.kind = detail::ExtentKind::range, .id = id, .operands = {extent}});
}

SINTER_INLINE bool Extent::is_symbol() const {
  return !is_number() && node()->kind == detail::ExtentKind::symbol;
}

SINTER_INLINE bool Extent::is_range() const {
  return !is_number() && node()->kind == detail::ExtentKind::range;
}

SINTER_INLINE std::uint32_t Extent::id() const {
  if (!is_variable()) throw InternalError(detail::text(*this, " is no variable"));
  return node()->id;
}

SINTER_INLINE detail::SymbolInfo Extent::symbol_info() const {
  if (!is_symbol()) throw InternalError(detail::text(*this, " is no symbol"));
  return node()->known;
}

SINTER_INLINE Extent Extent::range_extent() const {
  if (!is_range()) throw InternalError(detail::text(*this, " is no range"));
  return node()->operands[0];
}

SINTER_INLINE void Extent::throw_not_a_number() const {
  throw InternalError(detail::text(*this, " is no number"));
}

SINTER_INLINE void Extent::throw_too_large(std::int64_t number, std::size_t bits) {
  throw ValueError({.op = "conversion of a size",
                    .what = detail::text("the size is not a number of ", bits, " bits"),
                    .facts = {{"size", detail::text(number)}},
                    .rule = "the type holds the number",
                    .fix = "convert to std::int64_t, or write x.size(dim).value()"});
}

SINTER_INLINE Extent Extent::add_symbolic(Extent a, Extent b) {
  if (detail::same(a, 0)) return b;
  if (detail::same(b, 0)) return a;
  detail::ExtentSum sum(a);
  sum.add(b);
  return sum.extent();
}

SINTER_INLINE Extent Extent::subtract_symbolic(Extent a, Extent b) {
  if (detail::same(a, b)) return 0;
  detail::ExtentSum sum(a);
  sum.add(b, -1);
  return sum.extent();
}

SINTER_INLINE Extent Extent::multiply_symbolic(Extent a, Extent b) {
  if (detail::same(a, 1)) return b;
  if (detail::same(b, 1)) return a;
  detail::ExtentSum sum;
  sum.add_product(a, b);
  return sum.extent();
}

namespace detail {

// The terms that a and b have in common, which min(a, b) and max(a, b) have outside.
SINTER_INLINE Extent common_part(Extent a, Extent b) {
  const ExtentSum other(b);
  ExtentSum result;
  for (const auto& [monomial, coefficient] : terms_of(a)) {
    if (other.coefficient(monomial) == coefficient) result.add_term(monomial, coefficient);
  }
  if (constant_of(a) == other.constant) result.constant = other.constant;
  return result.extent();
}

SINTER_INLINE Extent find_extreme(ExtentKind kind, Extent a, Extent b) {
  const bool least = kind == ExtentKind::min;
  if (proven_less_equal(a, b)) return least ? a : b;
  if (proven_less_equal(b, a)) return least ? b : a;
  const Extent common = common_part(a, b);
  Extent x = a - common;
  Extent y = b - common;
  if (compare(x, y) > 0) std::swap(x, y);
  // A number is easier to find at the end: min(r0 + 3, 64).
  if (x.is_number()) std::swap(x, y);
  return make_atom(kind, x, y) + common;
}

SINTER_INLINE Extent extreme(ExtentKind kind, ExtentQuestion question, Extent a, Extent b) {
  if (const auto known = recall(question, a, b)) return *known;
  const Extent result = find_extreme(kind, a, b);
  remember(question, a, b, result);
  return result;
}

}  // namespace detail

SINTER_INLINE Extent min(Extent a, Extent b) {
  if (a.is_number() && b.is_number()) return a.number() < b.number() ? a : b;
  return detail::extreme(detail::ExtentKind::min, detail::ExtentQuestion::min, a, b);
}

SINTER_INLINE Extent max(Extent a, Extent b) {
  if (a.is_number() && b.is_number()) return a.number() > b.number() ? a : b;
  return detail::extreme(detail::ExtentKind::max, detail::ExtentQuestion::max, a, b);
}

namespace detail {

// The answer that holds whatever the symbols are, if there is one.
SINTER_INLINE Optional<bool> always(Extent lhs, Relation relation, Extent rhs) {
  const auto decide = [](bool yes, bool no) {
    return yes ? Optional(true) : no ? Optional(false) : std::nullopt;
  };
  switch (relation) {
    case Relation::equal:
      return decide(proven_equal(lhs, rhs), proven_not_equal(lhs, rhs));
    case Relation::not_equal:
      return decide(proven_not_equal(lhs, rhs), proven_equal(lhs, rhs));
    case Relation::less:
      return decide(proven_less(lhs, rhs), proven_less_equal(rhs, lhs));
    case Relation::less_equal:
      return decide(proven_less_equal(lhs, rhs), proven_less(rhs, lhs));
    case Relation::greater:
      return decide(proven_less(rhs, lhs), proven_less_equal(lhs, rhs));
    case Relation::greater_equal:
      break;
  }
  return decide(proven_less_equal(rhs, lhs), proven_less(lhs, rhs));
}

SINTER_INLINE SizeOracle& oracle_for(const std::string& op, const std::string& asked, Where where) {
  if (SizeOracle* oracle = current_size_oracle()) return *oracle;
  throw ValueError({.op = op,
                    .what = "the size is not known outside of the function that is compiled",
                    .facts = {{"asked", asked}},
                    .rule = "symbolic sizes are read while their program is recorded",
                    .fix = "return the size from the compiled function, or ask the tensor again",
                    .where = where});
}

SINTER_INLINE bool decide(const LocatedExtent& lhs, Relation relation, const LocatedExtent& rhs) {
  if (lhs.value.is_number() && rhs.value.is_number()) {
    return holds(lhs.value.number(), relation, rhs.value.number());
  }
  if (const auto answer = always(lhs.value, relation, rhs.value)) return *answer;
  const std::string asked = text(lhs.value, " ", to_string(relation), " ", rhs.value);
  SizeOracle& oracle = oracle_for("comparison of sizes", asked, lhs.where);
  return oracle.decide(lhs.value, relation, rhs.value, lhs.where);
}

}  // namespace detail

SINTER_INLINE bool operator==(const detail::LocatedExtent& lhs, const detail::LocatedExtent& rhs) {
  return detail::decide(lhs, detail::Relation::equal, rhs);
}
SINTER_INLINE bool operator!=(const detail::LocatedExtent& lhs, const detail::LocatedExtent& rhs) {
  return detail::decide(lhs, detail::Relation::not_equal, rhs);
}
SINTER_INLINE bool operator<(const detail::LocatedExtent& lhs, const detail::LocatedExtent& rhs) {
  return detail::decide(lhs, detail::Relation::less, rhs);
}
SINTER_INLINE bool operator<=(const detail::LocatedExtent& lhs, const detail::LocatedExtent& rhs) {
  return detail::decide(lhs, detail::Relation::less_equal, rhs);
}
SINTER_INLINE bool operator>(const detail::LocatedExtent& lhs, const detail::LocatedExtent& rhs) {
  return detail::decide(lhs, detail::Relation::greater, rhs);
}
SINTER_INLINE bool operator>=(const detail::LocatedExtent& lhs, const detail::LocatedExtent& rhs) {
  return detail::decide(lhs, detail::Relation::greater_equal, rhs);
}

SINTER_INLINE std::int64_t Extent::value(Where where) const {
  if (is_number()) return signed_bits();
  const std::string asked = detail::text(*this, ".value()");
  return detail::oracle_for("value", asked, where).value(*this, where);
}

SINTER_INLINE std::string symbolic_text(Extent extent) {
  return to_string(extent, detail::default_name);
}

SINTER_INLINE std::string to_string(Extent extent, Where where) {
  detail::SizeOracle* const oracle = detail::current_size_oracle();
  const bool is_known = extent.is_number() || oracle == nullptr;
  return is_known ? symbolic_text(extent) : detail::text(oracle->shown(extent, where));
}

}  // namespace sinter::inline SINTER_ABI
