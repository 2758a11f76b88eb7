#pragma once
// The kernels of a graph before they have an order and memory.

#include <memory>    // std::unique_ptr
#include <optional>  // std::optional
#include <vector>    // std::vector

#include <sinter/config.hpp>
#include <sinter/schedule/ir/plan.hpp>
#include <sinter/schedule/lower/kernels.hpp>
#include <sinter/schedule/rewrite/rematerialize_transposed.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

/// Kernels, and what they are made of. Its parts refer to each other.
struct Draft {
  std::optional<Turned> again;  ///< What is computed a second time, if anything is.
  const Graph& graph;           ///< With that, or as it was given.
  Survey facts;
  Clusters clusters;
  Demand needs;
  Fusion fusion;
  std::vector<Lowered> apart{};  ///< Before they were put together; empty if nobody asks.
  std::vector<Lowered> kernels{};

  Draft(const Graph& whole, std::optional<Turned> computed_again, const Options& options);
  Draft(const Draft&) = delete;
  Draft& operator=(const Draft&) = delete;
};

/// The kernels of `graph`, which lives as long as they do. With Options::blocks the host computes
/// again what is too large to keep; a GPU computes again what kernels stream over then, however
/// small it is, and nothing else.
std::unique_ptr<Draft> draft_of(const Graph& graph, const Options& options);

/// For each of what a GPU was to reduce beside rows, in the order of their nodes, whether no rows
/// are computed in its kernel.
std::vector<bool> alone_beside_rows(const Draft& draft);

}  // namespace sinter::inline SINTER_ABI::detail::schedule

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/draft.ipp>
#endif
