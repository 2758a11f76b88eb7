#pragma once
// Kernels, their order and the memory of nodes, put together as a plan.

#include <span>  // std::span

#include <sinter/config.hpp>
#include <sinter/schedule/lower.hpp>
#include <sinter/schedule/plan.hpp>

namespace sinter::inline SINTER_ABI::schedule {

/// The plan that runs `kernels`, each in its order, and then the copies of updates that may not be
/// written where they belong at once. Equal kernels are kept once.
Plan assemble(const Graph& graph, std::vector<Lowered> kernels, const Options& options);

}  // namespace sinter::inline SINTER_ABI::schedule

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/assemble.ipp>
#endif
