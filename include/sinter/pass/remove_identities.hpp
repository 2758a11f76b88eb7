#pragma once
// Removes elementwise operations that return one of their operands, or what a simpler one returns.

#include <sinter/config.hpp>
#include <sinter/graph/graph.hpp>

namespace sinter::inline SINTER_ABI::detail::pass {

/// x * 1 and x - 0 become x, --x becomes x, select(true, x, y) becomes x, casts to a wider dtype
/// and back go away; constants move to the right of commutative operations.
///
/// Keeps every output bit for bit, but for which NaN it is. That is why x + 0 is not here (-0 + 0
/// is +0; x + -0 is), nor x * 0 (NaN where x is infinite). See relax_arithmetic for those.
Graph remove_identities(Graph graph);

}  // namespace sinter::inline SINTER_ABI::detail::pass

#ifdef SINTER_DEFINITIONS
#include <sinter/pass/remove_identities.ipp>
#endif
