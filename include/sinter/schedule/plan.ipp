#pragma once

#include <utility>  // std::move

#include <sinter/base/container/optional.hpp>
#include <sinter/base/container/span.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/base/log.hpp>
#include <sinter/base/text.hpp>
#include <sinter/base/verify.hpp>
#include <sinter/schedule/control/planner.hpp>
#include <sinter/schedule/control/section.hpp>
#include <sinter/schedule/draft.hpp>
#include <sinter/schedule/explain/fusion_log.hpp>
#include <sinter/schedule/launch/assemble.hpp>
#include <sinter/schedule/launch/finalizer.hpp>
#include <sinter/schedule/memory/arena.hpp>
#include <sinter/schedule/memory/output_buffers.hpp>
#include <sinter/schedule/plan.hpp>
#include <sinter/schedule/rewrite/scatter_as_add.hpp>
#include <sinter/schedule/rewrite/scatter_as_select.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

namespace detail {

// `recorded` with scatters as elementwise operations, where that is known to be equal, and with the
// rewrites of the target; nothing if nothing changes.
SINTER_INLINE Optional<Graph> rewritten(const Graph& recorded, const Options& options) {
  Optional<Graph> result = scatter_as_add(recorded);
  const auto so_far = [&]() -> const Graph& { return result ? *result : recorded; };
  const auto replace = [&](Optional<Graph> next) {
    if (next) result = std::move(next);
  };
  replace(scatter_as_select(so_far()));
  if (options.strict) return result;
  for (const Rewrite rewrite : options.target.rewrites) replace(rewrite(so_far()));
  return result;
}

}  // namespace detail

SINTER_INLINE Plan plan_kernels(const Graph& recorded, const Options& options) {
  const Optional<Graph> graph = detail::rewritten(recorded, options);
  const auto draft = draft_of(graph ? *graph : recorded, options);
  const bool logs = log_enabled(Log::fusion);
  if (logs) {
    const Vector<LoweredKernel>* lowered = options.row_tiles ? &draft->untiled : nullptr;
    for (const std::string& line : explain(draft->fusion, draft->kernels, lowered)) {
      log(Log::fusion, line);
    }
  }
  const std::size_t count = draft->kernels.size();
  Plan result = assemble(draft->graph, std::move(draft->kernels), options);
  if (options.target.finalizers) attach_finalizers(result, options);
  const std::size_t launches = kernel_launches(result).size();
  if (logs && launches != count) {
    log(Log::fusion, text(count, " kernels in ", launches, " launches, which stats() counts"));
  }
  return result;
}

SINTER_INLINE Plan plan(const Graph& graph, const Options& options) {
  Plan result = has_control(graph) ? plan_control(graph, options, plan_kernels)
                                   : plan_kernels(graph, options);
  if (options.target.reuses_outputs) reuse_output_buffers(result, options.updates);
  place_in_arena(result, options.target.writes_over_operands ? Span<const Kernel>(result.kernels)
                                                             : Span<const Kernel>());
  if (verifies()) verify(result);
  return result;
}

}  // namespace sinter::inline SINTER_ABI::detail::schedule
