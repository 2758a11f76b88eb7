#pragma once

#include <sinter/base/container/algorithm.hpp>
#include <sinter/symbol/extent/node.hpp>
#include <sinter/symbol/extent/sum.hpp>
#include <sinter/symbol/solve/variables.hpp>

namespace sinter::inline SINTER_ABI::detail {

using Substitution = FunctionRef<Extent(Extent)>;

SINTER_INLINE Extent substitute_atom(Extent atom, Substitution value) {
  if (atom.is_variable()) return value(atom);
  const ExtentNode& node = *atom.node();
  const Extent lhs = substitute(node.operands[0], value);
  const Extent rhs = substitute(node.operands[1], value);
  switch (node.kind) {
    case ExtentKind::floor_div:
      return floor_div(lhs, rhs);
    case ExtentKind::mod:
      return mod(lhs, rhs);
    case ExtentKind::min:
      return min(lhs, rhs);
    default:
      return max(lhs, rhs);
  }
}

SINTER_INLINE Span<const Extent> variables(Extent extent) {
  if (extent.is_number()) return {};
  return extent.node()->variables;
}

SINTER_INLINE bool depends_on(Extent extent, Extent variable) {
  const auto all = variables(extent);
  return any_of(all, [&](Extent one) { return same(one, variable); });
}

SINTER_INLINE Extent substitute(Extent extent, FunctionRef<Extent(Extent)> value) {
  const auto all = variables(extent);
  const auto stays = [&](Extent variable) { return same(value(variable), variable); };
  if (all_of(all, stays)) return extent;
  ExtentSum result;
  result.constant = constant_of(extent);
  for (const ExtentTerm& term : terms_of(extent)) {
    Extent product = 1;
    for (const Extent atom : factors_of(term.monomial)) {
      product *= detail::substitute_atom(atom, value);
    }
    result.add(product, term.coefficient);
  }
  return result.extent();
}

SINTER_INLINE Extent substitute(Extent extent, Span<const std::pair<Extent, Extent>> values) {
  return substitute(extent, [&](Extent variable) {
    for (const auto& [from, to] : values) {
      if (same(from, variable)) return to;
    }
    return variable;
  });
}

SINTER_INLINE Extent substitute(Extent extent, Extent variable, Extent value) {
  return substitute(extent, [&](Extent one) { return same(one, variable) ? value : one; });
}

SINTER_INLINE Optional<Extent> coefficient_of(Extent extent, Extent variable) {
  ExtentSum result;
  for (const ExtentTerm& term : terms_of(extent)) {
    if (!depends_on(term.monomial, variable)) continue;
    const auto factors = factors_of(term.monomial);
    const auto is_it = [&](Extent factor) { return same(factor, variable); };
    if (none_of(factors, is_it)) return std::nullopt;
    const Extent others = divide_monomial(term.monomial, variable);
    if (depends_on(others, variable)) return std::nullopt;
    result.add(others, term.coefficient);
  }
  return result.extent();
}

SINTER_INLINE bool has_step(Extent extent, Extent variable, Extent step) {
  const auto found = coefficient_of(extent, variable);
  return found && same(*found, step);
}

SINTER_INLINE Extent without(Extent extent, Extent variable) {
  return substitute(extent, variable, 0);
}

}  // namespace sinter::inline SINTER_ABI::detail
