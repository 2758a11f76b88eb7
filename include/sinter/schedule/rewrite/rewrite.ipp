#pragma once

#include <utility>  // std::move

#include <sinter/base/error.hpp>
#include <sinter/base/text.hpp>
#include <sinter/graph/print.hpp>
#include <sinter/graph/verify.hpp>
#include <sinter/schedule/rewrite/rematerialize_transposed.hpp>
#include <sinter/schedule/rewrite/rewrite.hpp>
#include <sinter/schedule/rewrite/scatter.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

namespace detail {

// With Options::saves_memory, products of any size are rematerialized, whatever that costs.
SINTER_INLINE Optional<RematerializedGraph> rematerialized(const Graph& graph,
                                                           const Options& options) {
  const Target& target = options.target;
  RematerializeRules rules = target.rematerialization;
  if (!options.saves_memory || target.streams()) return rematerialize_all(graph, rules, target);
  rules.most_terms = unbounded;
  rules.fewest_elements = rules.most_bytes_kept = rules.growth = 1;
  rules.gathers = true;
  return rematerialize(graph, rules, target);
}

}  // namespace detail

SINTER_INLINE RewrittenGraph rewrite(const Graph& recorded, const Options& options) {
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

SINTER_INLINE std::string to_string(const RewrittenGraph& rewritten) {
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

SINTER_INLINE void verify(const RewrittenGraph& rewritten) {
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
