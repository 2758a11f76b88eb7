#pragma once
// Extents where more is known than their variables say: inside the guard of a pad or a tail.

#include <sinter/base/container/span.hpp>
#include <sinter/symbol/extent/extent.hpp>

namespace sinter::inline SINTER_ABI::detail {

/// low <= extent < high
struct Within {
  Extent low;
  Extent extent;
  Extent high;
};

/// True if `within` holds whatever symbols and ranges are: a guard that need not be tested.
bool proven(const Within& within);

/// An extent that equals `extent` wherever all of `facts` hold, and elsewhere is any number.
Extent simplify_under(Extent extent, Span<const Within> facts);

/// True if extent >= 0 wherever all of `facts` hold.
bool proven_ge0_under(Extent extent, Span<const Within> facts);

}  // namespace sinter::inline SINTER_ABI::detail

#ifdef SINTER_DEFINITIONS
#include <sinter/symbol/solve/simplify.ipp>
#endif
