#pragma once
// Plans of graphs that branch and loop: the plans of their sections one after the other, with
// launches that run the plans of bodies in between.

#include <sinter/base/function_ref.hpp>
#include <sinter/config.hpp>
#include <sinter/graph/graph.hpp>
#include <sinter/schedule/ir/plan.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

/// Gives the plan of a graph without control flow, whose buffers have no place in the arena yet.
using SectionPlanner = FunctionRef<Plan(const Graph& graph, const Options& options)>;

/// The plan of `graph`, whose buffers have no place in the arena yet. Plans of bodies are complete,
/// but that their kernels are in the list of this plan. `plan_section` plans what lies between
/// control flow.
Plan plan_control(const Graph& graph, const Options& options, const SectionPlanner& plan_section);

}  // namespace sinter::inline SINTER_ABI::detail::schedule

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/control/planner.ipp>
#endif
