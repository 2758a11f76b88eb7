#pragma once
// Rematerialization: large products that are cheap to recompute are not kept for late readers.

#include <algorithm>  // std::max, std::min
#include <cstdint>    // std::int64_t, std::uint8_t
#include <utility>    // std::move

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/hash_map.hpp>
#include <sinter/base/container/optional.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/config.hpp>
#include <sinter/graph/graph.hpp>
#include <sinter/schedule/analysis/fusion_analysis.hpp>
#include <sinter/schedule/analysis/row_limits.hpp>
#include <sinter/schedule/ir/access.hpp>
#include <sinter/schedule/ir/target.hpp>
#include <sinter/symbol/extent/interval.hpp>
#include <sinter/symbol/extent/proof.hpp>
#include <sinter/symbol/solve/variables.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

/// How a rematerialized value is recomputed.
enum class Rematerialized : std::uint8_t { no, direct, transposed };

struct RematerializedGraph {
  Graph graph{};
  Vector<NodeId> after{};          ///< For each node one that must run before it, or itself.
  Vector<Rematerialized> kinds{};  ///< For each node: how it is rematerialized, if it is large.

  /// Adds `node`, which need not wait for others than its operands.
  NodeId append(Node node, Rematerialized kind = Rematerialized::no) {
    const NodeId id = graph.append(std::move(node));
    after.push_back(id);
    kinds.push_back(kind);
    return id;
  }
  /// Sets the inputs and outputs to those of `from`, whose nodes are `moved` to this graph.
  void copy_interface(const Graph& from, const Vector<NodeId>& moved) {
    graph.inputs.clear();  // append() listed them in the order of their nodes
    for (const NodeId input : from.inputs) graph.inputs.push_back(moved[input]);
    for (const Value output : from.outputs) {
      graph.outputs.push_back({moved[output.node], output.result});
    }
  }
};

namespace detail {

/// The live nodes that read each node, looking through movement operations.
inline Vector<NodeList> readers_of(const Graph& graph, const FusionAnalysis& facts) {
  Vector<NodeList> result(graph.nodes.size());
  for (NodeId id = 0; id < graph.nodes.size(); ++id) {
    if (!facts.nodes[id].live || is_movement(graph[id].op)) continue;
    for (const Value input : graph[id].inputs) result[beneath(graph, input)].push_back(id);
  }
  return result;
}

// The most elementwise operations on one product.
inline constexpr std::size_t most_region_nodes = 64;

/// An estimate of the number of elements of `shape`, where a symbol counts as 1024 or its maximum.
inline std::int64_t typical_elements(const Shape& shape) {
  static constexpr std::int64_t typical = 1024;
  const Extent count = substitute(numel(shape), [](Extent size) {
    return Extent(std::min(typical, std::max<std::int64_t>(bounds(size).max, 1)));
  });
  return count.is_number() ? count.number() : 0;
}

/// Whether a value of `type` has at least two axes and RematerializeRules::most_bytes_kept bytes.
inline bool is_large(const TensorType& type, const RematerializeRules& rules) {
  const auto size = static_cast<std::int64_t>(info(type.dtype).size);
  return type.shape.size() >= 2 && typical_elements(type.shape) >= rules.most_bytes_kept / size;
}

// Whether `id` is computed from positions and scalars alone; `known` has the answer for earlier
// nodes.
inline bool is_made_of_numbers(const Graph& graph, NodeId id, const Vector<bool>& known) {
  const Node& node = graph[id];
  if (!is_elementwise(node.op) && node.op != Op::random_bits) return false;
  return all_of(node.inputs, [&](Value input) {
    const NodeId operand = beneath(graph, input);
    const Op op = graph[operand].op;
    return op == Op::constant || op == Op::iota || known[operand] ||
           same(numel(graph[operand].results[0].shape), 1);
  });
}

// The same, including inputs and gathers from them.
inline bool is_made_of_inputs(const Graph& graph, NodeId id, const Vector<bool>& known) {
  const Node& node = graph[id];
  if (!is_pointwise(node.op) || node.op == Op::concatenate) return false;
  return all_of(node.inputs, [&](Value input) {
    const NodeId operand = beneath(graph, input);
    const Op op = graph[operand].op;
    return op == Op::input || op == Op::constant || op == Op::iota || known[operand];
  });
}

// Evaluates is_one(graph, node, results for earlier nodes) for each node.
template <class Rule>
Vector<bool> nodes_that(const Graph& graph, const Rule& is_one) {
  Vector<bool> result(graph.nodes.size(), false);
  for (NodeId id = 0; id < graph.nodes.size(); ++id) result[id] = is_one(graph, id, result);
  return result;
}

}  // namespace detail

