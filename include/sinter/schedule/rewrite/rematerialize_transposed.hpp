#pragma once
// Transposed rematerialization of large values, for products that contract over their rows.

#include <utility>  // std::move

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/hash_map.hpp>
#include <sinter/base/container/optional.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/base/container/worklist.hpp>
#include <sinter/config.hpp>
#include <sinter/graph/graph.hpp>
#include <sinter/schedule/ir/access.hpp>
#include <sinter/schedule/rewrite/rematerialize.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

namespace detail {

// Finds the operands of products that are to be rematerialized transposed.
struct TransposedReaders {
  const Graph& graph;
  const Vector<NodeId>& after;
  const RematerializeRules& rules;
  const Target& target;
  FusionAnalysis facts{};
  Vector<NodeList> readers{};        // of each node, looking through movement operations
  Vector<bool> is_easy{};            // computed elementwise from values that are free
  Vector<bool> outputs{};
  Vector<bool> is_element{};  // a large product, or computed elementwise from one
  Vector<bool> is_batched{};  // and that product has a batch axis

  const Shape& shape(NodeId id) const { return graph[id].results[0].shape; }

  // The number of axes before rows and columns.
  int batch_axes(NodeId id) const { return shape(id).size() - 2; }

  bool is_large_product(NodeId id) const {
    const Node& node = graph[id];
    if (node.op != Op::dot_general || !is_large(node.results[0], rules)) return false;
    const auto &lhs = numbers(node, "lhs_contract"), &batch = numbers(node, "lhs_batch");
    if (lhs.size() != 1 || static_cast<int>(batch.size()) != batch_axes(id)) return false;
    const Extent terms = graph.type(node.inputs[0]).shape[static_cast<int>(lhs[0])];
    return terms.is_number() && terms.number() <= rules.most_terms &&
           all_of(node.inputs, [&](Value input) { return is_small(input, id, rules.growth); });
  }

  bool is_small(Value value, NodeId than, std::int64_t growth) const {
    const std::int64_t count = typical_elements(shape(beneath(graph, value)));
    return count * growth <= typical_elements(shape(than));
  }

  // Whether `value` is in memory anyway, or can be recomputed where it is needed.
  bool is_at_hand(Value value, NodeId reader) const {
    const NodeId id = beneath(graph, value);
    const Op op = graph[id].op;
    return op == Op::input || op == Op::constant || op == Op::iota || is_easy[id] ||
           is_small(value, reader, rules.least_growth);
  }

  bool has_easy_operands(NodeId id) const {
    const Node& node = graph[id];
    return (is_elementwise(node.op) || node.op == Op::random_bits ||
            (rules.gathers && node.op == Op::gather)) &&
           all_of(node.inputs, [&](Value input) { return is_at_hand(input, id); });
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
    readers = readers_of(graph, facts);
    is_easy.assign(graph.nodes.size(), false);
    outputs.assign(graph.nodes.size(), false);
    is_element.assign(graph.nodes.size(), false);
    is_batched.assign(graph.nodes.size(), false);
    for (const Value output : graph.outputs) outputs[beneath(graph, output)] = true;
    for (NodeId id = 0; id < graph.nodes.size(); ++id) {
      if (!facts.nodes[id].live || is_movement(graph[id].op)) continue;
      is_easy[id] = has_easy_operands(id);
      is_element[id] = !is_easy[id] && (is_large_product(id) || computes_elements(id));
      is_batched[id] = is_element[id] && computes_batched_elements(id);
    }
  }

  bool computes_batched_elements(NodeId id) const {
    const Node& node = graph[id];
    if (node.op != Op::dot_general)
      return any_of(node.inputs, [&](Value input) { return is_batched[input.node]; });
    return has_batch_axis(graph, node);
  }

  // Whether the product `reader` contracts over the rows and over the columns of its operand.
  struct Sums {
    bool rows = false, columns = false;
  };
  Sums sums_of(NodeId reader, std::size_t operand) const {
    const Node& node = graph[reader];
    const auto& axes = numbers(node, operand == 0 ? "lhs_contract" : "rhs_contract");
    const int rank = graph.type(node.inputs[operand]).shape.size();
    return {contains(axes, rank - 2), contains(axes, rank - 1)};
  }

  // Whether `reader` can read rows of `id`, or of its transpose, while they are computed.
  bool streams_rows(NodeId reader, NodeId id) const {
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
      if (beneath_split(graph, node.inputs[i]) != id || sums.rows == sums.columns) return false;
    }
    return true;
  }

