#pragma once
// Plans of graphs that branch and loop: the plans of their sections one after the other, with
// launches that run the plans of bodies in between.

#include <sinter/config.hpp>
#include <sinter/graph/graph.hpp>
#include <sinter/schedule/section.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

struct Options;
struct Plan;

/// The plan of `graph`, whose buffers have no place in the arena yet. Plans of bodies are complete,
/// but that their kernels are in the list of this plan.
Plan plan_control(const Graph& graph, const Options& options);

}  // namespace sinter::inline SINTER_ABI::detail::schedule

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/control.ipp>
#endif
