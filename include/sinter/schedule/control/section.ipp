#pragma once

#include <algorithm>  // std::max, std::min

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/sorted_map.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/graph/builder.hpp>
#include <sinter/graph/control.hpp>
#include <sinter/schedule/control/section.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

namespace detail {

class SectionSplitter {
 public:
  explicit SectionSplitter(const Graph& graph)
      : graph_(graph),
        has_fences_(any_of(graph.nodes, [](const Node& node) { return is_fence(node); })),
        live_(graph.nodes.size(), false),
        stages_(graph.nodes.size(), 0) {
    find_live();
    find_earliest();
    const Vector<std::size_t> earliest = stages_;
    find_latest(Vector<bool>(graph.nodes.size(), false));
    const Vector<bool> totals = early_totals();
    stages_ = earliest;
    find_latest(totals);
  }

  Vector<Section> run() {
    for (std::size_t i = 0; i <= last_; ++i) builders_.emplace_back(sections_[i].graph);
    copies_.resize(last_ + 1);
    for (const NodeId id : starts_first()) {
      if (!live_[id] || graph_[id].op == Op::input) continue;
      if (is_control(graph_[id].op)) {
        for (const Value input : graph_[id].inputs) materialize(input);
        sections_[stages_[id]].controls.push_back(id);
      } else {
        copy(id, stages_[id]);
      }
    }
    for (const Value output : graph_.outputs) materialize(output);
    return std::move(sections_);
  }

 private:
  static bool is_duplicated(Op op) {
    return op == Op::constant || op == Op::iota || is_movement(op);
  }
  bool is_boundary(NodeId id) const {
    return graph_[id].op == Op::input || is_control(graph_[id].op);
  }

  // Whether `id` reduces elements to one, as a loss does.
  bool is_total(NodeId id) const {
    const auto has_one = [&](Value value) {
      const Extent count = numel(graph_.type(value).shape);
      return count.is_number() && count.number() <= 1;
    };
    const Node& node = graph_[id];
    return node.results.size() == 1 && !is_duplicated(node.op) && has_one({id, 0}) &&
           any_of(node.inputs, [&](Value input) { return !has_one(input); });
  }

  void find_live() {
    for (const Value output : graph_.outputs) live_[output.node] = true;
    for (std::size_t id = graph_.nodes.size(); id-- > 0;) {
      live_[id] = live_[id] || has_side_effects(graph_[static_cast<NodeId>(id)]);
      if (!live_[id]) continue;
      for (const Value input : graph_.nodes[id].inputs) live_[input.node] = true;
    }
  }

  void find_earliest() {
    std::size_t effects = 0;  // the stage of the last side effect
    std::size_t starts = 0;   // the one behind that of the last start
    std::size_t first = 0;    // the stage behind the last fence
    std::size_t reached = 0;  // the last stage so far
    for (NodeId id = 0; id < graph_.nodes.size(); ++id) {
      if (!live_[id]) continue;
      stages_[id] = first;
      for (const Value input : graph_[id].inputs) {
        const std::size_t after = is_control(graph_[input.node].op) ? 1 : 0;
        stages_[id] = std::max(stages_[id], stages_[input.node] + after);
      }
      if (has_side_effects(graph_[id])) {  // in the order of the program
        stages_[id] = effects = std::max(stages_[id], effects);
      }
      if (has_fences_ && is_start(graph_[id])) {  // what is computed meanwhile is behind it
        stages_[id] = effects = std::max(stages_[id], starts);
        starts = stages_[id] + 1;
      }
      // What a fence needs may be computed behind the last start.
      if (is_fence(graph_[id])) stages_[id] = effects = std::max({effects, reached, starts});
      reached = std::max(reached, stages_[id]);
      last_ = std::max(last_, stages_[id] + (is_control(graph_[id].op) ? 1 : 0));
      if (is_fence(graph_[id])) first = stages_[id] + 1;
    }
    sections_.resize(last_ + 1);
  }

  // Moves each node to the latest section that it can be in, except those that are `fixed`.
  void find_latest(const Vector<bool>& fixed) {
    Vector<std::size_t> latest(graph_.nodes.size(), last_);
    std::size_t before_fence = last_;
    for (std::size_t id = graph_.nodes.size(); id-- > 0;) {
      if (!live_[id]) continue;
      if (!is_control(graph_.nodes[id].op) && !fixed[id]) {
        stages_[id] = std::min(latest[id], before_fence);
      }
      if (is_fence(graph_.nodes[id])) before_fence = stages_[id];
      for (const Value input : graph_.nodes[id].inputs) {
        latest[input.node] = std::min(latest[input.node], stages_[id]);
      }
    }
  }

