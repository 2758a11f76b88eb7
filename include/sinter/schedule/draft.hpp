#pragma once
// The kernels of a graph, before they have a launch order and buffers.

#include <sinter/base/container/optional.hpp>
#include <sinter/base/container/unique_ptr.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/config.hpp>
#include <sinter/schedule/ir/plan.hpp>
#include <sinter/schedule/lower/kernels.hpp>
#include <sinter/schedule/rewrite/rematerialize_transposed.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

/// Kernels, and the intermediate results they were made from, which refer to each other.
struct Draft {
  Optional<RematerializedGraph> rematerialized;  ///< Nothing if no value is rematerialized.
  const Graph& graph;  ///< The rematerialized graph, or else the original one.
  FusionAnalysis facts;
  FusionGroups groups;
  LiveOut live_out;
  FusionResult fusion;
  Vector<LoweredKernel> untiled{};  ///< The kernels before row tiling, if fusion is logged.
  Vector<LoweredKernel> kernels{};

  Draft(const Graph& whole, Optional<RematerializedGraph> rematerialized_graph,
        const Options& options);
  Draft(const Draft&) = delete;
  Draft& operator=(const Draft&) = delete;
};

/// The kernels of `graph`. Both arguments must outlive the draft. With Options::row_tiles and
/// Target::rematerializes, values that are too large to keep are rematerialized; where
/// Target::streams(), the values that streaming kernels compute, whatever their size.
UniquePtr<Draft> draft_of(const Graph& graph, const Options& options);

}  // namespace sinter::inline SINTER_ABI::detail::schedule

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/draft.ipp>
#endif
