#pragma once

#include <utility>  // std::move

#include <sinter/base/log.hpp>
#include <sinter/base/text.hpp>
#include <sinter/schedule/ir/plan.hpp>
#include <sinter/schedule/launch/assemble.hpp>
#include <sinter/schedule/launch/finalizer.hpp>
#include <sinter/schedule/launch/launch.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

SINTER_INLINE Plan launch(const Graph& graph, Vector<LoweredKernel> kernels,
                          const Options& options) {
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
