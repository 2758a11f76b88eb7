#pragma once
// A graph cut at its control flow: parts without any, in the order in which they run.

#include <cstdint>  // std::uint32_t
#include <utility>  // std::pair
#include <vector>   // std::vector

#include <sinter/config.hpp>
#include <sinter/graph/graph.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

/// A part of a graph, and what its inputs and outputs are values of.
struct Section {
  Graph graph{};
  std::vector<Value> inputs{}, outputs{};
  std::vector<NodeId> controls{};  ///< The nodes of control flow that run after it.
};

/// True if `graph` branches or loops.
bool has_control(const Graph& graph);

/// The sections of `graph`; the last has no control flow after it. Nodes are as late as they can
/// be, so that what reads the results of control flow is fused with what it reads beside them.
/// Constants and movement are in each section that needs them.
std::vector<Section> sections(const Graph& graph);

namespace detail {

/// A value as a key of maps, in the order of nodes.
using ValueKey = std::pair<NodeId, std::uint32_t>;

inline ValueKey key_of(Value value) { return {value.node, value.result}; }

}  // namespace detail

}  // namespace sinter::inline SINTER_ABI::detail::schedule

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/control/section.ipp>
#endif
