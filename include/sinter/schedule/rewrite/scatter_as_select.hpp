#pragma once
// Additions at positions of which there is one for each row: a choice between the elements of a
// row, as other elementwise operations are.

#include <optional>  // std::optional

#include <sinter/config.hpp>
#include <sinter/graph/graph.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

/// `graph` with each scatter_add that adds to one element of each row as a select: no element waits
/// for others then. Inputs and outputs keep their places. Nothing if there is no such scatter_add.
std::optional<Graph> choose_additions(const Graph& graph);

}  // namespace sinter::inline SINTER_ABI::detail::schedule

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/rewrite/scatter_as_select.ipp>
#endif
