#pragma once
// The second stage of a plan: the facts about the nodes of the rewritten graph.

#include <string>  // std::string

#include <sinter/base/container/vector.hpp>
#include <sinter/base/error.hpp>
#include <sinter/base/text.hpp>
#include <sinter/config.hpp>
#include <sinter/schedule/analysis/fusion_analysis.hpp>
#include <sinter/schedule/ir/access.hpp>
#include <sinter/schedule/rewrite/rewrite.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

namespace detail {

inline void inline_streamed_operands(const RewrittenGraph& rewritten, FusionAnalysis& facts) {
  const Graph& graph = rewritten.graph();
  const Vector<bool> of_numbers = nodes_made_of_numbers(graph),
                     of_inputs = nodes_made_of_inputs(graph);
  const auto is_inlined = [&](NodeId id, NodeId reader) {
    const bool large =
        same(numel(graph[id].results[0].shape), numel(graph[reader].results[0].shape));
    return of_numbers[id] || (of_inputs[id] && (large || graph[id].op == Op::gather));
  };
  Vector<bool> streamed(graph.nodes.size(), false);
  for (auto id = static_cast<NodeId>(graph.nodes.size()); id-- > 0;) {
    if (!streamed[id] && rewritten.kinds[id] == Rematerialized::no) continue;
    for (const Value input : graph[id].inputs) {
      const NodeId operand = beneath(graph, input);
      if (is_inlined(operand, id)) streamed[operand] = facts.nodes[operand].inlined = true;
    }
  }
}

}  // namespace detail

/// analyze_fusion() of the rewritten graph. Where Target::streams(), operands of values that
/// streaming kernels recompute are inlined if they are made of positions and seeds, as a dropout
/// mask is, or made of inputs and either as large as these values or gathered: in memory they would
/// be as large as what streaming avoids to store.
inline FusionAnalysis analyze(const RewrittenGraph& rewritten, const Target& target) {
  FusionAnalysis result = analyze_fusion(rewritten.graph(), rewritten.after, target.inlining);
  if (!rewritten.kinds.empty() && target.streams())
    detail::inline_streamed_operands(rewritten, result);
  return result;
}

/// A line for each node that kernels compute: "%4: level 1, uses 2, loads 1, operations 3".
inline std::string to_string(const FusionAnalysis& facts) {
  std::string result;
  for (const NodeId id : facts.order) {
    const NodeFacts& node = facts.nodes[id];
    result += text("%", id, ": level ", node.level, ", uses ", node.uses, ", loads ",
                   node.cost.loads, ", operations ", node.cost.operations);
    if (node.cost.expensive) result += ", expensive";
    if (node.stored) result += ", stored";
    if (node.repeated) result += ", read repeatedly";
    if (node.inlined) result += ", inlined";
    if (node.early) result += ", early";
    if (node.concatenated_in_place) result += ", concatenated in place";
    result += "\n";
  }
  return result;
}

/// Throws InternalError unless the order lists live nodes, each once and after its operands.
inline void verify(const FusionAnalysis& facts, const Graph& graph) {
  if (facts.nodes.size() != graph.nodes.size()) throw InternalError("facts of another graph");
  Vector<bool> later(graph.nodes.size(), false);
  for (const NodeId id : facts.order) later[id] = true;
  for (const NodeId id : facts.order) {
    if (!later[id] || !facts.nodes[id].live)
      throw InternalError(text("%", id, " is listed twice, or computed for no output"));
    later[id] = false;
    for (const Value input : graph[id].inputs) {
      if (later[beneath(graph, input)])
        throw InternalError(text("%", id, " comes before its operand %", beneath(graph, input)));
    }
  }
}

}  // namespace sinter::inline SINTER_ABI::detail::schedule
