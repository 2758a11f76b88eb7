#pragma once
// The fusion groups of graphs with branches and loops, as one picture with the nodes of all bodies.

#include <sinter/config.hpp>
#include <sinter/graph/graph.hpp>
#include <sinter/schedule/explain/fusion_log.hpp>
#include <sinter/schedule/ir/plan.hpp>

namespace sinter::inline SINTER_ABI::detail::debug {

/// The kernels that compute each node of `graph`, numbered as in Launch::lowered of its plan. The
/// nodes of bodies stand before their branch or loop, in modules "cond %4.then"; what a body is
/// given leads to the nodes that read it, and what it gives leads to the branch or loop. So the
/// graph of the result is to be looked at only.
schedule::Grouping control_grouping(const Graph& graph, const schedule::Options& options);

}  // namespace sinter::inline SINTER_ABI::detail::debug

#ifdef SINTER_DEFINITIONS
#include <sinter/debug/report/control_grouping.ipp>
#endif
