#pragma once
// Large reductions to a few numbers, done in two steps so that many threads can share them.

#include <optional>  // std::optional

#include <sinter/config.hpp>
#include <sinter/graph/graph.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

/// `graph` with each sum, product, maximum or minimum of many elements to a few first taken over
/// parts of one axis, then over the parts, in a fixed order. Inputs and outputs keep their places.
/// Nothing if there is no such reduction. Sizes that are not numbers are left alone, and so are,
/// with `blocks`, rows of products that each thread computes on its own: see tile/fuse_rows.hpp.
/// With `gpu` parts are as many as there are for thousands of threads; reductions of sizes that are
/// not numbers to a known few are in parts too, as they may be long.
std::optional<Graph> split_reductions(const Graph& graph, bool blocks = false, bool gpu = false);

}  // namespace sinter::inline SINTER_ABI::detail::schedule

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/rewrite/split_reductions.ipp>
#endif
