#pragma once
// Reductions over what the threads share: each chunk of the elements gives a partial result, and
// these are combined in the end. How many chunks there are depends on sizes only, so the result
// does not depend on the number of threads.

#include <cstdint>        // std::uint32_t
#include <optional>       // std::optional
#include <unordered_map>  // std::unordered_map
#include <vector>         // std::vector

#include <sinter/config.hpp>
#include <sinter/graph/graph.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

/// A node that has a result for each chunk along its first axis. Which elements belong to which
/// chunk is not told, since all that reads it is one reduction of that axis.
struct Partial {
  Value operand{};         ///< What is reduced, ...
  std::uint32_t axes = 0;  ///< ... along these of its axes, the first among them.
  Extent chunks = 0;       ///< own_chunks: each point of the grid has results of its own.
};

using Partials = std::unordered_map<NodeId, Partial>;

/// `graph` with each sum, product, maximum or minimum along the first axis, of enough elements, as
/// one over each chunk of that axis and one over the chunks. Sums of f16 and bf16 are in f32
/// between the two. Inputs and outputs keep their places. Nothing if there is no such reduction.
std::optional<Graph> reduce_in_chunks(const Graph& graph);

/// The same for a GPU, of what is reduced beside rows, see column_reductions.hpp; but not those
/// that, counted in the order of their nodes, are `alone`, if that says so of each.
std::optional<Graph> reduce_beside_rows(const Graph& graph, const std::vector<bool>& alone = {});

/// The nodes of `graph` that are such results; with `gpu` those beside rows.
Partials find_partials(const Graph& graph, bool gpu = false);

}  // namespace sinter::inline SINTER_ABI::detail::schedule

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/rewrite/partial_reductions.ipp>
#endif
