#pragma once

#include <algorithm>  // std::max, std::min
#include <utility>    // std::pair

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/shared_ptr.hpp>
#include <sinter/base/container/sorted_map.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/graph/region.hpp>
#include <sinter/jit/lower/lower.hpp>
#include <sinter/jit/lower/options.hpp>
#include <sinter/jit/lower/partition.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

namespace detail {

// The options of a node's region, or of the first node in its bodies that is in a region.
SINTER_INLINE const MemberOptions* options_of(const Node& node) {
  const MemberOptions* result = member_options(node.path);
  for (std::size_t i = 0; result == nullptr && i < node.bodies.size(); ++i) {
    for (const Node& inner : node.bodies[i].nodes) {
      if (result == nullptr) result = options_of(inner);
    }
  }
  return result;
}

// True if the node, or one in its bodies, is among the operations that are interpreted by name.
SINTER_INLINE bool is_interpreted_by_name(const Node& node, const LowerOptions& options) {
  if (options.interpreted.empty()) return false;
  for (const std::string& name : options.interpreted) {
    if (info(node.op).name == name || called_function(node).name == name) return true;
  }
  return any_of(node.bodies, [&](const Graph& body) {
    return any_of(body.nodes,
                  [&](const Node& inner) { return is_interpreted_by_name(inner, options); });
  });
}

SINTER_INLINE void add_operation_names(SortedSet<std::string>& names, const Graph& graph) {
  for (const Node& node : graph.nodes) {
    if (info(node.op).kind == OpKind::leaf) continue;
    names.insert(std::string(info(node.op).name));
    names.insert(called_function(node).name);
    for (const Graph& body : node.bodies) add_operation_names(names, body);
  }
}

SINTER_INLINE void add_regions(Hasher& hasher, const Graph& graph) {
  for (const Node& node : graph.nodes) {
    hasher.add(region_of(node.path));
    for (const Graph& body : node.bodies) add_regions(hasher, body);
  }
}

// Inputs and nodes without operands: every partition has its own copy.
SINTER_INLINE bool belongs_everywhere(const Node& node) {
  return node.inputs.size() == 0 && node.bodies.empty();
}

// Assigns each node to a partition: not before the nodes that it reads, and after those of them
// that have other options.
class Partitioner {
 public:
  Partitioner(const Graph& graph, const LowerOptions& options) : graph_(graph) {
    options_.push_back(options);
    options_.back().has_members = false;
    options_.back().updates.clear();
  }

  PartitionedGraph cut() {
    number_inputs();
    assign();
    for (NodeId id = 0; id < graph_.nodes.size(); ++id) {
      if (part_[id] != nullptr) add(id);
    }
    PartitionedGraph result{.values = std::move(values_)};
    for (const Value output : graph_.outputs) result.outputs.push_back(number_.at(key(output)));
    for (auto& [place, draft] : partitions_) result.list.push_back(std::move(draft.partition));
    return result;
  }

 private:
  struct Draft {
    Partition partition{};
    SortedMap<std::pair<NodeId, std::uint32_t>, Value> local{};  // of values of the whole graph
  };
  using Key = std::pair<NodeId, std::uint32_t>;

  static Key key(Value value) { return {value.node, value.result}; }

  void number_inputs() {
    for (const NodeId input : graph_.inputs) {
      number_[{input, 0}] = values_.size();
      values_.push_back(graph_[input].results[0]);
    }
  }

  // The index of the options of `node` in options_.
  std::size_t kind_of(const Node& node) {
    const bool is_interpreted = is_interpreted_by_name(node, options_[0]);
    const MemberOptions* const member = options_of(node);
    if (member == nullptr && !is_interpreted) return 0;
    LowerOptions options =
        member == nullptr ? options_[0] : with_member_options(options_[0], *member);
    if (is_interpreted) options.backend = Backend::eager, options.custom = nullptr;
    std::size_t kind = 0;
    while (kind < options_.size() && !same_code(options_[kind], options)) ++kind;
    if (kind == options_.size()) options_.push_back(options);
    return kind;
  }

  // True if the node belongs to no partition in particular.
  bool is_shared(NodeId id) const {
    const Node& node = graph_[id];
    return node.op == Op::input || (belongs_everywhere(node) && !is_output_[id]);
  }

  void assign() {
    const std::size_t size = graph_.nodes.size();
    level_.resize(size), kind_.resize(size), is_output_.resize(size), part_.resize(size);
    for (const Value output : graph_.outputs) is_output_[output.node] = true;
    for (NodeId id = 0; id < size; ++id) {
      const Node& node = graph_[id];
      kind_[id] = belongs_everywhere(node) ? 0 : kind_of(node);
      for (const Value input : node.inputs) {
        if (is_shared(input.node)) continue;
        const std::size_t after = kind_[input.node] != kind_[id] ? 1 : 0;
        level_[id] = std::max(level_[id], level_[input.node] + after);
      }
    }
    sink();
    for (NodeId id = 0; id < size; ++id) {
      if (is_shared(id)) continue;
      Draft& draft = partitions_[{level_[id], kind_[id]}];
      draft.partition.options = options_[kind_[id]];
      draft.partition.graph.tf32 = graph_.tf32;
      part_[id] = &draft;
    }
    find_crossing();
  }

