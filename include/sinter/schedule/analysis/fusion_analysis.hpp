#pragma once
// Facts about each node that decide fusion: whether it is live, its number of uses, and the cost of
// recomputing it.

#include <algorithm>  // std::max
#include <cstdint>    // std::int32_t
#include <utility>    // std::move

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/small_vector.hpp>
#include <sinter/base/container/span.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/config.hpp>
#include <sinter/graph/graph.hpp>
#include <sinter/schedule/analysis/positions.hpp>
#include <sinter/schedule/ir/access.hpp>
#include <sinter/schedule/ir/target.hpp>
#include <sinter/symbol/extent/proof.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

/// The cost of computing one element of a node from loads.
struct Cost {
  std::int32_t loads = 0;
  std::int32_t operations = 0;
  bool expensive = false;  ///< Includes a transcendental function.
  bool rounds = false;     ///< Floating point: another kernel may compute other last bits.
};

struct NodeFacts {
  bool live = false;      ///< An output depends on it.
  bool stored = false;    ///< It must be in memory: an output, or an operand of a product.
  bool repeated = false;  ///< A reader reads each of its elements more than once.
  bool inlined = false;   ///< Readers in other groups recompute it, even if it is stored.
  bool early = false;     ///< A scalar computed from scalars, which delays no other node.
  bool compared = false;  ///< An equality of floating values depends on its last bits.
  bool concatenated_in_place =
      false;               ///< A concatenation whose operands are written to its memory.
  std::int32_t uses = 0;   ///< The number of readers, beyond movement operations.
  std::int32_t level = 0;  ///< The most reductions and products on a path to it.
  Cost cost{};
};

struct FusionAnalysis {
  Vector<NodeFacts> nodes{};
  Vector<NodeId> order{};  ///< The nodes that kernels compute, by level, operands first.
};

/// True for operations whose elements are computed one by one: elementwise, gather, concatenate,
/// random bits.
inline bool is_pointwise(Op op) {
  return is_elementwise(op) || op == Op::gather || op == Op::concatenate || op == Op::random_bits;
}

/// True for operations that combine many elements: reductions, products, scatter_add, scans, sorts.
inline bool is_heavy(Op op) {
  return is_reduction(op) || op == Op::dot_general || op == Op::scatter_add ||
         info(op).kind == OpKind::row;
}

/// The node whose memory holds `output`: the one beneath its reshapes.
inline NodeId stored_node(const Graph& graph, Value output) {
  NodeId id = output.node;
  while (graph[id].op == Op::reshape) id = graph[id].inputs[0].node;
  return id;
}

/// The node that `reader` reads as `operand`: the one beneath its movement operations; for a sort,
/// which needs its operand in memory in the order of its axes, the one beneath its reshapes.
inline NodeId read_node(const Graph& graph, const Node& reader, Value operand) {
  return reader.op == Op::argsort ? stored_node(graph, operand) : beneath(graph, operand);
}

/// A few nodes.
using NodeList = SmallVector<NodeId, 4>;

/// The nodes that `id` reads; for a movement operation the one beneath.
inline NodeList read_nodes(const Graph& graph, NodeId id) {
  if (is_movement(graph[id].op)) return {beneath(graph, id)};
  NodeList result;
  for (const Value input : graph[id].inputs) result.push_back(read_node(graph, graph[id], input));
  return result;
}

namespace detail {

// Whether matches(from, to) holds for one of the expands beneath `operand`.
template <class Matches>
bool is_expanded(const Graph& graph, Value operand, const Matches& matches) {
  for (NodeId id = operand.node; is_movement(graph[id].op); id = graph[id].inputs[0].node) {
    const Shape& from = graph.type(graph[id].inputs[0]).shape;
    if (graph[id].op == Op::expand && matches(from, graph[id].results[0].shape)) return true;
  }
  return false;
}

}  // namespace detail