  // Whether `reader` should read a transposed copy of its operand.
  bool reads_transposed(NodeId reader, std::size_t operand) const {
    const Node& node = graph[reader];
    if (node.op != Op::dot_general || !facts.nodes[reader].live) return false;
    const NodeId id = beneath_split(graph, node.inputs[operand]);
    if (!is_element[id] || outputs[id] || !sums_of(reader, operand).rows) return false;
    // A streaming kernel without a batch axis would have too few sums for a GPU.
    if (rules.streams && (!is_batched[id] || !fills_streaming_kernel(shape(id), target.streaming) ||
                          !fills_streaming_kernel(shape(id), target.streaming, true)))
      return false;
    return all_of(readers[id], [&](NodeId one) { return streams_rows(one, id); });
  }

  bool has_transposed_reader() const {
    for (NodeId id = 0; id < graph.nodes.size(); ++id) {
      for (std::size_t i = 0; i < graph[id].inputs.size(); ++i) {
        if (reads_transposed(id, i)) return true;
      }
    }
    return false;
  }
};

struct TransposedRematerializer {
  TransposedReaders original;
  const Vector<Rematerialized>& kinds;
  RematerializedGraph result{};
  Vector<NodeId> moved{};  // the node in the new graph for each node
  // The transposed copies, for each shape of the batch axes.
  Vector<std::pair<Shape, HashMap<NodeId, NodeId>>> transposed{};
  HashMap<NodeId, NodeId> easy_copies{};  // the copies of easy values

  NodeId reshape(NodeId id, const Shape& shape) {
    const TensorType type = result.graph.type(id);
    if (same(type.shape, shape)) return id;
    Node node{.op = Op::reshape, .inputs = {id}};
    node.results = {{type.dtype, shape}};
    return result.append(std::move(node));
  }

  NodeId permute(NodeId id, const AxisList& axes) {
    const TensorType type = result.graph.type(id);
    Shape shape;
    for (const std::int64_t axis : axes) shape.push_back(type.shape[static_cast<int>(axis)]);
    Node node{.op = Op::permute, .inputs = {id}, .attributes = {{"axes", axes}}};
    node.results = {{type.dtype, shape}};
    return result.append(std::move(node));
  }

  NodeId transpose_last_two(NodeId id) {
    AxisList axes;
    const int rank = result.graph.type(id).shape.size();
    for (int axis = 0; axis < rank; ++axis) axes.push_back(axis);
    std::swap(axes[axes.size() - 2], axes[axes.size() - 1]);
    return permute(id, axes);
  }

  static Shape matrix_shape(const Shape& batch, Extent rows, Extent columns) {
    Shape shape = batch;
    shape.push_back(rows);
    shape.push_back(columns);
    return shape;
  }

  // An operand of `product` as [batch..., axis of the result, contracted axis].
  NodeId factor(NodeId product, std::size_t which, const Shape& batch) {
    const Node& node = original.graph[product];
    const Shape& from = original.graph.type(node.inputs[which]).shape;
    AxisList axes = numbers(node, which == 0 ? "lhs_batch" : "rhs_batch");
    const std::int64_t terms = numbers(node, which == 0 ? "lhs_contract" : "rhs_contract")[0];
    for (std::int64_t axis = 0; axis < from.size(); ++axis) {
      const bool known = contains(axes, axis);
      if (!known && axis != terms) axes.push_back(axis);
    }
    const Extent rows = from[static_cast<int>(axes.back())];
    axes.push_back(terms);
    const NodeId ordered = permute(moved[node.inputs[which].node], axes);
    return reshape(ordered, matrix_shape(batch, rows, from[static_cast<int>(terms)]));
  }

  NodeId product(NodeId id, const Shape& batch, NodeId wait) {
    Node node = original.graph[id];
    const Shape from = original.shape(id);
    node.inputs = {factor(id, 1, batch), factor(id, 0, batch)};
    AxisList axes;
    for (std::int64_t axis = 0; axis < batch.size(); ++axis) axes.push_back(axis);
    const AxisList terms{batch.size() + 1};
    node.attributes = {
        {"lhs_batch", axes}, {"rhs_batch", axes}, {"lhs_contract", terms}, {"rhs_contract", terms}};
    node.results[0].shape = matrix_shape(batch, from[-1], from[-2]);
    const NodeId made = result.append(std::move(node), Rematerialized::transposed);
    result.after[made] = wait;
    return made;
  }

  // `id` as an operand of transposed copies. Easy values are recomputed too, so that the copies do
  // not keep the originals alive.
  NodeId easy_copy(NodeId id) {
    const NodeId below = beneath(original.graph, id);
    if (!original.is_easy[below] || !is_large(original.graph[below].results[0], original.rules))
      return moved[id];
    const auto found = easy_copies.find(id);
    if (found != easy_copies.end()) return found->second;
    Node node = original.graph[id];
    for (Value& input : node.inputs) input.node = easy_copy(input.node);
    const NodeId made = result.append(std::move(node));
    easy_copies.emplace(id, made);
    return made;
  }