  // Moves nodes that are read only by later nodes with the same options to the first of these, so
  // that they are fused there.
  void sink() {
    constexpr std::size_t nobody = ~std::size_t{0};
    Vector<std::size_t> first(graph_.nodes.size(), nobody);  // level of a reader
    Vector<bool> stays = is_output_;
    for (NodeId id = static_cast<NodeId>(graph_.nodes.size()); id-- > 0;) {
      if (!stays[id] && first[id] != nobody) level_[id] = first[id];
      for (const Value input : graph_[id].inputs) {
        if (kind_[input.node] != kind_[id]) stays[input.node] = true;
        first[input.node] = std::min(first[input.node], level_[id]);
      }
    }
  }

  // Finds the values that other partitions read, and the outputs.
  void find_crossing() {
    for (NodeId id = 0; id < graph_.nodes.size(); ++id) {
      for (const Value input : graph_[id].inputs) {
        const bool crosses = part_[input.node] != nullptr && part_[input.node] != part_[id];
        if (crosses) leaves_.insert(key(input));
      }
    }
    for (const Value output : graph_.outputs) leaves_.insert(key(output));
  }

  // `value` in the graph of `draft`.
  Value local(Draft& draft, Value value) {
    const auto known = draft.local.find(key(value));
    if (known != draft.local.end()) return known->second;
    Graph& graph = draft.partition.graph;
    NodeId id = 0;
    const auto number = number_.find(key(value));
    if (number == number_.end()) {  // a node without operands
      id = graph.append(Node(graph_[value.node]));
    } else {
      id = graph.append({.op = Op::input, .results = {graph_.type(value)}});
      draft.partition.inputs.push_back(number->second);
    }
    return draft.local[key(value)] = Value(id);
  }

  void add(NodeId id) {
    Draft& draft = *part_[id];
    Node node = graph_[id];
    for (Value& input : node.inputs) input = local(draft, input);
    const auto results = static_cast<std::uint32_t>(node.results.size());
    const NodeId made = draft.partition.graph.append(std::move(node));
    for (std::uint32_t result = 0; result < results; ++result) {
      draft.local[{id, result}] = Value(made, result);
      if (leaves_.count({id, result}) == 0) continue;
      number_[{id, result}] = values_.size();
      draft.partition.outputs.push_back(values_.size());
      draft.partition.graph.outputs.push_back(Value(made, result));
      values_.push_back(graph_.type({id, result}));
    }
  }

  const Graph& graph_;
  Vector<LowerOptions> options_;
  Vector<std::size_t> level_, kind_;  // of each node
  Vector<bool> is_output_;
  Vector<Draft*> part_;  // of each node; null for what is shared
  SortedMap<std::pair<std::size_t, std::size_t>, Draft> partitions_;  // by level and options
  SortedSet<Key> leaves_;  // values that leave their partition
  SortedMap<Key, std::size_t> number_;
  Vector<TensorType> values_;
};

}  // namespace detail

SINTER_INLINE bool needs_partition(const Graph& graph, const LowerOptions& options) {
  return options.has_members && any_of(graph.nodes, [&](const Node& node) {
           const MemberOptions* const member = detail::options_of(node);
           if (detail::is_interpreted_by_name(node, options)) return true;
           return member != nullptr && !same_code(options, with_member_options(options, *member));
         });
}

SINTER_INLINE std::string unused_names(const Graph& graph, const LowerOptions& options) {
  SortedSet<std::string> known;
  detail::add_operation_names(known, graph);
  std::string unused, all;
  for (const std::string& name : options.interpreted) {
    if (known.count(name) == 0) unused += text(unused.empty() ? "" : ", ", name);
  }
  if (unused.empty()) return {};
  for (const std::string& name : known) all += text(all.empty() ? "" : ", ", name);
  return text("interpret names ", unused, ", which no operation of the graph is; it has ", all);
}

SINTER_INLINE PartitionedGraph partition(const Graph& graph, const LowerOptions& options) {
  return detail::Partitioner(graph, options).cut();
}

SINTER_INLINE LoweredProgram lower_partitions(const Graph& graph, const LowerOptions& options) {
  auto partitions = make_shared_ptr<PartitionedGraph>(partition(graph, options));
  LoweredProgram result;
  for (Partition& partition : partitions->list) {
    LoweredProgram lowered = lower(partition.graph, partition.options);
    partition.runnable =
        runnable_of(partition.graph, {}, std::move(lowered.program), lowered.symbols);
    result.work.compiler_runs += lowered.work.compiler_runs;
    result.work.kernels_compiled += lowered.work.kernels_compiled;
    result.work.disk_hits += lowered.work.disk_hits;
    result.work.seconds += lowered.work.seconds;
  }
  result.program = make_shared_ptr<const Program>(graph, std::move(partitions), options.device);
  return result;
}

}  // namespace sinter::inline SINTER_ABI::detail::jit