/// Whether `operand` broadcasts the node beneath.
inline bool is_broadcast(const Graph& graph, Value operand) {
  return detail::is_expanded(graph, operand, [](const Shape& from, const Shape& to) {
    return !same(numel(to), numel(from));
  });
}

/// Whether `holds` is true of one of the nodes that `value` is computed from elementwise, without
/// broadcasts, down to and including the first that is not elementwise. Looks at some dozens.
inline bool any_source(const Graph& graph, Value value, FunctionRef<bool(const Node& node)> holds) {
  constexpr std::size_t most_visited = 64;
  Vector<NodeId> pending{beneath(graph, value)};
  for (std::size_t i = 0; i < pending.size() && i < most_visited; ++i) {
    const Node& node = graph[pending[i]];
    if (holds(node)) return true;
    if (!is_elementwise(node.op)) continue;
    for (const Value input : node.inputs) {
      if (!is_broadcast(graph, input)) pending.push_back(beneath(graph, input));
    }
  }
  return false;
}

/// Whether `operand` is broadcast along its last axis, so that each row has one value.
inline bool is_constant_along_row(const Graph& graph, Value operand) {
  return detail::is_expanded(graph, operand, [](const Shape& from, const Shape& to) {
    return !from.empty() && !same(to[-1], from[-1]);
  });
}

namespace detail {

inline Cost cost_of(Op op) {
  switch (info(op).work) {
    case Work::function:
    case Work::call:
      return {0, 4, true};
    case Work::division:
      return {0, 3, false};
    case Work::random:
      return {0, 16, false};
    case Work::light:
      break;
  }
  return {0, 1, false};
}

struct FusionAnalyzer {
  const Graph& graph;
  Span<const NodeId> after{};
  const InliningLimits& limits;
  FusionAnalysis result{};

  NodeFacts& facts(NodeId id) { return result.nodes[id]; }

  void mark_live() {
    for (Value output : graph.outputs) facts(output.node).live = true;
    for (NodeId id = static_cast<NodeId>(graph.nodes.size()); id-- > 0;) {
      if (!facts(id).live) continue;
      for (Value input : graph[id].inputs) facts(input.node).live = true;
    }
  }

  // A product reads each element many times: only casts are fused into its loads.
  void store_operand(Value operand) {
    NodeId id = beneath(graph, operand);
    while (graph[id].op == Op::cast) id = beneath(graph, graph[id].inputs[0]);
    store(id);
  }

  void store(NodeId id) {
    const Op op = graph[id].op;
    facts(id).stored |= op != Op::constant && op != Op::iota;
  }

  void mark_stored() {
    for (Value output : graph.outputs) facts(stored_node(graph, output)).stored = true;
    for (NodeId id = 0; id < graph.nodes.size(); ++id) {
      const Node& node = graph[id];
      if (!facts(id).live) continue;
      if (node.op == Op::dot_general) {
        for (Value input : node.inputs) store_operand(input);
      }
      const bool adds = node.op == Op::scatter_add && !is_position(graph, node.inputs[1]);
      if (adds) store(beneath(graph, node.inputs[1]));
      if (node.op == Op::argsort) {
        facts(read_node(graph, node, node.inputs[0])).stored = true;
      }
    }
  }

  bool repeats(const Node& node) const {
    if (node.op == Op::unfold) {  // repeats elements if the windows overlap
      return number(node, "step") <= (number(node, "size") - 1) * number(node, "dilation");
    }
    return node.op == Op::expand &&
           !same(numel(node.results[0].shape), numel(graph.type(node.inputs[0]).shape));
  }

  // The gradient of a maximum compares its operand with it: all kernels must compute the same bits.
  void mark_compared() {
    for (NodeId id = static_cast<NodeId>(graph.nodes.size()); id-- > 0;) {
      const Node& node = graph[id];
      const bool compares = node.op == Op::eq && is_floating(graph.type(node.inputs[0]).dtype) &&
                            none_of(node.inputs, [&](Value input) {
                              return graph[beneath(graph, input)].op == Op::constant;
                            });
      const bool passes = is_elementwise(node.op) || is_movement(node.op) || node.op == Op::max ||
                          node.op == Op::min;
      if (!compares && !(facts(id).compared && passes)) continue;
      for (Value input : node.inputs) facts(input.node).compared = true;
    }
  }

