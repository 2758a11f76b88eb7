#pragma once
// Widens reductions whose partial results may overflow or underflow although the result does not.
// Not for strict numerics, which reduce in order.

#include <sinter/config.hpp>
#include <sinter/graph/graph.hpp>

namespace sinter::inline SINTER_ABI::detail::pass {

/// Products of floating numbers are accumulated in f64, and are 0 where an element is and none is
/// infinite or NaN: of two partial products, one may be 0 and the other have overflowed. Sums that
/// leave out NaN are accumulated in f64. Once, after the other passes.
Graph guard_reductions(Graph graph);

}  // namespace sinter::inline SINTER_ABI::detail::pass

#ifdef SINTER_DEFINITIONS
#include <sinter/pass/guard_reductions.ipp>
#endif