/// For each node: whether it is computed elementwise from positions, random bits and scalars alone,
/// as a dropout mask is.
inline Vector<bool> nodes_made_of_numbers(const Graph& graph) {
  return detail::nodes_that(graph, detail::is_made_of_numbers);
}

/// The same, but also from inputs and gathers from inputs, as relative position biases are.
inline Vector<bool> nodes_made_of_inputs(const Graph& graph) {
  return detail::nodes_that(graph, detail::is_made_of_inputs);
}

namespace detail {

/// Whether `product` has a batch axis of more than one element.
inline bool has_batch_axis(const Graph& graph, const Node& product) {
  const Shape& from = graph.type(product.inputs[0]).shape;
  return any_of(numbers(product, "lhs_batch"),
                [&](std::int64_t axis) { return !same(from[static_cast<int>(axis)], 1); });
}

/// The node beneath reshapes that keep the last two axes.
inline NodeId beneath_split(const Graph& graph, Value operand) {
  NodeId id = operand.node;
  while (graph[id].op == Op::reshape) {
    const Value input = graph[id].inputs[0];
    const Shape &to = graph[id].results[0].shape, &from = graph.type(input).shape;
    if (from.size() < 2 || to.size() < 2) break;
    if (!same(from[-1], to[-1]) || !same(from[-2], to[-2])) break;
    id = input.node;
  }
  return id;
}

/// Whether a streaming kernel of the rows of `shape`, or of its columns if it is transposed, keeps
/// a GPU busy.
inline bool fills_streaming_kernel(const Shape& shape, const StreamingLimits& limits,
                                   bool transposed = false) {
  if (shape.size() < 2) return false;
  std::int64_t batches = 1;
  for (int axis = 0; axis + 2 < shape.size(); ++axis)
    batches = times(batches, bounds(shape[axis]).max);
  const std::int64_t rows = bounds(shape[-2]).max, columns = bounds(shape[-1]).max;
  return transposed ? has_busy_streaming_blocks(batches, columns, rows, limits)
                    : has_busy_streaming_blocks(batches, rows, columns, limits);
}

struct Rematerializer {
  const Graph& graph;
  const RematerializeRules& rules;
  const Target& target;
  FusionAnalysis facts{};
  Vector<NodeList> readers{};        // of each node, looking through movement operations
  Vector<bool> free_operands{};      // values that are free to recompute: dropout masks
  Vector<bool> precedes_reduced{};   // nodes that are reduced for a later product
  Vector<NodeId> product_of{};       // the product from which a node is computed elementwise
  Vector<std::int32_t> near{};       // for each product: the highest level of its early readers
  RematerializedGraph result{};
  Vector<NodeId> moved{};             // the node in the new graph for each node
  HashMap<NodeId, NodeId> copies{};   // its copy, if there is one
  HashMap<NodeId, bool> is_chosen{};  // for each product: whether it is rematerialized

  static constexpr NodeId none = static_cast<NodeId>(-1);

  std::int32_t level(NodeId id) const { return facts.nodes[id].level; }
  const Shape& shape(NodeId id) const { return graph[id].results[0].shape; }

  std::int32_t far(NodeId product) const {
    return is_large(graph[product].results[0], rules) ? rules.far_levels_if_large
                                                      : rules.far_levels;
  }

  bool is_candidate(NodeId id) const {
    const Node& node = graph[id];
    if (node.op != Op::dot_general || !facts.nodes[id].live) return false;
    std::int64_t factors = 0;
    Extent terms = 1;
    for (const std::int64_t axis : numbers(node, "lhs_contract")) {
      terms *= graph.type(node.inputs[0]).shape[static_cast<int>(axis)];
    }
    for (const Value input : node.inputs) factors += typical_elements(graph.type(input).shape);
    const std::int64_t count = typical_elements(shape(id));
    return terms.is_number() && terms.number() <= rules.most_terms &&
           count >= rules.fewest_elements && (count >= factors || rules.growth <= 1) &&
           (!rules.streams || may_stream(id, terms));
  }

