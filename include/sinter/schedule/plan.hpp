#pragma once
// The interface of this stage: from a graph to a plan.

#include <sinter/config.hpp>
#include <sinter/graph/graph.hpp>
#include <sinter/schedule/explain/fusion_log.hpp>
#include <sinter/schedule/ir/plan.hpp>
#include <sinter/schedule/named_target.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

/// Schedules `graph`.
Plan plan(const Graph& graph, const Options& options);

/// The same for a graph without control flow; buffers have no place in the arena yet.
Plan plan_kernels(const Graph& graph, const Options& options);

/// The kernels that plan() makes of a graph without control flow, before they have an order.
Grouping grouping(const Graph& graph, const Options& options);

}  // namespace sinter::inline SINTER_ABI::detail::schedule

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/plan.ipp>
#endif
