#pragma once
// The first stage of a plan: rewrites the graph for fusion.

#include <string>  // std::string

#include <sinter/base/container/optional.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/config.hpp>
#include <sinter/graph/graph.hpp>
#include <sinter/schedule/ir/plan.hpp>
#include <sinter/schedule/rewrite/rematerialize.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

/// What rewrite() makes of a graph. It refers to that graph.
struct RewrittenGraph {
  const Graph& recorded;
  Optional<Graph> changed{};       ///< Nothing if no rewrite applies.
  Vector<NodeId> after{};          ///< As in RematerializedGraph; empty without rematerialization.
  Vector<Rematerialized> kinds{};  ///< The same.

  const Graph& graph() const { return changed ? *changed : recorded; }
};

/// `recorded` with scatters as elementwise operations, where that is known to be equal; unless
/// Options::strict, with the rewrites of the target, which split reductions and products; and with
/// Options::row_tiles and Target::rematerializes, with a second copy of values that are too large
/// to keep, or, where Target::streams(), that a streaming kernel may compute.
RewrittenGraph rewrite(const Graph& recorded, const Options& options);

/// The graph, followed by a line for each rematerialized value: "%7 is recomputed
/// transposed, after %5".
std::string to_string(const RewrittenGraph& rewritten);

/// Throws InternalError unless the graph is well formed, and each node comes after what it waits
/// for.
void verify(const RewrittenGraph& rewritten);

}  // namespace sinter::inline SINTER_ABI::detail::schedule

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/rewrite/rewrite.ipp>
#endif
