#pragma once
// A sum under construction: what arithmetic on extents is done with.

#include <cstdint>  // std::int64_t

#include <sinter/symbol/extent/node.hpp>

namespace sinter::inline SINTER_ABI::detail {

/// Terms in order, none with the coefficient 0, and a constant.
struct ExtentSum {
  ExtentSum() = default;
  explicit ExtentSum(Extent extent);

  /// Adds coefficient * monomial.
  void add_term(Extent monomial, std::int64_t coefficient);
  /// Adds coefficient * extent.
  void add(Extent extent, std::int64_t coefficient = 1);
  void add(const ExtentSum& other, std::int64_t coefficient);
  /// Adds a * b * coefficient, multiplied out.
  void add_product(Extent a, Extent b, std::int64_t coefficient = 1);
  /// The coefficient of `monomial`; 0 if there is no such term.
  std::int64_t coefficient(Extent monomial) const;
  /// The canonical extent, in which quotients and remainders of the same division are joined.
  Extent extent() const;
  /// The extent of exactly these terms.
  Extent extent_as_is() const;

  ExtentTerms terms;
  std::int64_t constant = 0;
};

/// The same sum with fewer divisions: c*(x//c) + x%c -> x, x - c*(x//c) -> x%c,
/// x//a - c*(x//(a*c)) -> (x//a)%c, and c*(x//c) -> x where c is known to divide x.
ExtentSum join(ExtentSum sum);

/// The product of two monomials.
Extent multiply_monomials(Extent a, Extent b);

/// `monomial` without one factor `atom`, which it has; the number 1 if nothing is left.
Extent divide_monomial(Extent monomial, Extent atom);

}  // namespace sinter::inline SINTER_ABI::detail

#ifdef SINTER_DEFINITIONS
#include <sinter/symbol/extent/sum.ipp>
#endif
