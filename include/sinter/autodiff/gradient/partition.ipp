#pragma once

#include <algorithm>  // std::min
#include <cstdint>    // std::int64_t
#include <limits>     // std::numeric_limits

#include <sinter/autodiff/gradient/gradient.hpp>
#include <sinter/autodiff/gradient/partition.hpp>
#include <sinter/autodiff/gradient/rules.hpp>
#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/span.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/graph/builder.hpp>
#include <sinter/graph/control.hpp>
#include <sinter/symbol/solve/evaluate.hpp>

namespace sinter::inline SINTER_ABI::detail::autodiff {

namespace detail {

// A flow network and its minimum cut, by Dinic's algorithm. Boost.Graph would cost each user 2 s of
// compilation: docs/decisions/0001-own-minimum-cut.md.
class FlowNetwork {
 public:
  static constexpr std::int64_t unlimited = std::numeric_limits<std::int64_t>::max() / 4;

  explicit FlowNetwork(std::size_t vertices) : edges_of_(vertices) {}

  void add(std::size_t from, std::size_t to, std::int64_t capacity) {
    edges_of_[from].push_back(edges_.size());
    edges_.push_back({to, capacity});
    edges_of_[to].push_back(edges_.size());
    edges_.push_back({from, 0});
  }

  /// The vertices on the side of the sink, of the minimum cut that is nearest to it.
  Vector<bool> sink_side(std::size_t source, std::size_t sink) {
    while (find_levels(source, sink)) {
      next_.assign(edges_of_.size(), 0);
      while (augment(source, sink)) continue;
    }
    return reaches(sink);
  }

 private:
  struct Edge {
    std::size_t to;
    std::int64_t capacity;  ///< What is left of it. The edge back is at the position ^ 1.
  };

  bool find_levels(std::size_t source, std::size_t sink) {
    levels_.assign(edges_of_.size(), -1);
    levels_[source] = 0;
    Vector<std::size_t> queue{source};
    for (std::size_t i = 0; i < queue.size(); ++i) {
      for (const std::size_t edge : edges_of_[queue[i]]) {
        const auto [to, capacity] = edges_[edge];
        if (capacity == 0 || levels_[to] >= 0) continue;
        levels_[to] = levels_[queue[i]] + 1;
        queue.push_back(to);
      }
    }
    return levels_[sink] >= 0;
  }

  // One path of the level graph, without recursion: graphs may be deep. False if there is none.
  bool augment(std::size_t source, std::size_t sink) {
    Vector<std::size_t> path;
    for (std::size_t at = source; at != sink;) {
      std::size_t& next = next_[at];
      while (next < edges_of_[at].size() && !is_forward(at, edges_of_[at][next])) ++next;
      if (next < edges_of_[at].size()) {
        path.push_back(edges_of_[at][next]);
        at = edges_[path.back()].to;
        continue;
      }
      if (path.empty()) return false;
      at = edges_[path.back() ^ 1].to;
      path.pop_back();
      ++next_[at];
    }
    std::int64_t flow = unlimited;
    for (const std::size_t edge : path) flow = std::min(flow, edges_[edge].capacity);
    for (const std::size_t edge : path) {
      edges_[edge].capacity -= flow, edges_[edge ^ 1].capacity += flow;
    }
    return true;
  }

  bool is_forward(std::size_t from, std::size_t edge) const {
    return edges_[edge].capacity > 0 && levels_[edges_[edge].to] == levels_[from] + 1;
  }

  Vector<bool> reaches(std::size_t sink) const {
    Vector<bool> result(edges_of_.size());
    result[sink] = true;
    Vector<std::size_t> queue{sink};
    for (std::size_t i = 0; i < queue.size(); ++i) {
      for (const std::size_t edge : edges_of_[queue[i]]) {
        const std::size_t from = edges_[edge].to;
        if (edges_[edge ^ 1].capacity == 0 || result[from]) continue;
        result[from] = true;
        queue.push_back(from);
      }
    }
    return result;
  }

