#pragma once
// scatter_add at one position per row becomes an elementwise select.

#include <sinter/base/container/optional.hpp>
#include <sinter/config.hpp>
#include <sinter/graph/graph.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

/// `graph` with each scatter_add that adds to one element of each row replaced by a select, whose
/// elements are independent. Inputs and outputs keep their positions. Nothing if there is no such
/// scatter_add.
Optional<Graph> scatter_as_select(const Graph& graph);

}  // namespace sinter::inline SINTER_ABI::detail::schedule

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/rewrite/scatter_as_select.ipp>
#endif
