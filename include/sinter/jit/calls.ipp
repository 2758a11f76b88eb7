#pragma once

#include <algorithm>  // std::any_of, std::find, std::max

#include <sinter/graph/callee.hpp>
#include <sinter/graph/subgraph.hpp>
#include <sinter/jit/calls.hpp>
#include <sinter/jit/differentiated.hpp>

namespace sinter::inline SINTER_ABI::jit {

SINTER_INLINE bool has_calls(const Graph& graph) {
  return std::any_of(graph.nodes.begin(), graph.nodes.end(),
                     [](const Node& node) { return callee_of(node) != nullptr; });
}

SINTER_INLINE GraphWithCalls::GraphWithCalls(const Graph& graph, std::span<const Storage> inputs,
                                             Device device)
    : graph_(graph), device_(device) {
  for (std::size_t i = 0; i < inputs.size(); ++i) elements_[{graph.inputs[i], 0}] = inputs[i];
  find_levels();
  find_wanted();
}

SINTER_INLINE void GraphWithCalls::find_levels() {
  int most = 0;
  for (const Node& node : graph_.nodes) {
    int level = 0;
    for (const Value input : node.inputs) {
      const bool is_call = callee_of(graph_[input.node]) != nullptr;
      level = std::max(level, levels_[input.node] + (is_call ? 1 : 0));
    }
    levels_.push_back(level);
    most = std::max(most, level);
  }
  wanted_.resize(static_cast<std::size_t>(most) + 1);
}

// Of the values between the calls, those that are read by another level or by a call.
SINTER_INLINE void GraphWithCalls::find_wanted() {
  for (NodeId id = 0; id < graph_.nodes.size(); ++id) {
    const bool is_call = callee_of(graph_[id]) != nullptr;
    for (const Value input : graph_[id].inputs) want(input, is_call ? -1 : levels_[id]);
  }
  for (const Value output : graph_.outputs) want(output, -1);
}

SINTER_INLINE void GraphWithCalls::want(Value value, int reader) {
  const Node& node = graph_[value.node];
  const int level = levels_[value.node];
  if (level == reader || node.op == Op::input || callee_of(node) != nullptr) return;
  std::vector<Value>& list = wanted_[static_cast<std::size_t>(level)];
  if (std::find(list.begin(), list.end(), value) == list.end()) list.push_back(value);
}

SINTER_INLINE void GraphWithCalls::compute(const std::vector<Value>& wanted, Evaluate evaluate) {
  if (wanted.empty()) return;
  std::vector<Value> known;
  for (const auto& [place, elements] : elements_) known.push_back({place.first, place.second});
  const Subgraph part = subgraph(graph_, wanted, known);
  std::vector<Storage> inputs;
  for (const Value input : part.inputs) inputs.push_back(elements_.at(key(input)));
  std::vector<Storage> results = evaluate(part.graph, inputs);
  for (std::size_t i = 0; i < wanted.size(); ++i) elements_[key(wanted[i])] = std::move(results[i]);
}

SINTER_INLINE void GraphWithCalls::call(NodeId id) {
  const Node& node = graph_[id];
  const auto& callee = static_cast<const CompiledCallee&>(*callee_of(node));
  std::vector<Storage> inputs;
  for (const Value input : node.inputs) inputs.push_back(elements_.at(key(input)));
  std::vector<Storage> results = callee.run(inputs, callee_sizes(node), device_, node.where);
  for (std::uint32_t i = 0; i < results.size(); ++i) elements_[{id, i}] = std::move(results[i]);
}

SINTER_INLINE std::vector<Storage> GraphWithCalls::run(Evaluate evaluate) {
  for (std::size_t level = 0; level < wanted_.size(); ++level) {
    compute(wanted_[level], evaluate);
    for (NodeId id = 0; id < graph_.nodes.size(); ++id) {
      const bool is_next = static_cast<std::size_t>(levels_[id]) == level;
      if (is_next && callee_of(graph_[id]) != nullptr) call(id);
    }
  }
  std::vector<Storage> results;
  for (const Value output : graph_.outputs) results.push_back(elements_.at(key(output)));
  return results;
}

}  // namespace sinter::inline SINTER_ABI::jit
