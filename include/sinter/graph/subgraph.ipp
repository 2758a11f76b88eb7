#pragma once

#include <utility>  // std::pair

#include <sinter/base/container/sorted_map.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/graph/subgraph.hpp>

namespace sinter::inline SINTER_ABI::detail {

// Copies the part of a graph that lies behind the values that are known.
class SubgraphCopy {
 public:
  SubgraphCopy(const Graph& graph, Span<const Value> known)
      : graph_(graph), known_(known.begin(), known.end()), moved_(graph.nodes.size()) {
    for (std::size_t i = 0; i < known.size(); ++i) positions_.try_emplace(key(known[i]), i);
  }

  Subgraph copy(Span<const Value> wanted) {
    find_needed(wanted);
    Subgraph result;
    result.graph.tf32 = graph_.tf32;
    for (std::size_t i = 0; i < known_.size(); ++i) {
      if (is_read_[i]) add_input(result, known_[i]);
    }
    for (NodeId id = 0; id < graph_.nodes.size(); ++id) {
      if (needed_[id]) moved_[id] = add(result.graph, graph_[id]);
    }
    for (const Value value : wanted) result.graph.outputs.push_back(moved(value));
    return result;
  }

 private:
  using Key = std::pair<NodeId, std::uint32_t>;
  static Key key(Value value) { return {value.node, value.result}; }

  void find_needed(Span<const Value> wanted) {
    needed_.assign(graph_.nodes.size(), false), is_read_.assign(known_.size(), false);
    for (const Value value : wanted) need(value);
    for (NodeId id = static_cast<NodeId>(graph_.nodes.size()); id-- > 0;) {
      if (!needed_[id]) continue;
      for (const Value input : graph_[id].inputs) need(input);
    }
  }

  void need(Value value) {
    const auto position = positions_.find(key(value));
    if (position != positions_.end()) {
      is_read_[position->second] = true;
    } else if (graph_[value.node].op == Op::input) {
      throw InternalError(text("subgraph: input %", value.node, " is not known\n"));
    } else {
      needed_[value.node] = true;
    }
  }

  void add_input(Subgraph& result, Value value) {
    const Node& from = graph_[value.node];
    Node input{.op = Op::input, .where = from.where, .path = from.path};
    input.results = {graph_.type(value)};
    inputs_[key(value)] = result.graph.append(std::move(input));
    result.inputs.push_back(value);
  }

  NodeId add(Graph& graph, Node node) const {
    for (Value& input : node.inputs) input = moved(input);
    return graph.append(std::move(node));
  }

  Value moved(Value value) const {
    const auto input = inputs_.find(key(value));
    return input == inputs_.end() ? Value(moved_[value.node], value.result) : input->second;
  }

  const Graph& graph_;
  Vector<Value> known_;
  SortedMap<Key, std::size_t> positions_{};
  SortedMap<Key, NodeId> inputs_{};
  Vector<bool> needed_{}, is_read_{};
  Vector<NodeId> moved_;
};

SINTER_INLINE Subgraph subgraph(const Graph& graph, Span<const Value> wanted,
                                Span<const Value> known) {
  return detail::SubgraphCopy(graph, known).copy(wanted);
}

}  // namespace sinter::inline SINTER_ABI::detail
