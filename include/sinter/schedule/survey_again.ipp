#pragma once

#include <algorithm>  // std::any_of, std::find, std::max

#include <sinter/schedule/access.hpp>
#include <sinter/schedule/survey.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

namespace detail {

// Whether one of the expansions of which `operand` is made, from a shape to a shape, is `such`.
template <class Such>
bool is_expanded(const Graph& graph, Value operand, const Such& such) {
  for (NodeId id = operand.node; is_movement(graph[id].op); id = graph[id].inputs[0].node) {
    const Shape& from = graph.type(graph[id].inputs[0]).shape;
    if (graph[id].op == Op::expand && such(from, graph[id].results[0].shape)) return true;
  }
  return false;
}

}  // namespace detail

SINTER_INLINE bool is_spread(const Graph& graph, Value operand) {
  return detail::is_expanded(graph, operand, [](const Shape& from, const Shape& to) {
    return !same(numel(to), numel(from));
  });
}

SINTER_INLINE bool is_one_for_a_row(const Graph& graph, Value operand) {
  return detail::is_expanded(graph, operand, [](const Shape& from, const Shape& to) {
    return !from.empty() && !same(to[-1], from[-1]);
  });
}

namespace detail {

// So many operations on one load cost less than a store and a load, a dear one among them.
inline constexpr std::int32_t most_computed_again = 12;

// Finds what is dear, but computed from one value that its last readers need as well: to keep both
// would take twice the memory, and a load of the one costs as much as a load of the other.
struct AgainFinder {
  const Graph& graph;
  std::vector<NodeFacts>& facts;
  std::vector<std::vector<NodeId>> readers{};
  std::vector<std::int32_t> last_reads{};  // levels, beyond what is computed by readers

  bool hands_on(NodeId id) const { return is_movement(graph[id].op) || facts[id].inlined; }

  void find_readers() {
    readers.resize(graph.nodes.size());
    last_reads.assign(graph.nodes.size(), 0);
    for (auto id = static_cast<NodeId>(graph.nodes.size()); id-- > 0;) {
      if (!facts[id].live) continue;
      for (const Value input : graph[id].inputs) {
        readers[input.node].push_back(id);
        last_reads[input.node] = std::max(last_reads[input.node], last_read_by(id));
      }
    }
  }

  std::int32_t last_read_by(NodeId id) const {
    return hands_on(id) ? std::max(facts[id].level, last_reads[id]) : facts[id].level;
  }

  // The only value of its size from which `id` is computed, or `id` itself; `between` are the nodes
  // that this takes.
  NodeId only_load(NodeId id, std::vector<NodeId>& between) const {
    NodeId found = id;
    between = {id};
    for (std::size_t i = 0; i < between.size(); ++i) {
      for (const Value input : graph[between[i]].inputs) {
        const NodeId operand = input.node;
        const Op op = graph[beneath(graph, input)].op;
        if (op == Op::constant || op == Op::iota || is_spread(graph, input)) continue;
        if (hands_on(operand)) {
          between.push_back(operand);
        } else if (found != id && found != operand) {
          return id;
        } else {
          found = operand;
        }
      }
      if (between.size() > static_cast<std::size_t>(most_computed_again)) return id;
    }
    return found;
  }

  // Whether `load` is needed as long as `id` is, by others than what is `between` them.
  bool is_kept(NodeId load, NodeId id, const std::vector<NodeId>& between) const {
    for (const NodeId reader : readers[load]) {
      const bool other = std::find(between.begin(), between.end(), reader) == between.end();
      if (other && last_read_by(reader) >= last_reads[id]) return true;
    }
    return false;
  }

  // Whether `id` is written into its place in a concatenation.
  bool is_part(NodeId id) const {
    return std::any_of(readers[id].begin(), readers[id].end(), [&](NodeId reader) {
      return facts[reader].in_parts || (graph[reader].op == Op::reshape && is_part(reader));
    });
  }

  bool is_cheaper(NodeId id) const {
    const NodeFacts& known = facts[id];
    const bool several = known.live && !known.stored && !known.inlined && !known.repeated;
    if (!several || !is_elementwise(graph[id].op) || is_part(id)) return false;
    if (last_reads[id] == known.level) return false;  // its readers may well share its kernel
    if (known.cost.loads > 1 || known.cost.operations > most_computed_again) return false;
    std::vector<NodeId> between;
    const NodeId load = only_load(id, between);
    return load != id && is_kept(load, id, between);
  }

  void run() {
    find_readers();
    for (NodeId id = 0; id < graph.nodes.size(); ++id) {
      if (is_cheaper(id)) facts[id].inlined = true;
    }
  }
};

SINTER_INLINE void compute_again(const Graph& graph, std::vector<NodeFacts>& facts) {
  AgainFinder{graph, facts}.run();
}

}  // namespace detail

}  // namespace sinter::inline SINTER_ABI::detail::schedule
