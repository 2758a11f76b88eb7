#pragma once
// The sizes of a recording: what its symbols are found to be, and what is
// assumed of them.

#include <algorithm>  // std::any_of

#include <sinter/symbol/evaluate.hpp>
#include <sinter/symbol/extent_text.hpp>
#include <sinter/symbol/proof.hpp>
#include <sinter/symbol/solve.hpp>
#include <sinter/symbol/variables.hpp>
#include <sinter/trace/recorder.hpp>

namespace sinter::inline SINTER_ABI::detail {

constexpr Relation negated(Relation relation) {
  switch (relation) {
    case Relation::equal:
      return Relation::not_equal;
    case Relation::not_equal:
      return Relation::equal;
    case Relation::less:
      return Relation::greater_equal;
    case Relation::less_equal:
      return Relation::greater;
    case Relation::greater:
      return Relation::less_equal;
    case Relation::greater_equal:
      break;
  }
  return Relation::less;
}

// True if the relation holds whatever the symbols are.
SINTER_INLINE bool is_certain(const Assumption& assumption) {
  const Extent lhs = assumption.lhs, rhs = assumption.rhs;
  switch (assumption.relation) {
    case Relation::equal:
      return proven_equal(lhs, rhs);
    case Relation::not_equal:
      return proven_not_equal(lhs, rhs);
    case Relation::less:
      return proven_less(lhs, rhs);
    case Relation::less_equal:
      return proven_less_equal(lhs, rhs);
    case Relation::greater:
      return proven_less(rhs, lhs);
    case Relation::greater_equal:
      break;
  }
  return proven_less_equal(rhs, lhs);
}

SINTER_INLINE bool same(const Assumption& a, const Assumption& b) {
  return a.relation == b.relation && same(a.lhs, b.lhs) && same(a.rhs, b.rhs);
}

SINTER_INLINE Extent Recorder::resolve(Extent extent) const {
  if (extent.is_number() || !has_replaced_) return extent;
  if (extent.is_symbol()) return symbols_[extent.id()].value;
  return substitute(extent, [this](Extent variable) {
    return variable.is_symbol() ? symbols_[variable.id()].value : variable;
  });
}

SINTER_INLINE Shape Recorder::resolve(const Shape& shape) const {
  if (!has_replaced_) return shape;
  Shape result;
  for (const Extent& extent : shape) result.push_back(resolve(extent));
  return result;
}

SINTER_INLINE bool Recorder::has_free_sizes() const {
  return std::any_of(symbols_.begin(), symbols_.end(),
                     [](const SizeSymbol& symbol) { return symbol.freedom != Freedom::fixed; });
}

SINTER_INLINE Shape Recorder::with_fixed_sizes(const Shape& shape) const {
  Shape result;
  for (const Extent& extent : shape) {
    result.push_back(substitute(extent, [this](Extent variable) {
      if (!variable.is_symbol()) return variable;
      const SizeSymbol& symbol = symbols_[variable.id()];
      return symbol.freedom == Freedom::fixed ? Extent(symbol.hint) : variable;
    }));
  }
  return result;
}

SINTER_INLINE std::int64_t Recorder::hint(Extent extent) const {
  if (extent.is_number()) return extent.number();
  return evaluate(extent, [this](Extent variable) { return symbols_[variable.id()].hint; });
}

SINTER_INLINE std::string Recorder::describe(Extent extent) const {
  const auto name_of_variable = [this](Extent variable) {
    const SizeSymbol& symbol = symbols_[variable.id()];
    return name_of(symbol);
  };
  std::string result = to_string(extent, name_of_variable);
  for (Extent variable : variables(extent)) {
    const Where marked = symbols_[variable.id()].marked;
    if (marked.line() != 0) return text(result, ", marked at ", sinter::to_string(marked));
  }
  return result;
}

SINTER_INLINE void Recorder::assume(const Assumption& assumption) {
  if (detail::is_certain(assumption)) return;
  const bool is_known =
      std::any_of(assumptions_.begin(), assumptions_.end(),
                  [&](const Assumption& known) { return detail::same(known, assumption); });
  if (is_known) return;
  assumptions_.push_back(assumption);
  assumptions_.back().path = path_;
}

SINTER_INLINE bool Recorder::decide(Extent lhs, Relation relation, Extent rhs, Where where) {
  ++questions_;
  lhs = resolve(lhs), rhs = resolve(rhs);
  const bool answer = holds(hint(lhs), relation, hint(rhs));
  const Relation true_relation = answer ? relation : detail::negated(relation);
  if (true_relation == Relation::equal) {
    make_equal(lhs, rhs, Asked::compared, where);
  } else {
    assume({lhs, rhs, true_relation, where});
  }
  return answer;
}

SINTER_INLINE std::int64_t Recorder::value(Extent extent, Where where) {
  ++questions_;
  extent = resolve(extent);
  const std::int64_t number = hint(extent);
  for (Extent variable : variables(extent)) {
    const SizeSymbol& symbol = symbols_[variable.id()];
    if (symbol.freedom == Freedom::marked) throw_constraint(symbol, symbol.hint, where);
  }
  make_equal(extent, number, Asked::needed, where);
  return number;
}

SINTER_INLINE std::int64_t Recorder::shown(Extent extent, Where where) {
  ++questions_;
  extent = resolve(extent);
  const std::int64_t number = hint(extent);
  if (!extent.is_number()) make_equal(extent, number, Asked::compared, where);
  return number;
}

SINTER_INLINE bool Recorder::unify(Extent lhs, Extent rhs, Where where) {
  ++questions_;
  lhs = resolve(lhs), rhs = resolve(rhs);
  if (hint(lhs) != hint(rhs)) {
    assume({lhs, rhs, Relation::not_equal, where});
    return false;
  }
  make_equal(lhs, rhs, Asked::needed, where);
  return true;
}

// What is at most 1 whatever the sizes are, as a slice of one element, is no size of a marked
// dimension: that it is not 0 is assumed. So it is where the program computes 1 from a marked one.
SINTER_INLINE bool Recorder::fix_one(Extent extent, Where where) {
  extent = resolve(extent);
  if (extent.is_number()) return extent.number() == 1;
  if (hint(extent) != 1) return false;
  ++questions_;
  if (proven_less_equal(extent, 1) && !extent.is_symbol()) {
    assume({extent, 1, Relation::equal, where});
    return true;
  }
  bool is_marked = false;
  for (Extent variable : variables(extent)) {
    is_marked |= symbols_[variable.id()].freedom == Freedom::marked;
  }
  if (is_marked && extent.is_symbol()) return false;
  make_equal(extent, 1, is_marked ? Asked::compared : Asked::needed, where);
  return true;
}

// From s0*s1 - 3*s0 to s1 - 3, where s0 is not 0 in this call: then s1 is 3,
// and s0 stays free.
SINTER_INLINE Extent Recorder::without_common_factors(Extent equation) const {
  for (Extent variable : variables(equation)) {
    if (hint(variable) == 0) continue;
    if (const auto rest = divide_exactly(equation, variable)) {
      return without_common_factors(*rest);
    }
  }
  return primitive_part(equation);
}

// Solves for the least free symbol that stands alone. What cannot be solved is
// assumed; but where a product of symbols has to be a number, so have they.
SINTER_INLINE void Recorder::make_equal(Extent lhs, Extent rhs, Asked asked, Where where) {
  if (lhs.is_number()) std::swap(lhs, rhs);
  const bool is_simple = rhs.is_number() && lhs.is_symbol();
  if (is_simple && symbols_[lhs.id()].freedom == Freedom::fixed) {
    return replace(lhs.id(), rhs, asked, where);
  }
  if (proven_equal(lhs, rhs)) return;
  const Extent equation = without_common_factors(lhs - rhs);
  const SizeSymbol* solved = nullptr;
  for (Extent variable : variables(equation)) {
    const SizeSymbol& candidate = symbols_[variable.id()];
    const bool is_freer = solved != nullptr && candidate.freedom >= solved->freedom;
    if (!is_freer && solve(equation, variable)) solved = &candidate;
  }
  if (solved != nullptr) {
    replace(solved->symbol.id(), *solve(equation, solved->symbol), asked, where);
  } else if (asked == Asked::needed && (lhs.is_number() || rhs.is_number()) &&
             (is_polynomial(equation) || has_fixed(equation))) {
    fix_least_free(equation, where);
    make_equal(resolve(lhs), resolve(rhs), asked, where);
  } else {
    assume({lhs, rhs, Relation::equal, where});
  }
}

// True if some symbol of `extent` is a number in the end.
SINTER_INLINE bool Recorder::has_fixed(Extent extent) const {
  for (Extent variable : variables(extent)) {
    if (symbols_[variable.id()].freedom == Freedom::fixed) return true;
  }
  return false;
}

SINTER_INLINE void Recorder::fix_least_free(Extent extent, Where where) {
  const SizeSymbol* least = nullptr;
  for (Extent variable : variables(extent)) {
    const SizeSymbol& candidate = symbols_[variable.id()];
    if (least == nullptr || candidate.freedom < least->freedom) least = &candidate;
  }
  replace(least->symbol.id(), least->hint, Asked::needed, where);
}

SINTER_INLINE void Recorder::replace(std::size_t index, Extent value, Asked asked, Where where) {
  SizeSymbol& symbol = symbols_[index];
  if (value.is_number() && symbol.freedom == Freedom::marked && asked == Asked::needed) {
    throw_constraint(symbol, value, where);
  }
  symbol.found = value;
  symbol.decided = where;
  symbol.path = path_;
  has_replaced_ = true;
  for (Extent variable : variables(value)) {  // they are as free as what they are now
    SizeSymbol& other = symbols_[variable.id()];
    if (other.freedom >= symbol.freedom) continue;
    other.freedom = symbol.freedom;
    other.marked = symbol.marked;
  }
  for (SizeSymbol& other : symbols_) {
    if (!other.value.is_number()) other.value = substitute(other.value, symbol.symbol, value);
  }
}

SINTER_INLINE void Recorder::throw_constraint(const SizeSymbol& symbol, Extent value,
                                              Where where) const {
  const bool is_named = symbol.marked.line() == 0;
  Report report{
      .op = is_named ? "compile" : "mark_dynamic",
      .what = text("the program needs one size of a dimension that is ",
                   is_named ? "named" : "marked dynamic"),
      .facts = {{"dim", name_of(symbol)}, {"size", text(value)}},
      .rule = text("a ", is_named ? "named" : "marked", " dimension takes every size of its range"),
      .fix = text("write the program for any size (x.size(0) in "
                  "place of the number), or ",
                  is_named ? "write the number in place of the name" : "use maybe_mark_dynamic"),
      .where = where,
      .see = "dynamic-dimensions"};
  if (!is_named) report.facts.push_back({"marked", sinter::to_string(symbol.marked)});
  throw ConstraintError(std::move(report));
}

SINTER_INLINE void Recorder::fix_sizes() {
  for (std::size_t i = 0; i < symbols_.size(); ++i) {
    const bool is_left = same(symbols_[i].value, symbols_[i].symbol);
    if (is_left && symbols_[i].freedom == Freedom::fixed) {
      replace(i, symbols_[i].hint, Asked::needed, {});
    }
  }
  for (Assumption& assumption : assumptions_) {
    assumption.lhs = resolve(assumption.lhs);
    assumption.rhs = resolve(assumption.rhs);
  }
  std::erase_if(assumptions_, detail::is_certain);
}

}  // namespace sinter::inline SINTER_ABI::detail