  // Uses of a movement operation are uses of its operand.
  void count_uses() {
    for (NodeId id = static_cast<NodeId>(graph.nodes.size()); id-- > 0;) {
      const Node& node = graph[id];
      if (!facts(id).live) continue;
      const bool moves = is_movement(node.op);
      for (std::size_t i = 0; i < node.inputs.size(); ++i) {
        NodeFacts& input = facts(node.inputs[i].node);
        input.uses += moves ? std::max(1, facts(id).uses) : 1;
        input.repeated |= repeats(node) || (moves && facts(id).repeated);
        input.repeated |= node.op == Op::gather && i == 0;
        input.repeated |= info(node.op).kind == OpKind::row;  // scans and sorts are not vectorized
      }
    }
  }

  bool same_size(NodeId a, NodeId b) const {
    return same(numel(graph[a].results[0].shape), numel(graph[b].results[0].shape));
  }

  // Returns whether an operand is a reduction or product of the size of the node: keeping that in
  // memory costs as much as keeping the node. Values that are constant along a row are free.
  bool find_cost(NodeId id) {
    Cost cost = cost_of(graph[id].op);
    cost.rounds = is_floating(graph[id].results[0].dtype);
    bool large = false;
    for (Value input : graph[id].inputs) {
      const NodeId operand = beneath(graph, input);
      const Op op = graph[operand].op;
      if (op == Op::constant || op == Op::iota) continue;
      const NodeFacts& known = facts(operand);
      large |= schedule::is_heavy(op) && same_size(id, operand);
      if (is_constant_along_row(graph, input)) continue;
      cost.loads += known.inlined ? known.cost.loads : 1;
      const bool counts =
          known.cost.loads > 0 || known.cost.rounds || graph[id].results[0].dtype == i64;
      cost.operations += !known.inlined ? 0 : counts ? known.cost.operations : 1;
      cost.expensive |= known.inlined && known.cost.expensive;
      cost.rounds |= known.inlined && known.cost.rounds;
    }
    facts(id).cost = cost;
    return large;
  }

  void decide(NodeId id) {
    const bool large = find_cost(id);
    NodeFacts& known = facts(id);
    if (graph[id].op == Op::concatenate) return decide_concatenate(id, large);
    const Cost& cost = known.cost;
    const bool of_positions = cost.loads == 0 && !cost.rounds;
    const std::int32_t most = of_positions ? limits.cheap_without_loads : limits.cheap_operations;
    const bool cheap =
        !cost.expensive && cost.operations <= most && cost.loads <= limits.cheap_loads;
    known.inlined = cheap && narrows_reduction(id);
    if (known.stored || known.inlined) return;
    const bool single = known.uses == 1 && cost.operations <= limits.largest_expression;
    known.inlined = cheap ? known.uses == 1 || !large : single && !known.repeated;
    known.inlined &= !takes_few(id) && !narrows_positions(id);
  }

  // Whether `id` casts the result of an integer reduction to fewer bytes, and is its only reader.
  bool narrows_positions(NodeId id) const {
    const Node& node = graph[id];
    if (node.op != Op::cast || !is_integer(node.results[0].dtype)) return false;
    const NodeId from = node.inputs[0].node;
    const bool is_only_reader = is_reduction(graph[from].op) && result.nodes[from].uses == 1;
    return is_only_reader && info(node.results[0].dtype).size < info(graph.type(from).dtype).size;
  }

  // The most nodes of an expression that are looked at.
  std::size_t searched() const { return static_cast<std::size_t>(limits.largest_expression); }

