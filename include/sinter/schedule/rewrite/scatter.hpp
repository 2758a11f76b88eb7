#pragma once
// scatter_add as an elementwise operation: an addition where it adds to all elements in order, as
// the gradient of a gather at loop positions does, and a select where it adds to one of each row.

#include <sinter/base/container/optional.hpp>
#include <sinter/config.hpp>
#include <sinter/graph/graph.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

/// `graph` with each scatter_add that adds one number to each element of a vector, in order,
/// replaced by an add. Inputs and outputs keep their positions. Nothing if there is no such
/// scatter_add.
Optional<Graph> scatter_as_add(const Graph& graph);

/// `graph` with each scatter_add that adds to one element of each row replaced by a select, whose
/// elements are independent. Inputs and outputs keep their positions. Nothing if there is no such
/// scatter_add.
Optional<Graph> scatter_as_select(const Graph& graph);

}  // namespace sinter::inline SINTER_ABI::detail::schedule

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/rewrite/scatter.ipp>
#endif
