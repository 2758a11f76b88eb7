#pragma once

#include <utility>  // std::move

#include <sinter/base/container/shared_ptr.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/base/log.hpp>
#include <sinter/base/verify.hpp>
#include <sinter/schedule/control/planner.hpp>
#include <sinter/schedule/control/section.hpp>
#include <sinter/schedule/explain/fusion_log.hpp>
#include <sinter/schedule/fuse/analyze.hpp>
#include <sinter/schedule/fuse/fuse.hpp>
#include <sinter/schedule/launch/launch.hpp>
#include <sinter/schedule/launch/sparse_updates.hpp>
#include <sinter/schedule/memory/place.hpp>
#include <sinter/schedule/plan.hpp>
#include <sinter/schedule/rewrite/rewrite.hpp>
#include <sinter/schedule/stage.hpp>
#include <sinter/schedule/tile/fuse_row_tiles.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

namespace detail {

// The stages up to kernels, in order. Returns then(fusion, kernels, refusals). With `finishes`,
// each product is verified and dumped, and refusals are noted only for the log.
template <class Then>
auto lower_kernels(const Graph& recorded, const Options& options, bool finishes, const Then& then) {
  const auto finish = [&](std::string_view stage, const auto&... product) {
    if (finishes) finish_stage(stage, product...);
  };
  const RewrittenGraph rewritten = rewrite(recorded, options);
  finish("rewritten", rewritten);
  const Graph& graph = rewritten.graph();

  const FusionAnalysis facts = analyze(rewritten, options.target);
  finish("facts", facts, graph);

  Refusals noted;
  Refusals* const refusals = !finishes || log_enabled(Log::fusion) ? &noted : nullptr;
  const FusionResult fusion = fuse(graph, facts, options.target, options.strict, refusals);
  finish("groups", fusion);

  Vector<LoweredKernel> kernels = lower_all(fusion, rewritten.kinds);
  finish("kernels", kernels, graph);
  if (options.row_tiles) {
    exclude_from_row_tiles(kernels, graph, options);
    kernels = tile(fusion, std::move(kernels), refusals);
    finish("tiled", kernels, graph);
  }
  return then(fusion, std::move(kernels), noted);
}

}  // namespace detail

SINTER_INLINE Plan plan_kernels(const Graph& recorded, const Options& options) {
  return detail::lower_kernels(
      recorded, options, true,
      [&](const FusionResult& fusion, Vector<LoweredKernel> kernels, const Refusals& refusals) {
        log_fusion(fusion, kernels, refusals);
        Plan result = launch(fusion.graph, std::move(kernels), options);
        finish_stage("launches", result);
        return result;
      });
}

SINTER_INLINE Grouping grouping(const Graph& recorded, const Options& options) {
  return detail::lower_kernels(
      recorded, options, false,
      [](const FusionResult& fusion, const Vector<LoweredKernel>& kernels,
         const Refusals& refusals) { return grouping_of(fusion, kernels, refusals); });
}

SINTER_INLINE Plan plan(const Graph& graph, const Options& options) {
  Plan result = has_control(graph) ? plan_control(graph, options, plan_kernels)
                                   : plan_kernels(graph, options);
  place(result, options);
  if (verifies()) verify(result);
  result.options = make_shared_ptr<const Options>(options);
  return result;
}

}  // namespace sinter::inline SINTER_ABI::detail::schedule
