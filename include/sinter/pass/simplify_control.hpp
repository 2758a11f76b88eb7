#pragma once
// Makes branches and loops smaller, and those unnecessary whose outcome is known.

#include <sinter/config.hpp>
#include <sinter/graph/graph.hpp>

namespace sinter::inline SINTER_ABI::detail::pass {

/// A call is its body. A branch whose predicate is a constant is what it takes. Constants are in
/// the bodies that use them; what no body uses is not given to it, and what nobody reads is not a
/// result of branches and scans. A scan that does what another does, and gives more, takes its
/// place.
Graph simplify_control(Graph graph);

}  // namespace sinter::inline SINTER_ABI::detail::pass

#ifdef SINTER_DEFINITIONS
#include <sinter/pass/simplify_control.ipp>
#endif
