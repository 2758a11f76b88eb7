#pragma once
// Splits large reductions with few results into two reductions, so that many threads can share
// them.

#include <sinter/base/container/optional.hpp>
#include <sinter/config.hpp>
#include <sinter/graph/graph.hpp>
#include <sinter/schedule/ir/target.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

/// `graph` with each sum, product, maximum or minimum of many elements to few results as a
/// reduction over splits of one axis and a reduction over the splits, in a fixed order. Inputs and
/// outputs keep their positions. Nothing if there is no such reduction. Symbolic sizes are left
/// alone.
Optional<Graph> split_reductions(const Graph& graph, const Target& target);

/// The same without rows of batched products, which row-tiled kernels compute: see
/// tile/fuse_row_tiles.hpp. They stay whole without Options::row_tiles, too.
Optional<Graph> split_untiled_reductions(const Graph& graph, const Target& target);

/// The same with splits for thousands of threads, in thread blocks. Reductions of symbolic sizes to
/// a known number of results are split too, since they may be long.
Optional<Graph> split_reductions_into_blocks(const Graph& graph, const Target& target);

}  // namespace sinter::inline SINTER_ABI::detail::schedule

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/rewrite/split_reductions.ipp>
#endif
