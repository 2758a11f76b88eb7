#pragma once

#include <algorithm>      // std::all_of, std::any_of, std::max, std::min
#include <unordered_map>  // std::unordered_map
#include <utility>        // std::move

#include <sinter/schedule/analysis/fusion_analysis.hpp>
#include <sinter/schedule/ir/access.hpp>
#include <sinter/schedule/rewrite/rematerialize.hpp>
#include <sinter/symbol/extent/interval.hpp>
#include <sinter/symbol/solve/variables.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

namespace detail {

// So many reductions and products lie between what reads at once and what reads much later; and so
// many if memory for what is read is dear.
inline constexpr std::int32_t far_levels = 4, far_levels_if_large = 2;
// Operations on the elements of one product.
inline constexpr std::size_t most_recomputed_nodes = 64;

SINTER_INLINE std::int64_t typical_elements(const Shape& shape) {
  static constexpr std::int64_t typical = 1024;
  const Extent count = substitute(numel(shape), [](Extent size) {
    return Extent(std::min(typical, std::max<std::int64_t>(bounds(size).max, 1)));
  });
  return count.is_number() ? count.number() : 0;
}

SINTER_INLINE bool is_large(const TensorType& type, const AgainRules& rules) {
  const auto size = static_cast<std::int64_t>(info(type.dtype).size);
  return type.shape.size() >= 2 && typical_elements(type.shape) >= rules.most_bytes_kept / size;
}

// Whether `id` is computed from positions and single numbers alone, as some of those before it,
// which are `known`.
SINTER_INLINE bool is_made_of_numbers(const Graph& graph, NodeId id,
                                      const std::vector<bool>& known) {
  const Node& node = graph[id];
  if (!is_elementwise(node.op) && node.op != Op::random_bits) return false;
  return std::all_of(node.inputs.begin(), node.inputs.end(), [&](Value input) {
    const NodeId operand = beneath(graph, input);
    const Op op = graph[operand].op;
    return op == Op::constant || op == Op::iota || known[operand] ||
           same(numel(graph[operand].results[0].shape), 1);
  });
}

// The same, with inputs and what is taken from them.
SINTER_INLINE bool is_made_of_inputs(const Graph& graph, NodeId id,
                                     const std::vector<bool>& known) {
  const Node& node = graph[id];
  if (!is_pointwise(node.op) || node.op == Op::concatenate) return false;
  return std::all_of(node.inputs.begin(), node.inputs.end(), [&](Value input) {
    const NodeId operand = beneath(graph, input);
    const Op op = graph[operand].op;
    return op == Op::input || op == Op::constant || op == Op::iota || known[operand];
  });
}

// Which nodes are, where it depends on which of those before them are.
template <class Rule>
std::vector<bool> nodes_that(const Graph& graph, const Rule& is_one) {
  std::vector<bool> result(graph.nodes.size(), false);
  for (NodeId id = 0; id < graph.nodes.size(); ++id) result[id] = is_one(graph, id, result);
  return result;
}

struct Recomputer {
  const Graph& graph;
  const AgainRules& rules;
  Survey facts{};
  std::vector<std::vector<NodeId>> readers{};  // of the elements of a node, through movement
  std::vector<bool> at_hand{};                 // what random numbers decide, for example
  std::vector<NodeId> product_of{};  // the product whose elements a node works on, or none
  std::vector<std::int32_t> near{};  // for each product: the level of its near readers
  Recomputation result{};
  std::vector<NodeId> moved{};                   // each node in the new graph
  std::unordered_map<NodeId, NodeId> again{};    // and its second time
  std::unordered_map<NodeId, bool> is_chosen{};  // products

  static constexpr NodeId none = static_cast<NodeId>(-1);

  std::int32_t level(NodeId id) const { return facts.nodes[id].level; }
  const Shape& shape(NodeId id) const { return graph[id].results[0].shape; }

  std::int32_t far(NodeId product) const {
    return is_large(graph[product].results[0], rules) ? far_levels_if_large : far_levels;
  }

  bool is_candidate(NodeId id) const {
    const Node& node = graph[id];
    if (node.op != Op::dot_general || !facts.nodes[id].live || rules.keeps(id)) return false;
    std::int64_t factors = 0;
    Extent terms = 1;
    for (const std::int64_t axis : numbers(node, "lhs_contract")) {
      terms *= graph.type(node.inputs[0]).shape[static_cast<int>(axis)];
    }
    for (const Value input : node.inputs) factors += typical_elements(graph.type(input).shape);
    const std::int64_t count = typical_elements(shape(id));
    return terms.is_number() && terms.number() <= most_terms && count >= rules.fewest_elements &&
           (count >= factors || rules.growth <= 1);
  }

  // Whether `operand` of a node that works on the elements of `product` costs nothing to have.
  bool is_at_hand(Value operand, NodeId product) const {
    const NodeId id = beneath(graph, operand);
    const Op op = graph[id].op;
    return product_of[id] == product || op == Op::input || op == Op::constant || op == Op::iota ||
           at_hand[id] || is_spread(graph, operand);
  }

