#pragma once
// Kernels, their order and the memory of nodes, put together as a plan.

#include <vector>  // std::vector

#include <sinter/config.hpp>
#include <sinter/schedule/lower/kernels.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

struct Options;
struct Plan;

/// The plan that runs `kernels`, each in its order, and then the copies of updates that may not be
/// written where they belong at once. Equal kernels are kept once.
Plan assemble(const Graph& graph, std::vector<Lowered> kernels, const Options& options);

}  // namespace sinter::inline SINTER_ABI::detail::schedule

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/launch/assemble.ipp>
#endif
