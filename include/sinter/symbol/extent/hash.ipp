#pragma once

#include <array>      // std::array

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/small_vector.hpp>
#include <sinter/symbol/extent/hash.hpp>
#include <sinter/symbol/extent/node.hpp>

namespace sinter::inline SINTER_ABI::detail {

SINTER_INLINE Hash hash_of(Extent extent, Numbering& numbering) {
  Hasher hasher;
  hash(hasher, extent, numbering);
  return hasher.result();
}

// The hashes of the parts of an expression.
using Hashes = SmallVector<Hash, 4>;

// Adds a list whose order depends on ids, so that equal lists in another order are equal.
SINTER_INLINE void add_sorted(Hasher& hasher, Hashes parts) {
  stable_sort(parts, [](const Hash& a, const Hash& b) {
    return a.high != b.high ? a.high < b.high : a.low < b.low;
  });
  hasher.add(parts.size());
  for (const Hash& part : parts) hasher.add(part);
}

SINTER_INLINE void hash_variable(Hasher& hasher, Extent variable, Numbering& numbering) {
  hasher.add(numbering(variable));
  if (variable.is_range()) return hash(hasher, variable.range_extent(), numbering);
  const SymbolInfo known = variable.symbol_info();
  for (const std::int64_t number : {known.min, known.max, known.multiple_of}) {
    hasher.add(static_cast<std::uint64_t>(number));
  }
}

// The operands of min and max stand in an order that depends on ids.
SINTER_INLINE void hash_operands(Hasher& hasher, const ExtentNode& node, Numbering& numbering) {
  Hashes parts;
  for (const Extent operand : node.operands) parts.push_back(hash_of(operand, numbering));
  if (node.kind == ExtentKind::min || node.kind == ExtentKind::max) {
    return add_sorted(hasher, std::move(parts));
  }
  for (const Hash& part : parts) hasher.add(part);
}

SINTER_INLINE Numbering Numbering::of_symbol_ids() {
  Numbering result;
  result.by_id_ = true;
  return result;
}

SINTER_INLINE std::uint32_t Numbering::operator()(Extent variable) {
  if (by_id_ && variable.is_symbol()) return variable.id();
  auto& known = variable.is_symbol() ? symbols_ : ranges_;
  const auto found = find_if(known, [&](Extent other) { return same(other, variable); });
  const auto number = static_cast<std::uint32_t>(found - known.begin());
  if (found == known.end()) known.push_back(variable);
  return number;
}

SINTER_INLINE void hash(Hasher& hasher, Extent extent, Numbering& numbering) {
  if (extent.is_number()) {
    hasher.add(0).add(static_cast<std::uint64_t>(extent.number()));
    return;
  }
  const ExtentNode& node = *extent.node();
  hasher.add(static_cast<std::uint64_t>(node.kind) + 1);
  if (extent.is_variable()) return detail::hash_variable(hasher, extent, numbering);
  detail::hash_operands(hasher, node, numbering);
  Hashes parts;
  if (node.kind == ExtentKind::product) {
    for (const Extent factor : node.factors) parts.push_back(detail::hash_of(factor, numbering));
  }
  if (node.kind == ExtentKind::sum) {
    hasher.add(static_cast<std::uint64_t>(node.constant));
    for (const auto& [monomial, coefficient] : node.terms) {
      Hasher term;
      hash(term.add(static_cast<std::uint64_t>(coefficient)), monomial, numbering);
      parts.push_back(term.result());
    }
  }
  detail::add_sorted(hasher, std::move(parts));
}

}  // namespace sinter::inline SINTER_ABI::detail
