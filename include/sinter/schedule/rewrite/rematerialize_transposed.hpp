#pragma once
// Values that are too large to keep, computed again for those who read them the other way round.

#include <optional>  // std::optional
#include <vector>    // std::vector

#include <sinter/config.hpp>
#include <sinter/graph/graph.hpp>
#include <sinter/schedule/rewrite/rematerialize.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

struct Turned {
  Graph graph{};
  std::vector<NodeId> after{};   ///< For each node one that runs before it, read or not, or itself.
  std::vector<Again> again{};    ///< For each node: whether it is one of those computed again.
  std::vector<NodeId> origin{};  ///< For each node: that of the graph that it stands for.
};

/// `graph` with large values that are computed by operations on the elements of products, and of
/// numbers for each row, computed a second time with rows and columns exchanged. Products that sum
/// over the rows read the second one, of which each row is then needed by one of theirs: neither
/// of the two has to be in memory as a whole. `after` and `again` are as in the result, or empty.
/// Nothing if there is no such value.
std::optional<Turned> turn(const Graph& graph, const std::vector<NodeId>& after = {},
                           const std::vector<Again>& again = {}, const AgainRules& rules = {});

/// What recompute() and turn() make of `graph`, if one of them makes anything.
std::optional<Turned> recompute_and_turn(const Graph& graph, const AgainRules& rules = {});

}  // namespace sinter::inline SINTER_ABI::detail::schedule

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/rewrite/rematerialize_transposed.ipp>
#endif