  // Whether a streaming kernel may compute `product`, which contracts `terms`: see
  // ProductChains::is_worth_streaming().
  bool may_stream(NodeId product, Extent terms) const {
    const Shape& rows = shape(product);
    const bool is_wide = !rows.empty() && !proven_less_equal(rows[-1], terms);
    return (is_wide || has_batch_axis(graph, graph[product])) && precedes_reduced[product] &&
           fills_streaming_kernel(rows, target.streaming);
  }

  // Whether `reader`, which is no product, reads rows of `id` as they are: a reduction combines the
  // elements of a row.
  bool reads_rows(NodeId reader, NodeId id) const {
    const Node& node = graph[reader];
    const AxisList last{shape(id).size() - 1};
    if (is_reduction(node.op) && (node.inputs[0].node != id || numbers(node, "axes") != last))
      return false;
    return any_of(node.inputs, [&](Value input) { return beneath_split(graph, input) == id; });
  }

  // Finds the nodes on which a product depends, through other nodes than products: directly or
  // through a reduction of their rows.
  void find_later_products() {
    Vector<bool> precedes(graph.nodes.size(), false);
    precedes_reduced.assign(graph.nodes.size(), false);
    for (auto id = static_cast<NodeId>(graph.nodes.size()); id-- > 0;) {
      for (const NodeId reader : readers[id]) {
        const Op op = graph[reader].op;
        precedes[id] = precedes[id] || op == Op::dot_general || precedes[reader];
        if (op == Op::dot_general || !reads_rows(reader, id)) continue;
        precedes_reduced[id] = precedes_reduced[id] ||
                               (is_reduction(op) ? precedes[reader] : precedes_reduced[reader]);
      }
    }
  }

  // Whether recomputing an elementwise operation on `product` needs no extra memory for `operand`.
  bool is_free(Value operand, NodeId product) const {
    const NodeId id = beneath(graph, operand);
    const Op op = graph[id].op;
    return product_of[id] == product || op == Op::input || op == Op::constant || op == Op::iota ||
           free_operands[id] || is_broadcast(graph, operand);
  }

  // The product from which `id` is computed elementwise, with other operands that are free.
  NodeId find_product(NodeId id) const {
    NodeId product = none;
    if (!is_elementwise(graph[id].op)) return none;
    for (const Value input : graph[id].inputs) {
      const NodeId operand = beneath(graph, input), of = product_of[operand];
      const bool alike = of != none && same(numel(shape(of)), numel(shape(id)));
      if (alike && level(id) < level(operand) + far(of)) product = of;
    }
    for (const Value input : graph[id].inputs) {
      if (product == none || !is_free(input, product)) return none;
    }
    return product;
  }

  void find_regions() {
    product_of.assign(graph.nodes.size(), none);
    readers = readers_of(graph, facts);
    free_operands = rules.gathers ? nodes_made_of_inputs(graph) : nodes_made_of_numbers(graph);
    if (rules.streams) find_later_products();
    for (NodeId id = 0; id < graph.nodes.size(); ++id) {
      if (!facts.nodes[id].live || is_movement(graph[id].op)) continue;
      product_of[id] = is_candidate(id) ? id : find_product(id);
    }
  }

  // Whether `reader` is a late reader of `product` or of what is computed from it.
  bool is_far(NodeId reader, NodeId product) const {
    return product_of[reader] != product && level(reader) >= near[product] + far(product);
  }

  // Whether `id` is live until level `last` anyway.
  bool is_kept(NodeId id, std::int32_t last) const {
    if (graph[id].op == Op::input) return true;
    return any_of(readers[id], [&](NodeId reader) { return level(reader) >= last; });
  }

  // Whether a late reader of `id` is a product that contracts other axes than the last one. It
  // needs all rows at once.
  bool is_summed_over_rows(NodeId id, NodeId product) const {
    return any_of(readers[id], [&](NodeId reader) {
      const Node& node = graph[reader];
      if (node.op != Op::dot_general || !is_far(reader, product)) return false;
      for (const std::size_t side : {std::size_t{0}, std::size_t{1}}) {
        const AxisList& axes = numbers(node, side == 0 ? "lhs_contract" : "rhs_contract");
        if (node.inputs[side].node == id && axes != AxisList{shape(id).size() - 1}) return true;
      }
      return false;
    });
  }

