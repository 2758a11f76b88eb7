#pragma once
// The stage of a plan after tiling: kernels in the order and in the batches in which they run.

#include <utility>  // std::move

#include <sinter/base/container/vector.hpp>
#include <sinter/base/log.hpp>
#include <sinter/base/text.hpp>
#include <sinter/config.hpp>
#include <sinter/schedule/ir/plan.hpp>
#include <sinter/schedule/launch/assemble.hpp>
#include <sinter/schedule/launch/finalizer.hpp>
#include <sinter/schedule/lower/lowered_kernel.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

/// The plan that runs `kernels`, see assemble(), with finalizers if the target has them. Its
/// buffers have no place in the arena yet. SINTER_LOGS=fusion says how many launches there are.
inline Plan launch(const Graph& graph, Vector<LoweredKernel> kernels, const Options& options) {
  const std::size_t count = kernels.size();
  Plan result = assemble(graph, std::move(kernels), options);
  if (options.target.finalizers) attach_finalizers(result, options);
  if (!log_enabled(Log::fusion)) return result;
  const std::size_t launches = kernel_launches(result).size();
  if (launches != count)
    log(Log::fusion, text(count, " kernels in ", launches, " launches, which stats() counts"));
  return result;
}

}  // namespace sinter::inline SINTER_ABI::detail::schedule
