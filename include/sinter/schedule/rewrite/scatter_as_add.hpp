#pragma once
// Additions at positions that go through all elements in their order, as the gradient of what is
// read at the positions of loops: elementwise additions.

#include <optional>  // std::optional

#include <sinter/config.hpp>
#include <sinter/graph/graph.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

/// `graph` with each scatter_add that adds one number to each element of a vector, in order, as an
/// add. Inputs and outputs keep their places. Nothing if there is no such scatter_add.
std::optional<Graph> add_in_order(const Graph& graph);

}  // namespace sinter::inline SINTER_ABI::detail::schedule

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/rewrite/scatter_as_add.ipp>
#endif