  // Whether `id` gathers a small part of a value that is computed from reductions. It is smaller to
  // keep than its operands, which the readers would need to recompute it.
  bool takes_few(NodeId id) const {
    const Node& node = graph[id];
    if (node.op != Op::gather) return false;
    const NodeId from = beneath(graph, node.inputs[0]);
    if (result.nodes[from].level == 0 || is_heavy(from)) return false;
    const Extent gathered = numel(node.results[0].shape);
    return !proven_less(numel(graph[from].results[0].shape), gathered * 2);
  }

  // Whether `id` casts the result of a reduction to 16 bits. Such results are small: readers load
  // them in full precision, even if the cast is an output.
  bool narrows_reduction(NodeId id) const {
    const DType from = graph.type(graph[id].inputs[0]).dtype, to = graph[id].results[0].dtype;
    const bool narrows = graph[id].op == Op::cast && is_half(to) && from == f32;
    if (!narrows || is_written_cast(graph[id])) return false;
    Vector<NodeId> pending{id};
    for (std::size_t i = 0; i < pending.size() && i < searched(); ++i) {
      for (Value input : graph[pending[i]].inputs) {
        const NodeId operand = beneath(graph, input);
        if (!same_size(id, operand)) continue;
        if (is_reduction(graph[operand].op)) return true;
        if (is_elementwise(graph[operand].op)) pending.push_back(operand);
      }
    }
    return false;
  }

  // Readers of an inlined concatenation select among all of its operands for each element. If that
  // is too expensive, each operand is written to its place in memory.
  void decide_concatenate(NodeId id, bool large) {
    NodeFacts& known = facts(id);
    const Cost& cost = known.cost;
    const bool cheap = !cost.expensive && cost.operations <= limits.cheap_operations &&
                       cost.loads <= limits.most_chosen &&
                       std::ssize(graph[id].inputs) <= limits.most_chosen;
    known.inlined = !known.stored && cheap && (known.uses == 1 || !large);
    known.concatenated_in_place = !known.inlined;
    known.stored |= known.concatenated_in_place;
    if (!known.concatenated_in_place) return;
    for (Value operand : graph[id].inputs) leave_operand(stored_node(graph, operand));
  }

  // An operand made of the result of a reduction or product is not inlined: the kernel of that
  // computes it and can write it to its place.
  void leave_operand(NodeId id) {
    if (facts(id).inlined && reaches_heavy(id)) facts(id).inlined = false;
  }

  bool reaches_heavy(NodeId id) const {
    Vector<NodeId> pending{id};
    for (std::size_t i = 0; i < pending.size() && i < searched(); ++i) {
      for (Value input : graph[pending[i]].inputs) {
        const NodeId operand = beneath(graph, input);
        if (is_heavy(operand)) return true;
        if (result.nodes[operand].inlined) pending.push_back(operand);
      }
    }
    return false;
  }

  bool is_heavy(NodeId id) const {
    return schedule::is_heavy(graph[id].op) || result.nodes[id].concatenated_in_place;
  }

  void find_level(NodeId id) {
    const auto follow = [&](NodeId before) {
      const int heavy = is_heavy(before) ? 1 : 0;
      facts(id).level = std::max(facts(id).level, facts(before).level + heavy);
    };
    for (Value input : graph[id].inputs) follow(input.node);
    if (!after.empty() && after[id] != id) follow(after[id]);
    facts(id).early = same(numel(graph[id].results[0].shape), 1) && !is_heavy(id);
    for (Value input : graph[id].inputs) {
      const bool before = facts(input.node).level < facts(id).level;
      facts(id).early &= before || facts(input.node).early || graph[input.node].op == Op::input;
    }
  }

