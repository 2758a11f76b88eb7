#pragma once
// The search for a proof that an extent is not negative, beyond what its interval says.

#include <sinter/symbol/extent/expression.hpp>

namespace sinter::inline SINTER_ABI::detail {

/// True if a bounded number of steps finds the proof. One step puts a factor at the extreme that
/// makes the sum least: a range r of extent n at 0 or n - 1, x//d at x or x - d + 1 after the sum
/// is multiplied by d, x%d at 0 or d - 1, min and max at their operands.
bool find_proof_of_ge0(Extent extent);

}  // namespace sinter::inline SINTER_ABI::detail

#ifdef SINTER_DEFINITIONS
#include <sinter/symbol/extent/search.ipp>
#endif