  // The nodes whose values later sections need for anything other than totals.
  Vector<bool> find_kept() const {
    Vector<bool> result(graph_.nodes.size(), false), for_totals(graph_.nodes.size(), true);
    for (const Value output : graph_.outputs) {
      result[output.node] = true;
      for_totals[output.node] = false;
    }
    for (std::size_t id = graph_.nodes.size(); id-- > 0;) {
      if (!live_[id] || is_total(static_cast<NodeId>(id)) || for_totals[id]) continue;
      for (const Value input : graph_.nodes[id].inputs) {
        for_totals[input.node] = false;
        result[input.node] = result[input.node] || stages_[input.node] < stages_[id];
      }
    }
    return result;
  }

  // The totals whose sections need values of earlier sections that nothing else needs there.
  Vector<bool> early_totals() const {
    const Vector<bool> is_kept = find_kept();
    Vector<bool> reads_more(graph_.nodes.size(), false), result = reads_more;
    for (NodeId id = 0; id < graph_.nodes.size(); ++id) {
      if (!live_[id] || is_boundary(id)) continue;
      reads_more[id] = any_of(graph_[id].inputs, [&](Value input) {
        const NodeId operand = input.node;
        if (is_boundary(operand) || is_kept[operand]) return false;
        return stages_[operand] < stages_[id] || reads_more[operand];
      });
      result[id] = reads_more[id] && is_total(id);
    }
    return result;
  }

  // The nodes in the order of the graph, but what a start needs comes before what it does not need.
  // Not where fences order them already.
  Vector<NodeId> starts_first() const {
    Vector<NodeId> result;
    Vector<bool> is_there(graph_.nodes.size(), false);
    for (NodeId id = 0; id < graph_.nodes.size() && !has_fences_; ++id) {
      if (live_[id] && is_start(graph_[id])) add_needed(id, is_there, result);
    }
    for (NodeId id = 0; id < graph_.nodes.size(); ++id) {
      if (!is_there[id]) result.push_back(id);
    }
    return result;
  }

  // Adds `start`, what it needs, and the side effects before it.
  void add_needed(NodeId start, Vector<bool>& is_there, Vector<NodeId>& result) const {
    Vector<bool> needed(graph_.nodes.size(), false);
    needed[start] = true;
    for (std::size_t id = start + 1; id-- > 0;) {
      needed[id] = needed[id] || (live_[id] && has_side_effects(graph_.nodes[id]));
      if (!needed[id]) continue;
      for (const Value input : graph_.nodes[id].inputs) needed[input.node] = true;
    }
    for (NodeId id = 0; id <= start; ++id) {
      if (!needed[id] || is_there[id]) continue;
      is_there[id] = true;
      result.push_back(id);
    }
  }

  void copy(NodeId id, std::size_t stage) {
    Node node = graph_[id];
    for (Value& input : node.inputs) input = import(input, stage);
    copies_[stage][{id, 0}] = builders_[stage].append(std::move(node));
  }

  // `value` in section `stage`.
  Value import(Value value, std::size_t stage) {
    const auto known = copies_[stage].find(key_of(value));
    if (known != copies_[stage].end()) return known->second;
    if (is_duplicated(graph_[value.node].op)) {
      copy(value.node, stage);
      return copies_[stage].at(key_of(value));
    }
    materialize(value);
    const Value input = builders_[stage].input(graph_.type(value));
    sections_[stage].inputs.push_back(value);
    copies_[stage].emplace(key_of(value), input);
    return input;
  }

  // Makes `value` an output of the section that computes it.
  void materialize(Value value) {
    if (is_boundary(value.node) || !stored_.insert(key_of(value)).second) return;
    Section& section = sections_[stages_[value.node]];
    section.graph.outputs.push_back(copies_[stages_[value.node]].at(key_of(value)));
    section.outputs.push_back(value);
  }

  const Graph& graph_;
  bool has_fences_;  // which order large values and what uses them, so as to free memory early
  Vector<bool> live_;
  Vector<std::size_t> stages_;  // of control flow: the section before it
  std::size_t last_ = 0;
  Vector<Section> sections_{};
  Vector<Builder> builders_{};
  Vector<SortedMap<ValueKey, Value>> copies_{};  // by section
  SortedSet<ValueKey> stored_{};
};

}  // namespace detail

SINTER_INLINE bool is_fence(const Node& node) {
  return node.op == Op::custom && has_attribute(node, fence_attribute);
}

SINTER_INLINE bool is_start(const Node& node) {
  return node.op == Op::custom && has_attribute(node, "starts");
}

SINTER_INLINE bool has_control(const Graph& graph) {
  return any_of(graph.nodes, [](const Node& node) { return is_control(node.op); });
}

SINTER_INLINE Vector<Section> sections(const Graph& graph) {
  return detail::SectionSplitter(graph).run();
}

}  // namespace sinter::inline SINTER_ABI::detail::schedule