  Vector<Edge> edges_{};
  Vector<Vector<std::size_t>> edges_of_;
  Vector<std::size_t> next_{};
  std::vector<int> levels_{};
};

SINTER_INLINE Vector<bool> varying_nodes(const Graph& graph, const Vector<bool>& wanted) {
  Vector<bool> result(graph.nodes.size());
  for (std::size_t i = 0; i < graph.inputs.size() && i < wanted.size(); ++i) {
    result[graph.inputs[i]] = wanted[i];
  }
  for (NodeId id = 0; id < graph.nodes.size(); ++id) {
    const Node& node = graph[id];
    if (gradient_rule(node.op).apply == nullptr || is_detached(node)) continue;
    for (const Value input : node.inputs) {
      const bool flows = result[input.node] && is_floating(graph.type(input).dtype);
      result[id] = result[id] || flows;
    }
  }
  return result;
}

// Bytes, with a typical size assumed for symbols.
SINTER_INLINE std::int64_t about_bytes(const TensorType& type) {
  constexpr std::int64_t middling = 64;
  std::int64_t result = static_cast<std::int64_t>(info(type.dtype).size);
  for (const Extent& extent : type.shape) {
    const std::int64_t size =
        extent.is_number() ? extent.number() : evaluate(extent, [](Extent) { return middling; });
    result = saturating_multiply(result, std::max<std::int64_t>(size, 1));
  }
  return std::min(result, FlowNetwork::unlimited / 1024);
}

SINTER_INLINE bool is_cheap(const Node& node) {
  const OpKind kind = info(node.op).kind;
  return kind == OpKind::leaf || kind == OpKind::elementwise || kind == OpKind::movement;
}

// What gradients read of the values of a graph.
SINTER_INLINE Vector<Value> read_by_gradients(const Graph& graph, const Vector<bool>& wanted) {
  Graph both = graph;
  const Vector<bool> varies = varying_nodes(graph, wanted);
  Vector<Value> outputs, seeds, variables;
  {
    Builder builder(both);
    for (const Value output : graph.outputs) {
      if (!varies[output.node] || !is_floating(graph.type(output).dtype)) continue;
      outputs.push_back(output);
      seeds.push_back(builder.input(graph.type(output)));
    }
  }
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i]) variables.push_back(graph.inputs[i]);
  }
  Vector<Value> result = gradient(both, outputs, seeds, variables);
  Vector<bool> needed(both.nodes.size());
  for (const Value value : result) needed[value.node] = true;
  for (auto id = static_cast<NodeId>(both.nodes.size()); id-- > graph.nodes.size();) {
    if (!needed[id]) continue;
    for (const Value input : both[id].inputs) {
      needed[input.node] = true;
      result.push_back(input);
    }
  }
  erase_if(result, [&](Value value) { return value.node >= graph.nodes.size(); });
  return result;
}

}  // namespace detail

SINTER_INLINE Vector<bool> varying_outputs(const Graph& graph, const Vector<bool>& wanted) {
  const Vector<bool> varies = detail::varying_nodes(graph, wanted);
  Vector<bool> result;
  for (const Value output : graph.outputs) {
    result.push_back(varies[output.node] && is_floating(graph.type(output).dtype));
  }
  return result;
}

namespace detail {

// Each value of a graph is a pair of vertices; the edge between them has the cost of saving the
// value.
class SavedValues {
 public:
  explicit SavedValues(const Graph& graph)
      : graph_(graph), network_(2 * count_values(graph) + 2), is_free_(count_values(graph)) {
    for (const NodeId input : graph.inputs) is_free_[index({input, 0})] = true;
    for (const Value output : graph.outputs) is_free_[index(output)] = true;
  }

  Vector<Value> find(Span<const Value> read) {
    for (const Value value : read) {
      visit(value);
      network_.add(out(value), sink, FlowNetwork::unlimited);
    }
    while (!pending_.empty()) {
      const Value value = pending_.back();
      pending_.pop_back();
      connect(value);
    }
    const Vector<bool> after = network_.sink_side(source, sink);
    Vector<Value> result;
    for (const Value value : visited_) {
      if (!is_free_[index(value)] && !after[in(value)] && after[out(value)])
        result.push_back(value);
    }
    return result;
  }

 private:
  static constexpr std::size_t source = 0, sink = 1;

  std::size_t count_values(const Graph& graph) {
    first_.clear();
    std::size_t count = 0;
    for (const Node& node : graph.nodes) {
      first_.push_back(count);
      count += node.results.size();
    }
    return count;
  }

  std::size_t index(Value value) const { return first_[value.node] + value.result; }
  std::size_t in(Value value) const { return 2 + 2 * index(value); }
  std::size_t out(Value value) const { return 3 + 2 * index(value); }

  void visit(Value value) {
    if (seen_.size() < is_free_.size()) seen_.resize(is_free_.size());
    if (seen_[index(value)]) return;
    seen_[index(value)] = true;
    visited_.push_back(value), pending_.push_back(value);
  }

  // Inputs and outputs exist anyway, and cost nothing to keep; constants cost nothing to recompute.
  void connect(Value value) {
    const Node& node = graph_[value.node];
    const bool is_made_of_nothing = node.inputs.empty() && node.op != Op::input;
    if (is_made_of_nothing) {
      is_free_[index(value)] = true;
      return;
    }
    const bool is_free = is_free_[index(value)];
    const std::int64_t cost = is_free ? 0 : detail::about_bytes(graph_.type(value));
    network_.add(in(value), out(value), cost);
    if (is_free || !is_cheap(node)) return network_.add(source, in(value), FlowNetwork::unlimited);
    for (const Value input : node.inputs) {
      visit(input);
      network_.add(out(input), in(value), FlowNetwork::unlimited);
    }
  }

  Vector<std::size_t> first_{};
  const Graph& graph_;
  FlowNetwork network_;
  Vector<bool> is_free_, seen_{};
  Vector<Value> visited_{}, pending_{};
};

}  // namespace detail

SINTER_INLINE Vector<Value> saved_values(const Graph& graph, const Vector<bool>& wanted) {
  const Vector<Value> read = detail::read_by_gradients(graph, wanted);
  Vector<Value> saved = detail::SavedValues(graph).find(read);
  stable_sort(saved, [](Value a, Value b) {
    return std::pair(a.node, a.result) < std::pair(b.node, b.result);
  });
  return saved;
}

}  // namespace sinter::inline SINTER_ABI::detail::autodiff
