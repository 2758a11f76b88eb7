#pragma once

#include <algorithm>  // std::any_of, std::max, std::min
#include <map>        // std::map
#include <set>        // std::set
#include <utility>    // std::pair

#include <sinter/graph/region.hpp>
#include <sinter/jit/member_options.hpp>
#include <sinter/jit/parts.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

namespace detail {

// The region of a node: its own, or that of the first node of its bodies that is in one.
SINTER_INLINE const MemberOptions* options_of(const Node& node) {
  const MemberOptions* result = member_options(node.path);
  for (std::size_t i = 0; result == nullptr && i < node.bodies.size(); ++i) {
    for (const Node& inner : node.bodies[i].nodes) {
      if (result == nullptr) result = options_of(inner);
    }
  }
  return result;
}

SINTER_INLINE void add_regions(Hasher& hasher, const Graph& graph) {
  for (const Node& node : graph.nodes) {
    hasher.add(region_of(node.path));
    for (const Graph& body : node.bodies) add_regions(hasher, body);
  }
}

// Inputs, and what is made of nothing: every part has its own.
SINTER_INLINE bool belongs_everywhere(const Node& node) {
  return node.inputs.size() == 0 && node.bodies.empty();
}

// Finds the part of each node: as late as those that it reads, and after those with other options.
class Cutter {
 public:
  Cutter(const Graph& graph, const LowerOptions& options) : graph_(graph) {
    options_.push_back(options);
    options_.back().has_members = false;
    options_.back().updates.clear();
  }

  Parts cut() {
    number_inputs();
    assign();
    for (NodeId id = 0; id < graph_.nodes.size(); ++id) {
      if (part_[id] != nullptr) add(id);
    }
    Parts result{.values = std::move(values_)};
    for (const Value output : graph_.outputs) result.outputs.push_back(number_.at(key(output)));
    for (auto& [place, draft] : drafts_) result.list.push_back(std::move(draft.part));
    return result;
  }

 private:
  struct Draft {
    Part part{};
    std::map<std::pair<NodeId, std::uint32_t>, Value> local{};  // of values of the whole graph
  };
  using Key = std::pair<NodeId, std::uint32_t>;

  static Key key(Value value) { return {value.node, value.result}; }

  void number_inputs() {
    for (const NodeId input : graph_.inputs) {
      number_[{input, 0}] = values_.size();
      values_.push_back(graph_[input].results[0]);
    }
  }

  // The number of the options of `node` in options_.
  std::size_t kind_of(const Node& node) {
    const MemberOptions* const member = options_of(node);
    if (member == nullptr) return 0;
    const LowerOptions options = with_member_options(options_[0], *member);
    std::size_t kind = 0;
    while (kind < options_.size() && !same_code(options_[kind], options)) ++kind;
    if (kind == options_.size()) options_.push_back(options);
    return kind;
  }

  // What no part needs for itself.
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
      Draft& draft = drafts_[{level_[id], kind_[id]}];
      draft.part.options = options_[kind_[id]];
      draft.part.graph.tf32 = graph_.tf32;
      part_[id] = &draft;
    }
    find_crossing();
  }

  // What is only read by later nodes with the same options moves to the first of them, so that it
  // is fused there.
  void sink() {
    constexpr std::size_t nobody = ~std::size_t{0};
    std::vector<std::size_t> first(graph_.nodes.size(), nobody);  // level of a reader
    std::vector<bool> stays = is_output_;
    for (NodeId id = static_cast<NodeId>(graph_.nodes.size()); id-- > 0;) {
      if (!stays[id] && first[id] != nobody) level_[id] = first[id];
      for (const Value input : graph_[id].inputs) {
        if (kind_[input.node] != kind_[id]) stays[input.node] = true;
        first[input.node] = std::min(first[input.node], level_[id]);
      }
    }
  }

  // The values that leave their part.
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
    Graph& graph = draft.part.graph;
    NodeId id = 0;
    const auto number = number_.find(key(value));
    if (number == number_.end()) {  // what is made of nothing
      id = graph.append(graph_[value.node]);
    } else {
      id = graph.append({.op = Op::input, .results = {graph_.type(value)}});
      draft.part.inputs.push_back(number->second);
    }
    return draft.local[key(value)] = Value(id);
  }

  void add(NodeId id) {
    Draft& draft = *part_[id];
    Node node = graph_[id];
    for (Value& input : node.inputs) input = local(draft, input);
    const auto results = static_cast<std::uint32_t>(node.results.size());
    const NodeId made = draft.part.graph.append(std::move(node));
    for (std::uint32_t result = 0; result < results; ++result) {
      draft.local[{id, result}] = Value(made, result);
      if (leaves_.count({id, result}) == 0) continue;
      number_[{id, result}] = values_.size();
      draft.part.outputs.push_back(values_.size());
      draft.part.graph.outputs.push_back(Value(made, result));
      values_.push_back(graph_.type({id, result}));
    }
  }

  const Graph& graph_;
  std::vector<LowerOptions> options_;
  std::vector<std::size_t> level_, kind_;  // of each node
  std::vector<bool> is_output_;
  std::vector<Draft*> part_;  // of each node; null for what is shared
  std::map<std::pair<std::size_t, std::size_t>, Draft> drafts_;  // by level and options
  std::set<Key> leaves_;                                         // values that leave their part
  std::map<Key, std::size_t> number_;
  std::vector<TensorType> values_;
};

