#pragma once
// scatter_add at all positions in order, as the gradient of a gather at loop positions, becomes an
// elementwise addition.

#include <sinter/base/container/optional.hpp>
#include <sinter/config.hpp>
#include <sinter/graph/graph.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

/// `graph` with each scatter_add that adds one number to each element of a vector, in order,
/// replaced by an add. Inputs and outputs keep their positions. Nothing if there is no such
/// scatter_add.
Optional<Graph> scatter_as_add(const Graph& graph);

}  // namespace sinter::inline SINTER_ABI::detail::schedule

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/rewrite/scatter_as_add.ipp>
#endif
