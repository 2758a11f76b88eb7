#pragma once

#include <algorithm>      // std::any_of, std::find, std::swap
#include <unordered_map>  // std::unordered_map
#include <utility>        // std::move

#include <sinter/schedule/access.hpp>
#include <sinter/schedule/recompute.hpp>
#include <sinter/schedule/survey.hpp>
#include <sinter/schedule/turn.hpp>
#include <sinter/schedule/turn_find.ipp>

namespace sinter::inline SINTER_ABI::detail::schedule {

namespace detail {

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

SINTER_INLINE void mark_again(const Turned& turned, std::vector<Lowered>& kernels) {
  for (Lowered& one : kernels) {
    for_each_buffer(one, [&](NodeId node, std::size_t i) {
      const bool writes = one.kernel.arguments[i].access != Access::read;
      if (writes && turned.again[node] != Again::no) one.again = turned.again[node];
    });
  }
}

}  // namespace sinter::inline SINTER_ABI::detail::schedule
