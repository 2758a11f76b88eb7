#pragma once
// The order in which terms and factors stand in canonical expressions.

#include <sinter/symbol/expression.hpp>

namespace sinter::inline SINTER_ABI::detail {

/// Below 0 if `a` comes first in sums and products, 0 if they are the same. Depends on structure
/// and ids only, so that text is the same on every run.
int compare(Extent a, Extent b);

}  // namespace sinter::inline SINTER_ABI::detail

#ifdef SINTER_DEFINITIONS
#include <sinter/symbol/extent.hpp>
#endif
