#pragma once
// Splits large reductions with few results into two reductions, so that many threads can share
// them.

#include <sinter/base/container/optional.hpp>
#include <sinter/config.hpp>
#include <sinter/graph/graph.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

/// `graph` with each sum, product, maximum or minimum of many elements to few results as a
/// reduction over splits of one axis and a reduction over the splits, in a fixed order. Inputs and
/// outputs keep their positions. Nothing if there is no such reduction. Symbolic sizes are left
/// alone, and so are, with `row_tiles`, rows of batched products: row-tiled kernels compute these,
/// see tile/fuse_row_tiles.hpp. With `gpu` there are splits for thousands of threads, and
/// reductions of symbolic sizes to a known number of results are split too, since they may be long.
Optional<Graph> split_reductions(const Graph& graph, bool row_tiles = false, bool gpu = false);

}  // namespace sinter::inline SINTER_ABI::detail::schedule

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/rewrite/split_reductions.ipp>
#endif
