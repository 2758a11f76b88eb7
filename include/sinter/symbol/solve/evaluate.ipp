#pragma once

#include <algorithm>  // std::min, std::max

#include <sinter/base/error.hpp>
#include <sinter/base/text.hpp>
#include <sinter/symbol/extent/division.hpp>
#include <sinter/symbol/extent/node.hpp>
#include <sinter/symbol/solve/evaluate.hpp>

namespace sinter::inline SINTER_ABI::detail {

using VariableValue = FunctionRef<std::int64_t(Extent)>;

SINTER_INLINE std::int64_t evaluate_atom(Extent atom, VariableValue value) {
  if (atom.is_variable()) return value(atom);
  const ExtentNode& node = *atom.node();
  const std::int64_t lhs = evaluate(node.operands[0], value);
  const std::int64_t rhs = evaluate(node.operands[1], value);
  if (node.kind == ExtentKind::min) return std::min(lhs, rhs);
  if (node.kind == ExtentKind::max) return std::max(lhs, rhs);
  if (rhs < 1) throw_divisor(rhs);
  return node.kind == ExtentKind::floor_div ? floor_quotient(lhs, rhs) : floor_remainder(lhs, rhs);
}

SINTER_INLINE std::int64_t evaluate(Extent extent, FunctionRef<std::int64_t(Extent)> value) {
  std::int64_t result = constant_of(extent);
  for (const auto& [monomial, coefficient] : terms_of(extent)) {
    std::int64_t product = coefficient;
    for (const Extent atom : factors_of(monomial)) {
      product = checked_multiply(product, detail::evaluate_atom(atom, value));
    }
    result = checked_add(result, product);
  }
  return result;
}

SINTER_INLINE std::int64_t evaluate(Extent extent, Span<const std::int64_t> symbols) {
  return evaluate(extent, [&](Extent variable) {
    if (!variable.is_symbol() || variable.id() >= symbols.size()) {
      throw InternalError(text("no value for ", variable));
    }
    return symbols[variable.id()];
  });
}

SINTER_INLINE std::int64_t evaluate(Extent extent,
                                    Span<const std::pair<Extent, std::int64_t>> values) {
  return evaluate(extent, [&](Extent variable) {
    for (const auto& [one, number] : values) {
      if (same(one, variable)) return number;
    }
    throw InternalError(text("no value for ", variable));
  });
}

}  // namespace sinter::inline SINTER_ABI::detail
