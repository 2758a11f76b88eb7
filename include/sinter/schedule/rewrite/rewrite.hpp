#pragma once
// The first stage of a plan: rewrites the graph for fusion.

#include <string>   // std::string
#include <utility>  // std::move

#include <sinter/base/container/optional.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/base/error.hpp>
#include <sinter/base/text.hpp>
#include <sinter/config.hpp>
#include <sinter/graph/graph.hpp>
#include <sinter/graph/print.hpp>
#include <sinter/graph/verify.hpp>
#include <sinter/schedule/ir/plan.hpp>
#include <sinter/schedule/rewrite/rematerialize.hpp>
#include <sinter/schedule/rewrite/rematerialize_transposed.hpp>
#include <sinter/schedule/rewrite/scatter.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

/// What rewrite() makes of a graph. It refers to that graph.
struct RewrittenGraph {
  const Graph& recorded;
  Optional<Graph> changed{};       ///< Nothing if no rewrite applies.
  Vector<NodeId> after{};          ///< As in RematerializedGraph; empty without rematerialization.
  Vector<Rematerialized> kinds{};  ///< The same.

  const Graph& graph() const { return changed ? *changed : recorded; }
};

namespace detail {

// With Options::saves_memory, products of any size are rematerialized, whatever that costs.
inline Optional<RematerializedGraph> rematerialized(const Graph& graph, const Options& options) {
  const Target& target = options.target;
  RematerializeRules rules = target.rematerialization;
  if (!options.saves_memory || target.streams()) return rematerialize_all(graph, rules, target);
  rules.most_terms = unbounded;
  rules.fewest_elements = rules.most_bytes_kept = rules.growth = 1;
  rules.gathers = true;
  return rematerialize(graph, rules, target);
}

}  // namespace detail

/// `recorded` with scatters as elementwise operations, where that is known to be equal; unless
/// Options::strict, with the rewrites of the target, which split reductions and products; and with
/// Options::row_tiles and Target::rematerializes, with a second copy of values that are too large
/// to keep, or, where Target::streams(), that a streaming kernel may compute.
inline RewrittenGraph rewrite(const Graph& recorded, const Options& options) {
  RewrittenGraph result{recorded, scatter_as_add(recorded)};
  const auto replace = [&](Optional<Graph> next) {
    if (next) result.changed = std::move(next);
  };
  replace(scatter_as_select(result.graph()));
  if (!options.strict) {
    for (const Rewrite rewrite : options.target.rewrites) {
      if (rewrite != nullptr) replace(rewrite(result.graph(), options.target));
    }
  }
  if (!options.row_tiles || !options.target.rematerializes) return result;
  auto rematerialized = detail::rematerialized(result.graph(), options);
  if (!rematerialized) return result;
  result.changed = std::move(rematerialized->graph);
  result.after = std::move(rematerialized->after);
  result.kinds = std::move(rematerialized->kinds);
  return result;
}

/// The graph, followed by a line for each rematerialized value: "%7 is recomputed
/// transposed, after %5".
inline std::string to_string(const RewrittenGraph& rewritten) {
  std::string result = to_string(rewritten.graph());
  for (std::size_t id = 0; id < rewritten.kinds.size(); ++id) {
    if (rewritten.kinds[id] == Rematerialized::no) continue;
    const bool is_transposed = rewritten.kinds[id] == Rematerialized::transposed;
    result += text("%", id, " is recomputed", is_transposed ? " transposed" : "");
    if (rewritten.after[id] != id) result += text(", after %", rewritten.after[id]);
    result += "\n";
  }
  return result;
}

/// Throws InternalError unless the graph is well formed, and each node comes after what it waits
/// for.
inline void verify(const RewrittenGraph& rewritten) {
  verify(rewritten.graph());
  const std::size_t count = rewritten.graph().nodes.size();
  const std::size_t expected = rewritten.kinds.empty() ? 0 : count;
  if (rewritten.kinds.size() != expected || rewritten.after.size() != expected)
    throw InternalError("rematerialized values of another graph");
  for (std::size_t id = 0; id < expected; ++id) {
    if (rewritten.after[id] > id)
      throw InternalError(text("%", id, " waits for the later %", rewritten.after[id]));
  }
}

}  // namespace sinter::inline SINTER_ABI::detail::schedule
