#pragma once
// Plans graphs with branches and loops: the plans of their sections in order, with launches between
// them that run the plans of bodies.

#include <sinter/base/container/function_ref.hpp>
#include <sinter/config.hpp>
#include <sinter/graph/graph.hpp>
#include <sinter/schedule/ir/plan.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

/// Plans a graph without control flow. Its arena buffers are not placed yet.
using SectionPlanner = FunctionRef<Plan(const Graph& graph, const Options& options)>;

/// The plan of `graph`, whose arena buffers are not placed yet. Plans of bodies are complete,
/// except that their kernels are in the list of this plan. `plan_section` plans the sections
/// between control flow. Launch::lowered counts the kernels of all sections, and texts of custom
/// operations, in the order in which they are planned: those of bodies after what is before them.
Plan plan_control(const Graph& graph, const Options& options, const SectionPlanner& plan_section);

}  // namespace sinter::inline SINTER_ABI::detail::schedule

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/control/planner.ipp>
#endif
