#pragma once
// Proofs of relations between extents for all values of their symbols and ranges. False means not
// proven.

#include <cstdint>  // std::int64_t

#include <sinter/symbol/extent/expression.hpp>

namespace sinter::inline SINTER_ABI::detail {

/// True if extent >= 0 follows from the intervals, or from putting ranges, quotients and minima
/// at their extremes, which may be symbolic: s0 - 1 - r0 >= 0 for a range r0 of extent s0.
bool proven_ge0(Extent extent);
/// lhs < rhs
bool proven_less(Extent lhs, Extent rhs);
/// lhs <= rhs
bool proven_less_equal(Extent lhs, Extent rhs);
/// lhs == rhs
bool proven_equal(Extent lhs, Extent rhs);
/// lhs != rhs
bool proven_not_equal(Extent lhs, Extent rhs);
/// extent is a multiple of divisor
bool proven_divisible(Extent extent, Extent divisor);

}  // namespace sinter::inline SINTER_ABI::detail

#ifdef SINTER_DEFINITIONS
#include <sinter/symbol/extent/proof.ipp>
#endif
