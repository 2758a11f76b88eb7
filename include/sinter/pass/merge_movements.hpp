#pragma once
// Merges consecutive movements, and removes those that move nothing.

#include <sinter/config.hpp>
#include <sinter/graph/graph.hpp>

namespace sinter::inline SINTER_ABI::detail::pass {

/// reshape, permute, expand, flip, slice and pad of a movement of the same kind become one, or
/// none if it leaves every element where it was; so does a slice that takes away what a pad added.
/// Sizes are compared as expressions: what holds is true for all values of the symbols.
Graph merge_movements(Graph graph);

}  // namespace sinter::inline SINTER_ABI::detail::pass

#ifdef SINTER_DEFINITIONS
#include <sinter/pass/merge_movements.ipp>
#endif
