#pragma once
// Equations of extents, solved for a variable.

#include <sinter/base/container/optional.hpp>
#include <sinter/symbol/extent/expression.hpp>

namespace sinter::inline SINTER_ABI::detail {

/// True if `extent` is made of sums and products only, so that it has no
/// divisions and no minima.
bool is_polynomial(Extent extent);

/// `extent` divided by the largest number that divides each of its
/// coefficients.
Extent primitive_part(Extent extent);

/// `extent` divided by `variable`; nothing if one of its terms does not have it
/// as a factor.
Optional<Extent> divide_exactly(Extent extent, Extent variable);

/// Solves equation = 0 for `variable`; nothing if that requires a division.
Optional<Extent> solve(Extent equation, Extent variable);

}  // namespace sinter::inline SINTER_ABI::detail

#ifdef SINTER_DEFINITIONS
#include <sinter/symbol/solve/solve.ipp>
#endif
