#pragma once

#include <utility>  // std::move

#include <sinter/base/container/optional.hpp>
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

SINTER_INLINE Plan plan_kernels(const Graph& recorded, const Options& options) {
  const RewrittenGraph rewritten = rewrite(recorded, options);
  finish_stage("rewritten", rewritten);
  const Graph& graph = rewritten.graph();

  const FusionAnalysis facts = analyze(rewritten, options.target);
  finish_stage("facts", facts, graph);

  const FusionResult fusion = fuse(graph, facts, options.target, options.strict);
  finish_stage("groups", fusion);

  Vector<LoweredKernel> kernels = lower_all(fusion, rewritten.kinds);
  finish_stage("kernels", kernels, graph);

  Optional<Vector<LoweredKernel>> untiled;
  if (options.row_tiles) {
    exclude_from_row_tiles(kernels, graph, options);
    if (log_enabled(Log::fusion)) untiled = kernels;
    kernels = tile(fusion, std::move(kernels));
    finish_stage("tiled", kernels, graph);
  }
  log_fusion(fusion, kernels, untiled ? &*untiled : nullptr);

  Plan result = launch(graph, std::move(kernels), options);
  finish_stage("launches", result);
  return result;
}

// The stages of plan_kernels() up to its kernels, without logs and dumps.
SINTER_INLINE Grouping grouping(const Graph& recorded, const Options& options) {
  const RewrittenGraph rewritten = rewrite(recorded, options);
  const Graph& graph = rewritten.graph();
  const FusionAnalysis facts = analyze(rewritten, options.target);
  const FusionResult fusion = fuse(graph, facts, options.target, options.strict);
  Vector<LoweredKernel> kernels = lower_all(fusion, rewritten.kinds);
  if (!options.row_tiles) return grouping_of(fusion, kernels, nullptr);
  exclude_from_row_tiles(kernels, graph, options);
  const Vector<LoweredKernel> untiled = kernels;
  return grouping_of(fusion, tile(fusion, std::move(kernels)), &untiled);
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