  // Decides whether `product` is rematerialized for its late readers.
  void choose(NodeId product, const Vector<NodeId>& region) {
    near[product] = 0;
    for (const NodeId id : region) near[product] = std::max(near[product], level(id));
    std::int32_t first = 0;
    for (const NodeId id : region) {
      for (const NodeId reader : readers[id]) {
        if (is_far(reader, product) && (first == 0 || level(reader) < first)) first = level(reader);
      }
    }
    const Node& node = graph[product];
    const bool streams =
        !rules.streams || has_batch_axis(graph, node) ||
        none_of(region, [&](NodeId id) { return is_summed_over_rows(id, product); });
    is_chosen[product] = first > 0 && streams && region.size() <= most_region_nodes &&
                         is_kept(beneath(graph, node.inputs[0]), first) &&
                         is_kept(beneath(graph, node.inputs[1]), first);
  }

  bool choose_all() {
    HashMap<NodeId, Vector<NodeId>> regions;
    near.assign(graph.nodes.size(), 0);
    for (NodeId id = 0; id < graph.nodes.size(); ++id) {
      if (product_of[id] != none) regions[product_of[id]].push_back(id);
    }
    bool any = false;
    for (const auto& [product, region] : regions) {
      choose(product, region);
      any |= is_chosen[product];
    }
    return any;
  }

  // The product that is rematerialized for operand `value` of `reader`, or none.
  NodeId rematerialized_product(NodeId reader, Value value) const {
    const NodeId product = product_of[beneath(graph, value)];
    if (product == none || !is_chosen.at(product) || is_movement(graph[reader].op)) return none;
    return is_far(reader, product) ? product : none;
  }

  // The copy of `id`, which is computed from `product`; the copy of the product waits for `wait`.
  NodeId copy_of(NodeId id, NodeId product, NodeId wait) {
    if (product_of[beneath(graph, id)] != product) return moved[id];
    const auto known = copies.find(id);
    if (known != copies.end()) return known->second;
    Node copy = graph[id];
    for (Value& input : copy.inputs) {
      input.node = id == product ? moved[input.node] : copy_of(input.node, product, wait);
    }
    const bool large = is_large(graph[product].results[0], rules);
    const NodeId made =
        result.append(std::move(copy), large ? Rematerialized::direct : Rematerialized::no);
    if (id == product) result.after[made] = wait;
    copies.emplace(id, made);
    return made;
  }

  // The last operand of `reader` to be computed.
  NodeId latest_operand(NodeId reader) const {
    NodeId latest = graph[reader].inputs[0].node;
    for (const Value input : graph[reader].inputs) {
      if (level(input.node) > level(latest)) latest = input.node;
    }
    return moved[latest];
  }

  void copy(NodeId id) {
    Node node = graph[id];
    for (Value& input : node.inputs) {
      const NodeId product = rematerialized_product(id, input);
      input.node =
          product == none ? moved[input.node] : copy_of(input.node, product, latest_operand(id));
    }
    moved[id] = result.append(std::move(node));
  }

  Optional<RematerializedGraph> run() {
    facts = analyze_fusion(graph, {}, target.inlining);
    find_regions();
    if (!choose_all()) return {};
    moved.resize(graph.nodes.size());
    for (NodeId id = 0; id < graph.nodes.size(); ++id) copy(id);
    result.copy_interface(graph, moved);
    return std::move(result);
  }
};

}  // namespace detail

/// `graph` with a second copy of each product that contracts a short axis, is larger than its
/// operands, and is read, through elementwise operations, by some nodes at once and by others much
/// later. The late readers read the copy, which is not computed before they are ready; reductions
/// of the first product are kept. Nothing if there is no such product.
inline Optional<RematerializedGraph> rematerialize(const Graph& graph,
                                                   const RematerializeRules& rules = {},
                                                   const Target& target = {}) {
  const bool any = any_of(graph.nodes, [](const Node& node) { return node.op == Op::dot_general; });
  return any ? detail::Rematerializer{graph, rules, target}.run() : std::nullopt;
}

}  // namespace sinter::inline SINTER_ABI::detail::schedule
