#pragma once

#include <algorithm>  // std::any_of, std::find, std::max, std::stable_sort
#include <utility>    // std::move
#include <vector>     // std::vector

#include <sinter/schedule/analysis/fusion_analysis.hpp>
#include <sinter/schedule/analysis/positions.hpp>
#include <sinter/schedule/ir/access.hpp>
#include <sinter/symbol/extent/proof.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

namespace detail {

// Computing again is cheaper than a store and a load, up to here.
inline constexpr Cost cheap_cost{4, 8, false};
// What is made of positions alone, without a load: as many for each, however often it uses them.
inline constexpr std::int32_t cheap_without_loads = 64;
// More parts than these are written into their places rather than chosen among.
inline constexpr std::int32_t most_chosen = 4;
// One expression that a single reader takes over grows at most to this.
inline constexpr std::int32_t largest_expression = 64;

SINTER_INLINE Cost cost_of(Op op) {
  switch (op) {
    case Op::exp:
    case Op::expm1:
    case Op::log:
    case Op::log1p:
    case Op::sin:
    case Op::cos:
    case Op::tan:
    case Op::tanh:
    case Op::atan:
    case Op::erf:
    case Op::pow:
      return {0, 4, true};
    case Op::div:
    case Op::sqrt:
    case Op::floor_divide:
    case Op::remainder:
      return {0, 3, false};
    case Op::random_bits:
      return {0, 16, false};
    default:
      break;
  }
  return {0, 1, false};
}

struct Surveyor {
  const Graph& graph;
  std::span<const NodeId> after{};
  Survey result{};

  NodeFacts& facts(NodeId id) { return result.nodes[id]; }

  void mark_live() {
    for (Value output : graph.outputs) facts(output.node).live = true;
    for (NodeId id = static_cast<NodeId>(graph.nodes.size()); id-- > 0;) {
      if (!facts(id).live) continue;
      for (Value input : graph[id].inputs) facts(input.node).live = true;
    }
  }

  // A product reads each element many times: cheap prologues are casts, the rest is in memory.
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
    if (node.op == Op::unfold) {  // windows that overlap
      return number(node, "step") <= (number(node, "size") - 1) * number(node, "dilation");
    }
    return node.op == Op::expand &&
           !same(numel(node.results[0].shape), numel(graph.type(node.inputs[0]).shape));
  }

