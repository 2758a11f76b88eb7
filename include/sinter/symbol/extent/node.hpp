#pragma once
// The canonical expressions behind extents, interned, immutable and never freed, and their order.

#include <cstdint>  // std::int64_t

#include <sinter/base/container/small_vector.hpp>
#include <sinter/base/container/span.hpp>
#include <sinter/symbol/extent/expression.hpp>
#include <sinter/symbol/extent/interval.hpp>

namespace sinter::inline SINTER_ABI::detail {

/// Atoms are the kinds up to max; a product has at least two factors, all atoms; a sum has a
/// constant and at least two terms, or one term that alone is not equal to the sum.
enum class ExtentKind : std::uint8_t { symbol, range, floor_div, mod, min, max, product, sum };

/// coefficient * monomial, where the monomial is an atom or a product.
struct ExtentTerm {
  Extent monomial;
  std::int64_t coefficient = 1;
};

/// Operands, factors and terms, of which nearly every expression has only a few.
using ExtentList = SmallVector<Extent, 2>;
using ExtentTerms = SmallVector<ExtentTerm, 3>;

struct ExtentNode {
  ExtentKind kind{};
  std::uint32_t id = 0;  ///< Of a symbol or range.
  SymbolInfo known{};    ///< Of a symbol.
  ExtentList operands{};      ///< Extent of a range; both operands of floor_div, mod, min, max.
  ExtentList factors{};       ///< Of a product, in order; the node itself if it is an atom.
  ExtentTerms terms{};        ///< Of a sum, in order; the node itself if it is not a sum.
  std::int64_t constant = 0;  ///< Of a sum.

  // Derived from the members above.
  Interval interval{};
  std::int64_t divisor = 1;
  ExtentList variables{};
  bool divides = false;  ///< Whether a factor of a term is not a variable.
};

/// The terms of a canonical expression; none for a number.
inline Span<const ExtentTerm> terms_of(Extent extent) {
  if (extent.is_number()) return {};
  return extent.node()->terms;
}
/// What is added to the terms.
inline std::int64_t constant_of(Extent extent) {
  return extent.is_number() ? extent.number() : extent.node()->constant;
}
/// The atoms of a monomial.
inline Span<const Extent> factors_of(Extent monomial) { return monomial.node()->factors; }

/// The only node that equals `node`, whose derived members are filled in.
Extent intern(ExtentNode node);

/// floor_div, mod, min or max of two operands, as an atom: no rule is tried.
Extent make_atom(ExtentKind kind, Extent lhs, Extent rhs);
/// The product of atoms, in any order.
Extent make_product(ExtentList factors);

/// The order in which terms and factors stand: below 0 if `a` comes first in sums and products, 0
/// if they are the same. Depends on structure and ids only, so that text is the same on every run.
int compare(Extent a, Extent b);

}  // namespace sinter::inline SINTER_ABI::detail

#ifdef SINTER_DEFINITIONS
#include <sinter/symbol/extent/node.ipp>
#endif