  // Within a level, scalars come first, since many nodes read them, and heavy operations last,
  // since the next level reads them.
  void find_order() {
    Vector<Vector<NodeId>> ranked;
    for (NodeId id = 0; id < graph.nodes.size(); ++id) {
      const Op op = graph[id].op;
      const bool computed = is_pointwise(op) || is_heavy(id);
      const bool copied = facts(id).stored && op != Op::input;
      if (!facts(id).live || (!computed && !copied)) continue;
      const int place = is_heavy(id) ? 2 : facts(id).early ? 0 : 1;  // within its level
      const auto rank = static_cast<std::size_t>(3 * facts(id).level + place);
      if (rank >= ranked.size()) ranked.resize(rank + 1);
      ranked[rank].push_back(id);
    }
    for (const Vector<NodeId>& list : ranked) result.order.append(list.begin(), list.end());
  }
};

// Finds expensive values that are computed from a single value which is live as long: keeping both
// takes twice the memory, and loading either costs the same.
struct RematerializationFinder {
  const Graph& graph;
  Vector<NodeFacts>& facts;
  const InliningLimits& limits;
  Vector<NodeList> readers{};
  Vector<std::int32_t> last_reads{};  // the level of the last read, looking through inlining

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

  // The only value from which `id` is computed, apart from broadcasts, or `id` if there are
  // several; `between` are the nodes on the way.
  NodeId only_load(NodeId id, NodeList& between) const {
    NodeId found = id;
    between = {id};
    for (std::size_t i = 0; i < between.size(); ++i) {
      for (const Value input : graph[between[i]].inputs) {
        const NodeId operand = input.node;
        const Op op = graph[beneath(graph, input)].op;
        if (op == Op::constant || op == Op::iota || is_broadcast(graph, input)) continue;
        if (hands_on(operand)) {
          between.push_back(operand);
        } else if (found != id && found != operand) {
          return id;
        } else {
          found = operand;
        }
      }
      if (between.size() > static_cast<std::size_t>(limits.most_rematerialized_operations))
        return id;
    }
    return found;
  }

  // Whether a node other than those `between` the two reads `load` as late as `id` is read.
  bool is_kept(NodeId load, NodeId id, const NodeList& between) const {
    for (const NodeId reader : readers[load]) {
      const bool other = !contains(between, reader);
      if (other && last_read_by(reader) >= last_reads[id]) return true;
    }
    return false;
  }

  // Whether `id` is written to its place in a concatenation.
  bool is_concatenated_in_place(NodeId id) const {
    return any_of(readers[id], [&](NodeId reader) {
      return facts[reader].concatenated_in_place ||
             (graph[reader].op == Op::reshape && is_concatenated_in_place(reader));
    });
  }

  bool is_cheaper(NodeId id) const {
    const NodeFacts& known = facts[id];
    const bool several = known.live && !known.stored && !known.inlined && !known.repeated;
    if (!several || !is_elementwise(graph[id].op) || is_concatenated_in_place(id)) return false;
    if (last_reads[id] == known.level) return false;  // its readers may be in the same kernel
    if (known.cost.loads > 1 || known.cost.operations > limits.most_rematerialized_operations)
      return false;
    NodeList between;
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

/// Inlines values that are expensive, but cheaper to recompute than to keep.
inline void inline_rematerialized(const Graph& graph, Vector<NodeFacts>& facts,
                                  const InliningLimits& limits) {
  RematerializationFinder{graph, facts, limits}.run();
}

}  // namespace detail

/// `after`, if not empty, has for each node another one that must come before it, or itself.
inline FusionAnalysis analyze_fusion(const Graph& graph, Span<const NodeId> after = {},
                                     const InliningLimits& limits = {}) {
  detail::FusionAnalyzer analyzer{graph, after, limits};
  analyzer.result.nodes.resize(graph.nodes.size());
  analyzer.mark_live();
  analyzer.mark_stored();
  analyzer.mark_compared();
  analyzer.count_uses();
  for (NodeId id = 0; id < graph.nodes.size(); ++id) {
    if (!analyzer.facts(id).live) continue;
    analyzer.find_level(id);
    if (is_pointwise(graph[id].op)) analyzer.decide(id);
  }
  detail::inline_rematerialized(graph, analyzer.result.nodes, limits);
  analyzer.find_order();
  return std::move(analyzer.result);
}

}  // namespace sinter::inline SINTER_ABI::detail::schedule
