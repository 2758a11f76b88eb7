#pragma once

// Large values whose readers need rows of them, and others of which the rows are their columns.

#include <algorithm>  // std::all_of, std::find

#include <sinter/schedule/access.hpp>
#include <sinter/schedule/recompute.hpp>
#include <sinter/schedule/survey.hpp>
#include <sinter/schedule/turn.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule::detail {

// A value is so many times as large as each of the numbers that are for its rows.
inline constexpr std::int64_t least_growth = 4;

// Which operands of products are to be turned.
struct TurnFinder {
  const Graph& graph;
  const std::vector<NodeId>& after;
  const AgainRules& rules;
  Survey facts{};
  std::vector<std::vector<NodeId>> readers{};  // of the elements of a node, through movement
  std::vector<bool> is_easy{};  // made of what is there anyway, by operations on elements
  std::vector<bool> outputs{};
  std::vector<bool> is_element{};  // of a large product, or of what is computed from its elements

  const Shape& shape(NodeId id) const { return graph[id].results[0].shape; }

  // How many axes there are before rows and columns.
  int batch_axes(NodeId id) const { return shape(id).size() - 2; }

  bool is_large_product(NodeId id) const {
    const Node& node = graph[id];
    if (node.op != Op::dot_general || !is_large(node.results[0], rules)) return false;
    const auto &lhs = numbers(node, "lhs_contract"), &batch = numbers(node, "lhs_batch");
    if (lhs.size() != 1 || static_cast<int>(batch.size()) != batch_axes(id)) return false;
    const Extent terms = graph.type(node.inputs[0]).shape[static_cast<int>(lhs[0])];
    return terms.is_number() && terms.number() <= most_terms &&
           std::all_of(node.inputs.begin(), node.inputs.end(),
                       [&](Value input) { return is_small(input, id, rules.growth); });
  }

  bool is_small(Value value, NodeId than, std::int64_t growth = least_growth) const {
    const std::int64_t count = typical_elements(shape(beneath(graph, value)));
    return count * growth <= typical_elements(shape(than));
  }

  // Whether `value` is there anyway, or computed where it is needed.
  bool is_at_hand(Value value, NodeId reader) const {
    const NodeId id = beneath(graph, value);
    const Op op = graph[id].op;
    return op == Op::input || op == Op::constant || op == Op::iota || is_easy[id] ||
           is_small(value, reader);
  }

  bool has_easy_operands(NodeId id) const {
    const Node& node = graph[id];
    return (is_elementwise(node.op) || node.op == Op::random_bits ||
            (rules.gathers && node.op == Op::gather)) &&
           std::all_of(node.inputs.begin(), node.inputs.end(),
                       [&](Value input) { return is_at_hand(input, id); });
  }

  bool computes_elements(NodeId id) const {
    const Node& node = graph[id];
    if (!is_elementwise(node.op) || !is_large(node.results[0], rules)) return false;
    bool any = false;
    for (const Value input : node.inputs) {
      any |= is_element[input.node];
      if (!is_element[input.node] && !is_at_hand(input, id)) return false;
    }
    return any;
  }

  void find_elements() {
    readers.resize(graph.nodes.size());
    is_easy.assign(graph.nodes.size(), false);
    outputs.assign(graph.nodes.size(), false);
    is_element.assign(graph.nodes.size(), false);
    for (const Value output : graph.outputs) outputs[beneath(graph, output)] = true;
    for (NodeId id = 0; id < graph.nodes.size(); ++id) {
      if (!facts.nodes[id].live || is_movement(graph[id].op)) continue;
      for (const Value input : graph[id].inputs) readers[beneath(graph, input)].push_back(id);
      is_easy[id] = has_easy_operands(id);
      is_element[id] =
          !is_easy[id] && !rules.keeps(id) && (is_large_product(id) || computes_elements(id));
    }
  }

  // Beneath reshapes of the axes before the last two.
  NodeId beneath_split(Value operand) const {
    NodeId id = operand.node;
    while (graph[id].op == Op::reshape) {
      const Shape &to = shape(id), &from = shape(graph[id].inputs[0].node);
      if (from.size() < 2 || to.size() < 2) break;
      if (!same(from[-1], to[-1]) || !same(from[-2], to[-2])) break;
      id = graph[id].inputs[0].node;
    }
    return id;
  }

  // How `reader`, a product, sums over the rows and the columns of its operand.
  struct Sums {
    bool rows = false, columns = false;
  };
  Sums sums_of(NodeId reader, std::size_t operand) const {
    const Node& node = graph[reader];
    const auto& axes = numbers(node, operand == 0 ? "lhs_contract" : "rhs_contract");
    const int rank = graph.type(node.inputs[operand]).shape.size();
    const auto has = [&](int axis) {
      return std::find(axes.begin(), axes.end(), axis) != axes.end();
    };
    return {has(rank - 2), has(rank - 1)};
  }

  // Whether `reader` has rows of `id` while they are computed, or turned ones.
  bool goes_with(NodeId reader, NodeId id) const {
    const Node& node = graph[reader];
    if (is_element[reader] && node.op != Op::dot_general) return true;
    if (is_reduction(node.op)) {
      const auto& axes = numbers(node, "axes");
      return node.inputs[0].node == id && axes.size() == 1 && axes[0] == shape(id).size() - 1;
    }
    if (node.op != Op::dot_general) return false;
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      if (beneath(graph, node.inputs[i]) != id) continue;
      const Sums sums = sums_of(reader, i);
      if (beneath_split(node.inputs[i]) != id || sums.rows == sums.columns) return false;
    }
    return true;
  }

  // Whether `operand` of `reader` is to be computed again with rows and columns exchanged.
  bool is_turned(NodeId reader, std::size_t operand) const {
    const Node& node = graph[reader];
    if (node.op != Op::dot_general || !facts.nodes[reader].live) return false;
    const NodeId id = beneath_split(node.inputs[operand]);
    if (!is_element[id] || outputs[id] || !sums_of(reader, operand).rows) return false;
    return std::all_of(readers[id].begin(), readers[id].end(),
                       [&](NodeId one) { return goes_with(one, id); });
  }

  bool turns_any() const {
    for (NodeId id = 0; id < graph.nodes.size(); ++id) {
      for (std::size_t i = 0; i < graph[id].inputs.size(); ++i) {
        if (is_turned(id, i)) return true;
      }
    }
    return false;
  }
};

}  // namespace sinter::inline SINTER_ABI::detail::schedule::detail
