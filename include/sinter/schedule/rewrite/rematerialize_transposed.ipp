#pragma once

#include <algorithm>      // std::all_of, std::any_of, std::find, std::swap
#include <unordered_map>  // std::unordered_map
#include <utility>        // std::move

#include <sinter/schedule/analysis/fusion_analysis.hpp>
#include <sinter/schedule/ir/access.hpp>
#include <sinter/schedule/rewrite/rematerialize.hpp>
#include <sinter/schedule/rewrite/rematerialize_transposed.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

namespace detail {

// Large values whose readers need rows of them, and others of which the rows are their columns.

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

struct Turner : TurnFinder {
  const std::vector<Again>& again;
  Turned result{};
  std::vector<NodeId> moved{};  // each node in the new graph
  // What was turned, for each shape of the axes before the last two.
  std::vector<std::pair<Shape, std::unordered_map<NodeId, NodeId>>> turned{};
  std::unordered_map<NodeId, NodeId> easy{};  // the second time of what is easy to compute

  NodeId standing = 0;  // for which node that follows is appended

  NodeId append(Node node, Again how = Again::no) {
    const NodeId id = result.graph.append(std::move(node));
    result.after.push_back(id);
    result.again.push_back(how);
    result.origin.push_back(standing);
    return id;
  }

  NodeId reshape(NodeId id, const Shape& shape) {
    const TensorType type = result.graph.type(id);
    if (same(type.shape, shape)) return id;
    Node node{.op = Op::reshape, .inputs = {id}};
    node.results = {{type.dtype, shape}};
    return append(std::move(node));
  }

  NodeId permute(NodeId id, const AxisList& axes) {
    const TensorType type = result.graph.type(id);
    Shape shape;
    for (const std::int64_t axis : axes) shape.push_back(type.shape[static_cast<int>(axis)]);
    Node node{.op = Op::permute, .inputs = {id}, .attributes = {{"axes", axes}}};
    node.results = {{type.dtype, shape}};
    return append(std::move(node));
  }

  NodeId exchanged(NodeId id) {
    AxisList axes;
    const int rank = result.graph.type(id).shape.size();
    for (int axis = 0; axis < rank; ++axis) axes.push_back(axis);
    std::swap(axes[axes.size() - 2], axes[axes.size() - 1]);
    return permute(id, axes);
  }

  static Shape joined(const Shape& batch, Extent rows, Extent columns) {
    Shape shape = batch;
    shape.push_back(rows);
    shape.push_back(columns);
    return shape;
  }

  // A factor of `product`: `batch`, the axis of the result, the axis of the sum.
  NodeId factor(NodeId product, std::size_t which, const Shape& batch) {
    const Node& node = graph[product];
    const Shape& from = graph.type(node.inputs[which]).shape;
    AxisList axes = numbers(node, which == 0 ? "lhs_batch" : "rhs_batch");
    const std::int64_t terms = numbers(node, which == 0 ? "lhs_contract" : "rhs_contract")[0];
    for (std::int64_t axis = 0; axis < from.size(); ++axis) {
      const bool known = std::find(axes.begin(), axes.end(), axis) != axes.end();
      if (!known && axis != terms) axes.push_back(axis);
    }
    const Extent rows = from[static_cast<int>(axes.back())];
    axes.push_back(terms);
    const NodeId ordered = permute(moved[node.inputs[which].node], axes);
    return reshape(ordered, joined(batch, rows, from[static_cast<int>(terms)]));
  }

  NodeId product(NodeId id, const Shape& batch, NodeId wait) {
    Node node = graph[id];
    const Shape from = shape(id);
    node.inputs = {factor(id, 1, batch), factor(id, 0, batch)};
    AxisList axes;
    for (std::int64_t axis = 0; axis < batch.size(); ++axis) axes.push_back(axis);
    const AxisList terms{batch.size() + 1};
    node.attributes = {
        {"lhs_batch", axes}, {"rhs_batch", axes}, {"lhs_contract", terms}, {"rhs_contract", terms}};
    node.results[0].shape = joined(batch, from[-1], from[-2]);
    standing = id;
    const NodeId made = append(std::move(node), Again::turned);
    result.after[made] = wait;
    return made;
  }

  // `id` for those who have rows and columns exchanged: what is easy to compute is computed again,
  // so that it has no other readers for which it would be kept.
  NodeId easy_again(NodeId id) {
    const NodeId below = beneath(graph, id);
    if (!is_easy[below] || !is_large(graph[below].results[0], rules)) return moved[id];
    const auto found = easy.find(id);
    if (found != easy.end()) return found->second;
    Node node = graph[id];
    for (Value& input : node.inputs) input.node = easy_again(input.node);
    const NodeId made = append(std::move(node));
    easy.emplace(id, made);
    return made;
  }