  // Movement operations hand on what is asked of them.
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
        input.repeated |= info(node.op).kind == OpKind::row;  // whose loop is no vector
      }
    }
  }

  bool same_size(NodeId a, NodeId b) const {
    return same(numel(graph[a].results[0].shape), numel(graph[b].results[0].shape));
  }

  // Returns whether an operand is a reduction or product as large as the node: to have it in memory
  // costs as much as to have the node there. What is one for a row is loaded and computed once.
  bool find_cost(NodeId id) {
    Cost cost = cost_of(graph[id].op);
    cost.rounds = is_floating(graph[id].results[0].dtype);
    bool wide = false;
    for (Value input : graph[id].inputs) {
      const NodeId operand = beneath(graph, input);
      const Op op = graph[operand].op;
      if (op == Op::constant || op == Op::iota) continue;
      const NodeFacts& known = facts(operand);
      wide |= schedule::is_heavy(op) && same_size(id, operand);
      if (is_one_for_a_row(graph, input)) continue;
      cost.loads += known.inlined ? known.cost.loads : 1;
      const bool counts =
          known.cost.loads > 0 || known.cost.rounds || graph[id].results[0].dtype == i64;
      cost.operations += !known.inlined ? 0 : counts ? known.cost.operations : 1;
      cost.dear |= known.inlined && known.cost.dear;
      cost.rounds |= known.inlined && known.cost.rounds;
    }
    facts(id).cost = cost;
    return wide;
  }

  void decide(NodeId id) {
    const bool wide = find_cost(id);
    NodeFacts& known = facts(id);
    if (graph[id].op == Op::concatenate) return decide_parts(id, wide);
    const Cost& cost = known.cost;
    const bool of_positions = cost.loads == 0 && !cost.rounds;
    const std::int32_t most = of_positions ? cheap_without_loads : cheap_cost.operations;
    const bool cheap = !cost.dear && cost.operations <= most && cost.loads <= cheap_cost.loads;
    known.inlined = cheap && narrows_reduction(id);
    if (known.stored || known.inlined) return;
    const bool single = known.uses == 1 && cost.operations <= largest_expression;
    known.inlined = cheap ? known.uses == 1 || !wide : single && !known.repeated;
    known.inlined &= !takes_few(id);
  }

  // Whether `id` takes a small part of what is computed from reductions: there it is one number to
  // keep, elsewhere it is as many as it is computed from.
  bool takes_few(NodeId id) const {
    const Node& node = graph[id];
    if (node.op != Op::gather) return false;
    const NodeId from = beneath(graph, node.inputs[0]);
    if (result.nodes[from].level == 0 || is_heavy(from)) return false;
    const Extent taken = numel(node.results[0].shape);
    return !proven_less(numel(graph[from].results[0].shape), taken * 2);
  }

  // Whether `id` is a cast to 16 bits of a result of reductions: few numbers, which are in memory
  // as precisely as they were computed, beside the cast if that is an output.
  bool narrows_reduction(NodeId id) const {
    const DType from = graph.type(graph[id].inputs[0]).dtype, to = graph[id].results[0].dtype;
    const bool narrows = graph[id].op == Op::cast && (to == f16 || to == bf16) && from == f32;
    if (!narrows || is_written_cast(graph[id])) return false;
    std::vector<NodeId> open{id};
    for (std::size_t i = 0; i < open.size() && i < std::size_t{largest_expression}; ++i) {
      for (Value input : graph[open[i]].inputs) {
        const NodeId operand = beneath(graph, input);
        if (!same_size(id, operand)) continue;
        if (is_reduction(graph[operand].op)) return true;
        if (is_elementwise(graph[operand].op)) open.push_back(operand);
      }
    }
    return false;
  }

  // Readers of a concatenation choose among all of its parts for each element. What costs more
  // than that is in memory, each part written in its place.
  void decide_parts(NodeId id, bool wide) {
    NodeFacts& known = facts(id);
    const Cost& cost = known.cost;
    const bool cheap = !cost.dear && cost.operations <= cheap_cost.operations &&
                       cost.loads <= most_chosen && graph[id].inputs.size() <= most_chosen;
    known.inlined = !known.stored && cheap && (known.uses == 1 || !wide);
    known.in_parts = !known.inlined;
    known.stored |= known.in_parts;
    if (!known.in_parts) return;
    for (Value part : graph[id].inputs) leave_part(stored_node(graph, part));
  }

  // What is made of the result of a reduction or product is left to the kernel of that, which can
  // write it into its place.
  void leave_part(NodeId id) {
    if (facts(id).inlined && reaches_heavy(id)) facts(id).inlined = false;
  }

  bool reaches_heavy(NodeId id) const {
    std::vector<NodeId> open{id};
    for (std::size_t i = 0; i < open.size() && i < std::size_t{largest_expression}; ++i) {
      for (Value input : graph[open[i]].inputs) {
        const NodeId operand = beneath(graph, input);
        if (is_heavy(operand)) return true;
        if (result.nodes[operand].inlined) open.push_back(operand);
      }
    }
    return false;
  }

  bool is_heavy(NodeId id) const {
    return schedule::is_heavy(graph[id].op) || result.nodes[id].in_parts;
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

  // Within a level first numbers, which many need, and last what the next level needs.
  void find_order() {
    for (NodeId id = 0; id < graph.nodes.size(); ++id) {
      const Op op = graph[id].op;
      const bool computed = is_pointwise(op) || is_heavy(id);
      const bool copied = facts(id).stored && op != Op::input;
      if (facts(id).live && (computed || copied)) result.order.push_back(id);
    }
    const auto rank = [&](NodeId id) {
      return 3 * facts(id).level + (is_heavy(id) ? 2 : facts(id).early ? 0 : 1);
    };
    std::stable_sort(result.order.begin(), result.order.end(),
                     [&](NodeId a, NodeId b) { return rank(a) < rank(b); });
  }
};

}  // namespace detail

SINTER_INLINE bool is_pointwise(Op op) {
  return is_elementwise(op) || op == Op::gather || op == Op::concatenate || op == Op::random_bits;
}

SINTER_INLINE bool is_heavy(Op op) {
  return is_reduction(op) || op == Op::dot_general || op == Op::scatter_add ||
         info(op).kind == OpKind::row;
}

SINTER_INLINE NodeId stored_node(const Graph& graph, Value output) {
  NodeId id = output.node;
  while (graph[id].op == Op::reshape) id = graph[id].inputs[0].node;
  return id;
}

SINTER_INLINE NodeId read_node(const Graph& graph, const Node& reader, Value operand) {
  return reader.op == Op::argsort ? stored_node(graph, operand) : beneath(graph, operand);
}

SINTER_INLINE Survey survey(const Graph& graph, std::span<const NodeId> after) {
  detail::Surveyor surveyor{graph, after};
  surveyor.result.nodes.resize(graph.nodes.size());
  surveyor.mark_live();
  surveyor.mark_stored();
  surveyor.count_uses();
  for (NodeId id = 0; id < graph.nodes.size(); ++id) {
    if (!surveyor.facts(id).live) continue;
    surveyor.find_level(id);
    if (is_pointwise(graph[id].op)) surveyor.decide(id);
  }
  detail::compute_again(graph, surveyor.result.nodes);
  surveyor.find_order();
  return std::move(surveyor.result);
}

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
