#pragma once
// Simplifies branches and loops, and removes those whose outcome is known.

#include <sinter/config.hpp>
#include <sinter/graph/graph.hpp>

namespace sinter::inline SINTER_ABI::detail::pass {

/// Inlines calls, and branches with a constant predicate. Moves constant inputs into the bodies
/// that use them; removes unused inputs, and unused results of branches and scans. A scan that
/// computes the same as another and more replaces it.
Graph simplify_control(Graph graph);

}  // namespace sinter::inline SINTER_ABI::detail::pass

#ifdef SINTER_DEFINITIONS
#include <sinter/pass/simplify_control.ipp>
#endif
