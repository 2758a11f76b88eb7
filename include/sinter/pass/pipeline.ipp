#pragma once

#include <array>        // std::array
#include <string_view>  // std::string_view
#include <utility>      // std::exchange, std::move

#include <sinter/base/log.hpp>
#include <sinter/base/time/phase.hpp>
#include <sinter/graph/hash.hpp>
#include <sinter/graph/print.hpp>
#include <sinter/graph/rewrite.hpp>
#include <sinter/graph/verify.hpp>
#include <sinter/pass/contract_sums.hpp>
#include <sinter/pass/factor_sums.hpp>
#include <sinter/pass/fold_constants.hpp>
#include <sinter/pass/guard_reductions.hpp>
#include <sinter/pass/merge_movements.hpp>
#include <sinter/pass/pipeline.hpp>
#include <sinter/pass/relax_arithmetic.hpp>
#include <sinter/pass/remove_identities.hpp>
#include <sinter/pass/simplify_control.hpp>
#include <sinter/pass/simplify_reductions.hpp>

namespace sinter::inline SINTER_ABI::detail::pass {

namespace detail {

struct Pass {
  std::string_view name;
  Graph (*run)(Graph graph, Options options);
};

template <Graph (*pass)(Graph)>
Graph always(Graph graph, Options) {
  return pass(std::move(graph));
}

template <Graph (*pass)(Graph)>
Graph unless_strict(Graph graph, Options options) {
  return options.strict ? graph : pass(std::move(graph));
}

inline constexpr std::array passes{
    Pass{"simplify_control", always<simplify_control>},
    Pass{"fold_constants", always<fold_constants>},
    Pass{"remove_identities", always<remove_identities>},
    Pass{"relax_arithmetic", unless_strict<relax_arithmetic>},
    Pass{"merge_movements", always<merge_movements>},
    Pass{"factor_sums", unless_strict<factor_sums>},
    Pass{"contract_sums", unless_strict<contract_sums>},
    Pass{"simplify_reductions", simplify_reductions},
};

// Run once, after the others: it puts several nodes in the place of one.
inline constexpr Pass last_pass{"guard_reductions", unless_strict<guard_reductions>};

// Every rule makes the graph smaller or simpler, so a few rounds are enough; the bound is there so
// that two rules that undo each other cost speed and not an endless loop.
inline constexpr int max_rounds = 8;

SINTER_INLINE Graph run(const Pass& pass, Graph graph, Options options) {
  const bool logs = log_enabled(Log::graph);
  const Hash before = logs ? hash_of(graph) : Hash();
  const std::size_t nodes = graph.nodes.size();
  if (rewrite_probe != nullptr) rewrite_probe->begins(pass.name);
  Graph result = pass.run(std::move(graph), options);
  if (rewrite_probe != nullptr) rewrite_probe->begins("");
  if (verifies()) verify(result);
  if (logs && hash_of(result) != before) {
    log(Log::graph, text(pass.name, ": ", nodes, " nodes -> ", result.nodes.size(), "\n", result));
  }
  return result;
}

}  // namespace detail

SINTER_INLINE Graph optimize(const Graph& graph, Options options) {
  const PhaseScope phase(CallPhase::passes);
  if (log_enabled(Log::graph))
    log(Log::graph, text("recorded: ", graph.nodes.size(), " nodes\n", graph));
  Graph result = rewrite(graph, {});  // shares equal nodes, as each pass that changes it does
  Hash before{}, after = hash_of(graph);
  for (int round = 0; round < detail::max_rounds && before != after; ++round) {
    for (const detail::Pass& pass : detail::passes) {
      result = detail::run(pass, std::move(result), options);
    }
    before = std::exchange(after, hash_of(result));
  }
  return detail::run(detail::last_pass, std::move(result), options);
}

}  // namespace sinter::inline SINTER_ABI::detail::pass
