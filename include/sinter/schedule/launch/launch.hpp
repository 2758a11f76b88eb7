#pragma once
// The stage of a plan after tiling: kernels in the order and in the batches in which they run.

#include <sinter/base/container/vector.hpp>
#include <sinter/config.hpp>
#include <sinter/schedule/lower/kernels.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

struct Options;
struct Plan;

/// The plan that runs `kernels`, see assemble(), with finalizers if the target has them. Its
/// buffers have no place in the arena yet. SINTER_LOGS=fusion says how many launches there are.
Plan launch(const Graph& graph, Vector<LoweredKernel> kernels, const Options& options);

}  // namespace sinter::inline SINTER_ABI::detail::schedule

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/launch/launch.ipp>
#endif
