#pragma once

#include <algorithm>  // std::min

#include <sinter/symbol/node.hpp>
#include <sinter/symbol/order.hpp>

namespace sinter::inline SINTER_ABI::detail {

template <class T>
constexpr int compare_numbers(T a, T b) {
  return a < b ? -1 : a > b ? 1 : 0;
}

SINTER_INLINE int compare_lists(std::span<const Extent> a, std::span<const Extent> b) {
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    if (const int order = compare(a[i], b[i])) return order;
  }
  return compare_numbers(a.size(), b.size());
}

SINTER_INLINE int compare_known(const SymbolInfo& a, const SymbolInfo& b) {
  if (const int order = compare_numbers(a.min, b.min)) return order;
  if (const int order = compare_numbers(a.max, b.max)) return order;
  return compare_numbers(a.multiple_of, b.multiple_of);
}

SINTER_INLINE int compare_atoms(const ExtentNode& a, const ExtentNode& b) {
  if (const int order = compare_numbers(a.kind, b.kind)) return order;
  if (const int order = compare_numbers(a.id, b.id)) return order;
  if (const int order = compare_lists(a.operands, b.operands)) return order;
  return compare_known(a.known, b.known);
}

SINTER_INLINE int compare_sums(const ExtentNode& a, const ExtentNode& b) {
  for (std::size_t i = 0; i < std::min(a.terms.size(), b.terms.size()); ++i) {
    if (const int order = compare(a.terms[i].monomial, b.terms[i].monomial)) return order;
    const int order = compare_numbers(a.terms[i].coefficient, b.terms[i].coefficient);
    if (order != 0) return order;
  }
  if (const int order = compare_numbers(a.terms.size(), b.terms.size())) return order;
  return compare_numbers(a.constant, b.constant);
}

SINTER_INLINE int compare(Extent a, Extent b) {
  if (same(a, b)) return 0;
  if (a.is_number() && b.is_number()) return detail::compare_numbers(a.number(), b.number());
  if (a.is_number() || b.is_number()) return a.is_number() ? -1 : 1;
  const ExtentNode& x = *a.node();
  const ExtentNode& y = *b.node();
  const bool x_is_sum = x.kind == ExtentKind::sum;
  const bool y_is_sum = y.kind == ExtentKind::sum;
  if (x_is_sum != y_is_sum) return x_is_sum ? 1 : -1;
  if (x_is_sum) return detail::compare_sums(x, y);
  if (x.kind != ExtentKind::product && y.kind != ExtentKind::product) {
    return detail::compare_atoms(x, y);
  }
  return detail::compare_lists(x.factors, y.factors);
}

}  // namespace sinter::inline SINTER_ABI::detail