  // `id`, large and computed from elements, with rows and columns exchanged.
  NodeId elements(NodeId id, const Shape& batch, NodeId wait,
                  std::unordered_map<NodeId, NodeId>& known) {
    const auto found = known.find(id);
    if (found != known.end()) return found->second;
    NodeId made = 0;
    if (graph[id].op == Op::dot_general) {
      made = product(id, batch, wait);
    } else {
      Node node = graph[id];
      for (Value& input : node.inputs) {
        input = is_element[input.node]
                    ? elements(input.node, batch, wait, known)
                    : exchanged(reshape(easy_again(input.node),
                                        joined(batch, shape(id)[-2], shape(id)[-1])));
      }
      node.results[0].shape = joined(batch, shape(id)[-1], shape(id)[-2]);
      standing = id;
      made = append(std::move(node), Again::turned);
    }
    known.emplace(id, made);
    return made;
  }

  // What all of `id` waits for: the operand of its elements that comes last.
  NodeId latest(NodeId id) const {
    std::vector<NodeId> open{id};
    std::vector<bool> seen(id + 1, false);
    NodeId found = 0;
    std::int32_t level = -1;
    for (std::size_t i = 0; i < open.size(); ++i) {
      for (const Value input : graph[open[i]].inputs) {
        if (seen[input.node]) continue;
        seen[input.node] = true;
        if (is_element[input.node]) {
          open.push_back(input.node);
        } else if (facts.nodes[input.node].level > level) {
          level = facts.nodes[input.node].level;
          found = input.node;
        }
      }
    }
    return moved[found];
  }

  Value turned_operand(Value operand) {
    const NodeId id = beneath_split(operand);
    const Shape& whole = graph.type(operand).shape;
    Shape batch;
    for (int axis = 0; axis + 2 < whole.size(); ++axis) batch.push_back(whole[axis]);
    std::size_t i = 0;
    while (i < turned.size() && !same(turned[i].first, batch)) ++i;
    if (i == turned.size()) turned.push_back({batch, {}});
    return exchanged(elements(id, batch, latest(id), turned[i].second));
  }

  void copy(NodeId id) {
    Node node = graph[id];
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      if (is_turned(id, i)) {
        node.inputs[i] = turned_operand(node.inputs[i]);
      } else {
        node.inputs[i].node = moved[node.inputs[i].node];
      }
    }
    standing = id;
    moved[id] = append(std::move(node));
    if (!after.empty() && after[id] != id) result.after[moved[id]] = moved[after[id]];
    if (!again.empty()) result.again[moved[id]] = again[id];
  }

  std::optional<Turned> run() {
    facts = survey(graph, after);
    find_elements();
    if (!turns_any()) return {};
    moved.resize(graph.nodes.size());
    for (NodeId id = 0; id < graph.nodes.size(); ++id) copy(id);
    result.graph.inputs.clear();  // in the order of their nodes so far
    for (const NodeId input : graph.inputs) result.graph.inputs.push_back(moved[input]);
    for (const Value output : graph.outputs) {
      result.graph.outputs.push_back({moved[output.node], output.result});
    }
    return std::move(result);
  }
};

}  // namespace detail

SINTER_INLINE std::optional<Turned> turn(const Graph& graph, const std::vector<NodeId>& after,
                                         const std::vector<Again>& again, const AgainRules& rules) {
  const bool any = std::any_of(graph.nodes.begin(), graph.nodes.end(), [&](const Node& node) {
    return node.op == Op::dot_general && detail::is_large(node.results[0], rules);
  });
  return any ? detail::Turner{{graph, after, rules}, again}.run() : std::nullopt;
}

SINTER_INLINE std::optional<Turned> recompute_and_turn(const Graph& graph,
                                                       const AgainRules& rules) {
  std::optional<Recomputation> again = recompute(graph, rules);
  if (!again) return turn(graph, {}, {}, rules);
  AgainRules of_nodes = rules;
  of_nodes.kept.clear();
  for (const NodeId origin : again->origin) of_nodes.kept.push_back(rules.keeps(origin));
  if (auto turned = turn(again->graph, again->after, again->again, of_nodes)) {
    for (NodeId& origin : turned->origin) origin = again->origin[origin];
    return turned;
  }
  return Turned{std::move(again->graph), std::move(again->after), std::move(again->again),
                std::move(again->origin)};
}

}  // namespace sinter::inline SINTER_ABI::detail::schedule
