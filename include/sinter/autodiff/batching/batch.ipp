#pragma once

#include <utility>  // std::move

#include <sinter/autodiff/batching/batch.hpp>
#include <sinter/autodiff/batching/rules.hpp>
#include <sinter/autodiff/gradient/backward.hpp>
#include <sinter/base/container/vector.hpp>

namespace sinter::inline SINTER_ABI::detail::autodiff {

namespace detail {

// Which nodes an output needs.
SINTER_INLINE Vector<bool> nodes_behind_outputs(const Graph& graph) {
  Vector<bool> result(graph.nodes.size());
  for (const Value output : graph.outputs) result[output.node] = true;
  for (std::size_t id = graph.nodes.size(); id-- > 0;) {
    if (!result[id]) continue;
    for (const Value input : graph.nodes[id].inputs) result[input.node] = true;
  }
  return result;
}

// True if the node is computed once for all samples: no input is batched. Draws that are not shared
// and bodies, which may draw, are computed for each sample, as is what may fault where some samples
// are inactive.
SINTER_INLINE bool is_same_for_all(const Batching& at) {
  for (const Batched& input : at.inputs) {
    if (input.is_batched) return false;
  }
  if (is_control(at.node.op)) return false;
  if (at.node.op == Op::random_bits) return is_shared_draw(at.node);
  if (!at.active) return true;
  const bool divides = at.node.op == Op::floor_divide || at.node.op == Op::remainder;
  if (divides) return is_floating(at.node.results[0].dtype);
  return at.node.op != Op::gather && at.node.op != Op::scatter_add;
}

SINTER_INLINE Vector<Batched> batch_node(const Batching& at) {
  if (!is_same_for_all(at)) {
    Vector<Batched> results = batching_rule(at.node.op).apply(at);
    for (std::size_t i = 0; i < results.size() && rule_probe != nullptr; ++i) {
      Value& value = results[i].value;
      value = rule_probe->batched(at.builder, at.sample, at.node, i, value);
    }
    return results;
  }
  Node node = with_shared_draws(at.node, -1);
  for (std::size_t i = 0; i < at.inputs.size(); ++i) node.inputs[i] = at.inputs[i].value;
  const NodeId id = at.builder.append(std::move(node));
  return {{id, false}};
}

}  // namespace detail

SINTER_INLINE Vector<Batched> batch(Builder& builder, const Graph& sample,
                                    Span<const Batched> operands, Extent count,
                                    Optional<Value> active) {
  const Vector<bool> needed = detail::nodes_behind_outputs(sample);
  Vector<Vector<Batched>> moved(sample.nodes.size());  // moved[id][result]
  for (std::size_t i = 0; i < sample.inputs.size(); ++i) moved[sample.inputs[i]] = {operands[i]};
  for (NodeId id = 0; id < sample.nodes.size(); ++id) {
    const Node& node = sample[id];
    if (!needed[id] || node.op == Op::input) continue;
    Vector<Batched> inputs;
    for (const Value input : node.inputs) inputs.push_back(moved[input.node][input.result]);
    builder.at(node);
    moved[id] = detail::batch_node({builder, sample, node, inputs, count, active});
  }
  Vector<Batched> result;
  for (const Value output : sample.outputs) result.push_back(moved[output.node][output.result]);
  return result;
}

}  // namespace sinter::inline SINTER_ABI::detail::autodiff