  // The product of which all operands that cost something are made, by operations on elements.
  NodeId find_product(NodeId id) const {
    NodeId product = none;
    if (!is_elementwise(graph[id].op)) return none;
    for (const Value input : graph[id].inputs) {
      const NodeId operand = beneath(graph, input), of = product_of[operand];
      const bool alike = of != none && same(numel(shape(of)), numel(shape(id)));
      if (alike && level(id) < level(operand) + far(of)) product = of;
    }
    for (const Value input : graph[id].inputs) {
      if (product == none || !is_at_hand(input, product)) return none;
    }
    return product;
  }

  void find_regions() {
    product_of.assign(graph.nodes.size(), none);
    readers.resize(graph.nodes.size());
    at_hand = rules.gathers ? nodes_made_of_inputs(graph) : nodes_made_of_numbers(graph);
    for (NodeId id = 0; id < graph.nodes.size(); ++id) {
      if (!facts.nodes[id].live || is_movement(graph[id].op)) continue;
      for (const Value input : graph[id].inputs) readers[beneath(graph, input)].push_back(id);
      product_of[id] = is_candidate(id) ? id : find_product(id);
    }
  }

  // Whether `reader` reads `product`, or what is made of it, much later than it could.
  bool is_far(NodeId reader, NodeId product) const {
    return product_of[reader] != product && level(reader) >= near[product] + far(product);
  }

  // Whether `id` is needed until `last` anyway.
  bool is_kept(NodeId id, std::int32_t last) const {
    if (graph[id].op == Op::input) return true;
    return std::any_of(readers[id].begin(), readers[id].end(),
                       [&](NodeId reader) { return level(reader) >= last; });
  }

  // Decides whether those who read much later have `product` computed again.
  void choose(NodeId product, const std::vector<NodeId>& region) {
    near[product] = 0;
    for (const NodeId id : region) near[product] = std::max(near[product], level(id));
    std::int32_t first = 0;
    for (const NodeId id : region) {
      for (const NodeId reader : readers[id]) {
        if (is_far(reader, product) && (first == 0 || level(reader) < first)) first = level(reader);
      }
    }
    const Node& node = graph[product];
    const bool kept =
        std::any_of(region.begin(), region.end(), [&](NodeId id) { return rules.keeps(id); });
    is_chosen[product] = first > 0 && !kept && region.size() <= most_recomputed_nodes &&
                         is_kept(beneath(graph, node.inputs[0]), first) &&
                         is_kept(beneath(graph, node.inputs[1]), first);
  }

  bool choose_all() {
    std::unordered_map<NodeId, std::vector<NodeId>> regions;
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

  // The product that `reader` has computed again for its operand `value`, or none.
  NodeId far_product(NodeId reader, Value value) const {
    const NodeId product = product_of[beneath(graph, value)];
    if (product == none || !is_chosen.at(product) || is_movement(graph[reader].op)) return none;
    return is_far(reader, product) ? product : none;
  }

  // `value`, made of `product`, for the second time, for `reader`.
  NodeId second(NodeId id, NodeId product, NodeId wait) {
    if (product_of[beneath(graph, id)] != product) return moved[id];
    const auto known = again.find(id);
    if (known != again.end()) return known->second;
    Node copy = graph[id];
    for (Value& input : copy.inputs) {
      input.node = id == product ? moved[input.node] : second(input.node, product, wait);
    }
    result.after.push_back(id == product ? wait : static_cast<NodeId>(result.graph.nodes.size()));
    const bool large = is_large(graph[product].results[0], rules);
    result.again.push_back(large ? Again::as_before : Again::no);
    result.origin.push_back(id);
    const NodeId made = result.graph.append(std::move(copy));
    again.emplace(id, made);
    return made;
  }

  // What `reader` waits for: its operand that comes last.
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
      const NodeId product = far_product(id, input);
      input.node =
          product == none ? moved[input.node] : second(input.node, product, latest_operand(id));
    }
    result.after.push_back(static_cast<NodeId>(result.graph.nodes.size()));
    result.again.push_back(Again::no);
    result.origin.push_back(id);
    moved[id] = result.graph.append(std::move(node));
  }

  std::optional<Recomputation> run() {
    facts = survey(graph);
    find_regions();
    if (!choose_all()) return {};
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

SINTER_INLINE std::vector<bool> nodes_made_of_numbers(const Graph& graph) {
  return detail::nodes_that(graph, detail::is_made_of_numbers);
}

SINTER_INLINE std::vector<bool> nodes_made_of_inputs(const Graph& graph) {
  return detail::nodes_that(graph, detail::is_made_of_inputs);
}

SINTER_INLINE std::optional<Recomputation> recompute(const Graph& graph, const AgainRules& rules) {
  const bool any = std::any_of(graph.nodes.begin(), graph.nodes.end(),
                               [](const Node& node) { return node.op == Op::dot_general; });
  return any ? detail::Recomputer{graph, rules}.run() : std::nullopt;
}

}  // namespace sinter::inline SINTER_ABI::detail::schedule