// Where the values of one run of parts are.
class PartsRun {
 public:
  PartsRun(const Parts& parts, std::span<void* const> inputs, std::span<void* const> outputs,
           std::span<const std::int64_t> symbols, std::span<const Storage* const> kept_from)
      : parts_(parts), outputs_(outputs), symbols_(symbols) {
    memory_.resize(parts.values.size()), storages_.resize(parts.values.size());
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      memory_[i] = inputs[i];
      if (i < kept_from.size()) storages_[i] = kept_from[i];
    }
    owned_.resize(parts.values.size());
  }

  void run(const Part& part, Device device, Where where) {
    Memory memory;
    memory.where = where;
    bool is_kept = true;
    for (const std::size_t value : part.inputs) memory.inputs.push_back(memory_[value]);
    for (const std::int32_t input : part.runnable.program->kept_inputs()) {
      memory.kept_from.push_back(storages_[part.inputs[static_cast<std::size_t>(input)]]);
      is_kept = is_kept && memory.kept_from.back() != nullptr;
    }
    if (device.is_cpu() && !is_kept) memory.kept_from.clear();  // nothing is kept for this call
    for (const std::size_t value : part.outputs) {
      owned_[value] = Storage::allocate(bytes(value), device, where, "a value between members");
      memory_[value] = owned_[value].data();
      if (device.is_cuda()) storages_[value] = &owned_[value];
      memory.owned.push_back(owned_[value]);
      memory.outputs.push_back(memory_[value]);
    }
    execute(part.runnable, {}, symbols_, memory);
  }

  // Last: an output may be given the memory of an input that it updates.
  void copy_outputs(Device device) const {
    for (std::size_t i = 0; i < outputs_.size(); ++i) {
      const std::size_t value = parts_.outputs[i], size = bytes(value);
      if (size != 0) copy_memory(device, outputs_[i], memory_[value], size);
    }
  }

 private:
  std::size_t bytes(std::size_t value) const {
    return static_cast<std::size_t>(bytes_of(parts_.values[value], symbols_));
  }

  const Parts& parts_;
  std::span<void* const> outputs_;
  std::span<const std::int64_t> symbols_;
  std::vector<void*> memory_;
  std::vector<const Storage*> storages_;  // null for what no program keeps something of
  std::vector<Storage> owned_;
};

}  // namespace detail

SINTER_INLINE bool has_parts(const Graph& graph, const LowerOptions& options) {
  return options.has_members &&
         std::any_of(graph.nodes.begin(), graph.nodes.end(), [&](const Node& node) {
           const MemberOptions* const member = detail::options_of(node);
           return member != nullptr && !same_code(options, with_member_options(options, *member));
         });
}

SINTER_INLINE Parts parts_of(const Graph& graph, const LowerOptions& options) {
  return detail::Cutter(graph, options).cut();
}

SINTER_INLINE Lowered lower_parts(const Graph& graph, const LowerOptions& options) {
  auto parts = std::make_shared<Parts>(parts_of(graph, options));
  Lowered result;
  for (Part& part : parts->list) {
    Lowered lowered = lower(part.graph, part.options);
    part.runnable = runnable_of(part.graph, {}, std::move(lowered.program), lowered.symbols);
    result.work.compiler_runs += lowered.work.compiler_runs;
    result.work.kernels_compiled += lowered.work.kernels_compiled;
    result.work.disk_hits += lowered.work.disk_hits;
    result.work.seconds += lowered.work.seconds;
  }
  result.program = std::make_shared<const Program>(graph, std::move(parts), options.device);
  return result;
}

SINTER_INLINE Program::Program(Graph graph, std::shared_ptr<const Parts> parts, Device device)
    : graph_(std::move(graph)), parts_(std::move(parts)), device_(device) {
  for (std::size_t i = 0; i < graph_.inputs.size(); ++i) {
    all_inputs_.push_back(static_cast<std::int32_t>(i));
  }
}

SINTER_INLINE std::vector<const Runnable*> Program::parts() const {
  std::vector<const Runnable*> result;
  if (parts_ == nullptr) return result;
  for (const Part& part : parts_->list) result.push_back(&part.runnable);
  return result;
}

SINTER_INLINE bool Program::is_interpreted() const {
  if (parts_ == nullptr) return plan() == nullptr;
  return std::any_of(parts_->list.begin(), parts_->list.end(), [](const Part& part) {
    return part.options.backend == Backend::fused && part.runnable.program->is_interpreted();
  });
}

SINTER_INLINE void Program::run_parts(std::span<void* const> inputs, std::span<void* const> outputs,
                                      std::span<const std::int64_t> symbols, Where where,
                                      std::span<const Storage* const> kept_from) const {
  detail::PartsRun run(*parts_, inputs, outputs, symbols, kept_from);
  for (const Part& part : parts_->list) run.run(part, device_, where);
  run.copy_outputs(device_);
}

}  // namespace sinter::inline SINTER_ABI::detail::jit
