#pragma once

#include <algorithm>  // std::find
#include <optional>   // std::optional
#include <span>       // std::span
#include <utility>    // std::move
#include <vector>     // std::vector

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
#include <sinter/schedule/rewrite/split_k.hpp>
#include <sinter/schedule/rewrite/split_reductions.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

namespace detail {

// `recorded` with scatters as elementwise operations and reductions in parts, where that is known
// to be the same; nothing where nothing changes. `alone`: see reduce_beside_rows().
SINTER_INLINE std::optional<Graph> divided(const Graph& recorded, const Options& options,
                                           const std::vector<bool>& alone = {}) {
  std::optional<Graph> split = add_in_order(recorded);
  if (auto again = choose_additions(split ? *split : recorded)) split = std::move(again);
  if (!options.strict && options.host) {
    if (auto again = reduce_in_chunks(split ? *split : recorded)) split = std::move(again);
  }
  if (!options.strict && options.gpu) {
    if (auto again = reduce_beside_rows(split ? *split : recorded, alone)) split = std::move(again);
  }
  if (!options.strict) {  // both reassociate
    const bool blocks = options.host && options.blocks;
    const Graph& whole = split ? *split : recorded;
    if (auto again = split_reductions(whole, blocks, options.gpu)) split = std::move(again);
    if (options.gpu) {
      if (auto again = split_products(split ? *split : recorded)) split = std::move(again);
    }
  }
  return split;
}

}  // namespace detail

SINTER_INLINE Plan plan_kernels(const Graph& recorded, const Options& options) {
  std::optional<Graph> split = detail::divided(recorded, options);
  auto draft = draft_of(split ? *split : recorded, options);
  const std::vector<bool> alone = alone_beside_rows(*draft);
  if (std::find(alone.begin(), alone.end(), true) != alone.end()) {
    draft.reset();
    split = detail::divided(recorded, options, alone);
    draft = draft_of(split ? *split : recorded, options);
  }
  const bool logs = log_enabled(Log::fusion);
  if (logs) {
    const std::vector<Lowered>* lowered = options.blocks ? &draft->apart : nullptr;
    for (const std::string& line : explain(draft->fusion, draft->kernels, lowered)) {
      log(Log::fusion, line);
    }
  }
  const std::size_t count = draft->kernels.size();
  Plan result = assemble(draft->graph, std::move(draft->kernels), options);
  if (options.host) attach_finishes(result, options);
  const std::size_t launches = kernel_launches(result).size();
  if (logs && launches != count) {
    log(Log::fusion, text(count, " kernels in ", launches, " launches: what stats() counts"));
  }
  return result;
}

SINTER_INLINE Plan plan(const Graph& graph, const Options& options) {
  Options whole = options;
  whole.begins = options.host || options.gpu;
  Plan result =
      has_control(graph) ? plan_control(graph, options, plan_kernels) : plan_kernels(graph, whole);
  if (options.host) use_output_memory(result, options.updates);
  place_in_arena(
      result, options.host ? std::span<const Kernel>(result.kernels) : std::span<const Kernel>());
  if (verifies()) verify(result);
  return result;
}

}  // namespace sinter::inline SINTER_ABI::detail::schedule
