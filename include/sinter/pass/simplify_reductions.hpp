#pragma once
// Merges, shrinks and removes reductions.

#include <sinter/config.hpp>
#include <sinter/graph/graph.hpp>
#include <sinter/pass/options.hpp>

namespace sinter::inline SINTER_ABI::detail::pass {

/// Axes of extent 1 are dropped without reducing them; the reduction of a reduction becomes one
/// over both lists of axes; a sum over axes along which a value is repeated becomes a
/// multiplication.
///
/// Under strict numerics, sums and products are left in their order: only integers, max and min are
/// changed in the last two ways, and a sum over nothing but axes of extent 1 stays, because it
/// makes -0 a 0.
Graph simplify_reductions(Graph graph, Options options);

}  // namespace sinter::inline SINTER_ABI::detail::pass

#ifdef SINTER_DEFINITIONS
#include <sinter/pass/simplify_reductions.ipp>
#endif