  // The transposed copy of `id`.
  NodeId elements(NodeId id, const Shape& batch, NodeId wait, HashMap<NodeId, NodeId>& known) {
    const auto found = known.find(id);
    if (found != known.end()) return found->second;
    NodeId made = 0;
    if (original.graph[id].op == Op::dot_general) {
      made = product(id, batch, wait);
    } else {
      Node node = original.graph[id];
      for (Value& input : node.inputs) {
        input = original.is_element[input.node]
                    ? elements(input.node, batch, wait, known)
                    : transpose_last_two(reshape(
                          easy_copy(input.node),
                          matrix_shape(batch, original.shape(id)[-2], original.shape(id)[-1])));
      }
      node.results[0].shape = matrix_shape(batch, original.shape(id)[-1], original.shape(id)[-2]);
      made = result.append(std::move(node), Rematerialized::transposed);
    }
    known.emplace(id, made);
    return made;
  }

  // The last operand that the elements of `id` need.
  NodeId latest(NodeId id) const {
    Worklist<NodeId> open{id};
    NodeId found = 0;
    std::int32_t level = -1;
    for (std::size_t i = 0; i < open.size(); ++i) {
      for (const Value input : original.graph[open[i]].inputs) {
        if (original.is_element[input.node]) {
          open.add(input.node);
        } else if (original.facts.nodes[input.node].level > level) {
          level = original.facts.nodes[input.node].level;
          found = input.node;
        }
      }
    }
    return moved[found];
  }

  Value transposed_operand(Value operand) {
    const NodeId id = beneath_split(original.graph, operand);
    const Shape& whole = original.graph.type(operand).shape;
    Shape batch;
    for (int axis = 0; axis + 2 < whole.size(); ++axis) batch.push_back(whole[axis]);
    std::size_t i = 0;
    while (i < transposed.size() && !same(transposed[i].first, batch)) ++i;
    if (i == transposed.size()) transposed.push_back({batch, {}});
    return transpose_last_two(elements(id, batch, latest(id), transposed[i].second));
  }

  void copy(NodeId id) {
    Node node = original.graph[id];
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      if (original.reads_transposed(id, i)) {
        node.inputs[i] = transposed_operand(node.inputs[i]);
      } else {
        node.inputs[i].node = moved[node.inputs[i].node];
      }
    }
    moved[id] = result.append(std::move(node));
    if (!original.after.empty() && original.after[id] != id)
      result.after[moved[id]] = moved[original.after[id]];
    if (!kinds.empty()) result.kinds[moved[id]] = kinds[id];
  }

  Optional<RematerializedGraph> run() {
    original.facts = analyze_fusion(original.graph, original.after, original.target.inlining);
    original.find_elements();
    if (!original.has_transposed_reader()) return {};
    moved.resize(original.graph.nodes.size());
    for (NodeId id = 0; id < original.graph.nodes.size(); ++id) copy(id);
    result.copy_interface(original.graph, moved);
    return std::move(result);
  }
};

}  // namespace detail

/// `graph` with a transposed copy of each large value that is computed elementwise from products
/// and one value per row. Products that contract over the rows read the copy instead: each row of
/// the copy belongs to one row of the product, so that neither value has to be in memory as a
/// whole. `after` and `kinds` are as in the result, or empty. Nothing if there is no such value.
inline Optional<RematerializedGraph> rematerialize_transposed(
    const Graph& graph, const Vector<NodeId>& after = {}, const Vector<Rematerialized>& kinds = {},
    const RematerializeRules& rules = {}, const Target& target = {}) {
  const bool any = any_of(graph.nodes, [&](const Node& node) {
    return node.op == Op::dot_general && detail::is_large(node.results[0], rules);
  });
  return any ? detail::TransposedRematerializer{{graph, after, rules, target}, kinds}.run()
             : std::nullopt;
}

/// What rematerialize() and rematerialize_transposed() make of `graph`, if one of them makes
/// anything.
inline Optional<RematerializedGraph> rematerialize_all(const Graph& graph,
                                                       const RematerializeRules& rules,
                                                       const Target& target) {
  Optional<RematerializedGraph> direct = rematerialize(graph, rules, target);
  if (!direct) return rematerialize_transposed(graph, {}, {}, rules, target);
  if (auto both =
          rematerialize_transposed(direct->graph, direct->after, direct->kinds, rules, target))
    return both;
  return direct;
}

}  // namespace sinter::inline SINTER_ABI::detail::schedule
