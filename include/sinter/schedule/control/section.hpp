#pragma once
// Splits a graph at its control flow into sections without any, in the order in which they run.

#include <cstdint>  // std::uint32_t
#include <utility>  // std::pair

#include <sinter/base/container/vector.hpp>
#include <sinter/config.hpp>
#include <sinter/graph/graph.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

/// A section, and the values of the whole graph that its inputs and outputs stand for.
struct Section {
  Graph graph{};
  Vector<Value> inputs{}, outputs{};
  Vector<NodeId> controls{};  ///< Control flow that runs after it, but for starts.
};

/// The attribute of a custom node that is a fence: what is before it in the graph runs before it,
/// and what is behind it runs after it, so that large operands end, and large results begin, there.
inline constexpr const char* fence_attribute = "fence";

/// The attribute of a fence behind which nothing fails: only there are inputs overwritten.
inline constexpr const char* commit_attribute = "commits";

bool is_fence(const Node& node);

/// Whether `node` is a custom one with the attribute "starts": what it starts runs while others are
/// computed, so that it is launched in the midst of its section, as soon as it has its operands. In
/// a graph with fences it ends its section instead.
bool is_start(const Node& node);

/// The attribute of a custom node that runs beside what comes later, until its results are read:
/// until then nothing is written over its operands.
inline constexpr const char* overlap_attribute = "overlaps";

/// Whether `graph` branches or loops.
bool has_control(const Graph& graph);

/// The sections of `graph`; the last one has no control flow after it. Each node is in the latest
/// section that it can be in, so that readers of the results of control flow are fused with their
/// other operands. A reduction to one element is in the earliest section that can compute it, if it
/// is the only reason to keep larger values for a later section. Constants and movement operations
/// are duplicated in each section that needs them.
Vector<Section> sections(const Graph& graph);

namespace detail {

/// A value as a key of maps, in the order of nodes.
using ValueKey = std::pair<NodeId, std::uint32_t>;

inline ValueKey key_of(Value value) { return {value.node, value.result}; }

}  // namespace detail

}  // namespace sinter::inline SINTER_ABI::detail::schedule

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/control/section.ipp>
#endif
