#pragma once
// A part of a graph as a graph of its own.

#include <sinter/base/container/span.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/config.hpp>
#include <sinter/graph/graph.hpp>

namespace sinter::inline SINTER_ABI::detail {

struct Subgraph {
  Graph graph{};
  Vector<Value> inputs{};  ///< What the inputs of the graph are, in the whole.
};

/// The part of `graph` that computes `wanted` from the needed values among `known`, which become
/// its inputs, in the order of `known`.
///
/// Throws InternalError if that takes an input of `graph` that is not known.
Subgraph subgraph(const Graph& graph, Span<const Value> wanted, Span<const Value> known);

}  // namespace sinter::inline SINTER_ABI::detail

#ifdef SINTER_DEFINITIONS
#include <sinter/graph/subgraph.ipp>
#endif
