#pragma once

#include <algorithm>  // std::max
#include <atomic>     // std::atomic

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/sorted_map.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/graph/callee.hpp>
#include <sinter/graph/subgraph.hpp>
#include <sinter/jit/eager/steps.hpp>
#include <sinter/jit/state/callee.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

SINTER_INLINE bool has_calls(const Graph& graph) {
  return any_of(graph.nodes, [](const Node& node) { return callee_of(node) != nullptr; });
}

// Builds the steps of a graph. The level of a node is the number of calls on the longest path to
// it.
class StepBuilder {
 public:
  StepBuilder(const Graph& graph, GraphSteps& result) : graph_(graph), result_(result) {
    for (const NodeId input : graph.inputs) add_slot({input, 0});
    find_levels();
    find_wanted();
  }

  void write() {
    for (std::size_t level = 0; level < wanted_.size(); ++level) {
      if (!wanted_[level].empty()) add_evaluated_step(wanted_[level]);
      for (NodeId id = 0; id < graph_.nodes.size(); ++id) {
        const bool is_next = static_cast<std::size_t>(levels_[id]) == level;
        if (is_next && callee_of(graph_[id]) != nullptr) add_call(id);
      }
    }
    for (const Value output : graph_.outputs) result_.outputs_.push_back(slots_.at(key(output)));
  }

 private:
  using Key = std::pair<NodeId, std::uint32_t>;
  static Key key(Value value) { return {value.node, value.result}; }

  GraphSteps::Slot add_slot(Value value) {
    known_.push_back(value);
    return slots_.try_emplace(key(value), result_.slots_++).first->second;
  }

  void find_levels() {
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

  void find_wanted() {
    for (NodeId id = 0; id < graph_.nodes.size(); ++id) {
      const bool is_call = callee_of(graph_[id]) != nullptr;
      for (const Value input : graph_[id].inputs) want(input, is_call ? -1 : levels_[id]);
    }
    for (const Value output : graph_.outputs) want(output, -1);
  }

  void want(Value value, int reader) {
    const Node& node = graph_[value.node];
    const int level = levels_[value.node];
    if (level == reader || node.op == Op::input || callee_of(node) != nullptr) return;
    Vector<Value>& list = wanted_[static_cast<std::size_t>(level)];
    if (!contains(list, value)) list.push_back(value);
  }

  void add_evaluated_step(const Vector<Value>& wanted) {
    Subgraph part = subgraph(graph_, wanted, known_);
    GraphSteps::Step step{.graph = std::move(part.graph)};
    step.where = graph_[wanted.back().node].where;
    for (const Value input : part.inputs) step.inputs.push_back(slots_.at(key(input)));
    for (const Value value : wanted) step.results.push_back(add_slot(value));
    result_.steps_.push_back(std::move(step));
  }

  void add_call(NodeId id) {
    const Node& node = graph_[id];
    const auto sizes = callee_sizes(node);
    const SharedPtr<const Callee>& callee = shared_callee_of(node);
    GraphSteps::Step step{
        .callee = {callee.owner(), static_cast<const CompiledCallee*>(callee.get())},
        .sizes = {sizes.begin(), sizes.end()},
        .where = node.where};
    for (const Value input : node.inputs) step.inputs.push_back(slots_.at(key(input)));
    const auto count = static_cast<std::uint32_t>(step.callee->graph().outputs.size());
    for (std::uint32_t i = 0; i < count; ++i) step.results.push_back(add_slot({id, i}));
    result_.steps_.push_back(std::move(step));
  }

  const Graph& graph_;
  GraphSteps& result_;
  std::vector<int> levels_{};
  Vector<Vector<Value>> wanted_{};  // by level: values that calls and later levels read
  Vector<Value> known_{};
  SortedMap<Key, GraphSteps::Slot> slots_{};
};

SINTER_INLINE GraphSteps::GraphSteps(const Graph& graph) { StepBuilder(graph, *this).write(); }

SINTER_INLINE void GraphSteps::compile_evaluated_steps() {
  const CompiledCallee* function = nullptr;
  for (const Step& step : steps_) {
    if (step.callee == nullptr) continue;
    if (step.callee->is_frozen()) return;
    if (function == nullptr || step.callee->compiles_in_background()) function = step.callee.get();
  }
  for (Step& step : steps_) {
    if (step.callee == nullptr) step.callee = function->surrounding(std::move(step.graph));
  }
}

SINTER_INLINE Vector<Storage> GraphSteps::run(Span<const Storage> inputs, Device device,
                                              Evaluate evaluate) const {
  static std::atomic<std::uint64_t> evaluations{0};
  const std::uint64_t evaluation = ++evaluations;
  Vector<Storage> slots(inputs.begin(), inputs.end());
  slots.resize(slots_);
  Vector<Storage> given;
  for (const Step& step : steps_) {
    given.clear();
    for (const Slot slot : step.inputs) given.push_back(slots[slot]);
    Vector<Storage> results = step.callee == nullptr ? evaluate(step.graph, given)
                                                     : step.callee->run(given, step.sizes, device,
                                                                        step.where, evaluation);
    for (std::size_t i = 0; i < step.results.size(); ++i) {
      slots[step.results[i]] = std::move(results[i]);
    }
  }
  Vector<Storage> results;
  for (const Slot slot : outputs_) results.push_back(slots[slot]);
  return results;
}

}  // namespace sinter::inline SINTER_ABI::detail::jit
