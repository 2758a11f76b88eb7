#pragma once

#include <algorithm>  // std::max, std::sort
#include <utility>    // std::move

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/dist/collective/rules.hpp>
#include <sinter/dist/parallel/bucket_gradients.hpp>
#include <sinter/dist/parallel/memory_order.hpp>
#include <sinter/dist/parallel/prefetch.hpp>
#include <sinter/graph/builder.hpp>
#include <sinter/graph/control.hpp>
#include <sinter/schedule/control/section.hpp>

namespace sinter::inline SINTER_ABI::detail::parallel {

using collective::Kind;

SINTER_INLINE bool is_of_parameter(const Node& node, Kind kind) {
  const collective::Collective* const found = collective::collective_of(node);
  return found != nullptr && found->is_of_parameter && found->kind == kind;
}

// A reader of a gathered parameter, and which of its copies it reads.
struct GatherReader {
  NodeId node = 0;
  std::int64_t copy = 0;
};

class MemoryOrder {
 public:
  explicit MemoryOrder(const Graph& graph)
      : graph_(graph),
        is_large_(graph.nodes.size(), false),
        gather_of_(graph.nodes.size(), none),
        readers_(graph.nodes.size()),
        moved_(graph.nodes.size(), none),
        is_new_(graph.nodes.size(), false) {
    for (const Kind kind : {Kind::all_gather, Kind::reduce_scatter}) find_large(kind);
    find_readers();
    find_new();
    for (NodeId id = 0; id < size(); ++id) {
      if (!readers_[id].empty()) choose_copies(id);
    }
  }

  Graph run() {
    for (const NodeId input : graph_.inputs) append(input);
    for (const NodeId id : large_scatters()) append_for(id);
    commit();
    for (NodeId id = 0; id < size(); ++id) {
      if (gather_of_[id] == none) append(id);
    }
    for (const Value output : graph_.outputs) result_.outputs.push_back(moved(output, size()));
    result_.tf32 = graph_.tf32;
    return std::move(result_);
  }

 private:
  static constexpr NodeId none = ~NodeId{0};

  NodeId size() const { return static_cast<NodeId>(graph_.nodes.size()); }

  // The number of elements of the whole tensor.
  std::int64_t elements(NodeId id) const {
    const bool is_gather = is_of_parameter(graph_[id], Kind::all_gather);
    const Shape& shape =
        is_gather ? graph_[id].results[0].shape : graph_.type(graph_[id].inputs[0]).shape;
    return shape[0].is_number() ? shape[0].number() : 0;
  }

  void find_large(Kind kind) {
    Vector<std::pair<std::int64_t, NodeId>> list;
    std::int64_t total = 0, small = 0;
    for (NodeId id = 0; id < size(); ++id) {
      if (!is_of_parameter(graph_[id], kind)) continue;
      list.push_back({elements(id), id});
      total += list.back().first;
    }
    std::sort(list.begin(), list.end());
    for (const auto& [count, id] : list) {
      small += count;
      is_large_[id] = small * 32 > total;
    }
  }

  bool is_number(Value value) const { return graph_[value.node].op == Op::constant; }

  // The gather whose elements a node only moves or casts; none for other nodes.
  NodeId moved_gather(const Node& node) const {
    NodeId result = none;
    if (!is_movement(node.op) && node.op != Op::cast) return none;
    for (const Value input : node.inputs) {
      if (is_number(input)) continue;
      if (result != none && result != gather_of_[input.node]) return none;
      result = gather_of_[input.node];
      if (result == none) return none;
    }
    return result;
  }

  void find_readers() {
    for (NodeId id = 0; id < size(); ++id) {
      const Node& node = graph_[id];
      const bool is_gather = is_large_[id] && is_of_parameter(node, Kind::all_gather);
      gather_of_[id] = is_gather ? id : moved_gather(node);
      if (gather_of_[id] != none) continue;
      for (const Value input : node.inputs) add_reader(gather_of_[input.node], id);
    }
    for (const Value output : graph_.outputs) add_reader(gather_of_[output.node], size());
  }

  void add_reader(NodeId gather, NodeId reader) {
    if (gather == none) return;
    Vector<GatherReader>& list = readers_[gather];
    if (list.empty() || list.back().node != reader) list.push_back({reader});
  }

  // Finds the gathers of updated parameters, which are outputs, and the nodes that depend on them.
  void find_new() {
    for (const Value output : graph_.outputs) {
      NodeId id = output.node;
      while (is_movement(graph_[id].op)) id = graph_[id].inputs[0].node;
      if (!is_of_parameter(graph_[id], Kind::all_gather)) continue;
      is_new_[id] = true;
      gathers_.push_back(id);
    }
    for (NodeId id = 0; id < size(); ++id) {
      const auto& inputs = graph_[id].inputs;
      is_new_[id] = is_new_[id] || any_of(inputs, [&](Value input) { return is_new_[input.node]; });
    }
  }

  // Whether the data, or another rank, can make a node fail.
  bool can_fail(const Node& node) const {
    const bool divides = node.op == Op::floor_divide || node.op == Op::remainder;
    return node.op == Op::gather || node.op == Op::scatter_add || is_control(node.op) ||
           (divides && !is_floating(node.results[0].dtype));
  }

  // Appends all nodes that can fail, then a commit for each group.
  void commit() {
    if (gathers_.empty()) return;
    for (NodeId id = 0; id < size(); ++id) {
      const bool is_first = can_fail(graph_[id]) && !is_new_[id] && gather_of_[id] == none;
      if (is_first) append(id);
    }
    Vector<int> groups;
    for (const NodeId id : gathers_) {
      collective::Collective what = *collective::collective_of(graph_[id]);
      if (contains(groups, what.group) || what.on_gpu) continue;  // a GPU loses its results anyway
      groups.push_back(what.group);
      what.kind = Kind::commit;
      what.is_of_parameter = false;
      Node node = collective::node_of(what, {i32, {}});
      node.inputs = {Builder(result_).constant(constant(0, i32), {i32, {}})};
      node.attributes.push_back({"kernel", std::string("call")});
      node.attributes.push_back({schedule::fence_attribute, constant(0)});
      node.attributes.push_back({schedule::commit_attribute, constant(true)});
      result_.append(std::move(node));
    }
  }

  // Readers share a copy unless one depends on another.
  void choose_copies(NodeId gather) {
    Vector<GatherReader>& list = readers_[gather];
    Vector<bool> depends(graph_.nodes.size(), false);  // on a reader of the copy
    std::int64_t copy = 0;
    for (std::size_t i = 0; i < list.size(); ++i) {
      const NodeId reader = list[i].node;
      const bool is_output = reader == size();
      if (i > 0 && (is_output || depends[reader])) {
        ++copy;
        depends = Vector<bool>(graph_.nodes.size(), false);
      }
      list[i].copy = copy;
      if (!is_output) mark_dependent(reader, depends);
    }
  }

  void mark_dependent(NodeId from, Vector<bool>& depends) const {
    depends[from] = true;
    for (NodeId id = from + 1; id < size(); ++id) {
      if (depends[id]) continue;
      depends[id] =
          any_of(graph_[id].inputs, [&](const Value input) { return depends[input.node]; });
    }
  }

  // The large reduce_scatters by depth: those first that can be computed first.
  Vector<NodeId> large_scatters() const {
    Vector<NodeId> result;
    Vector<std::int64_t> depth(graph_.nodes.size(), 0);
    for (NodeId id = 0; id < size(); ++id) {
      for (const Value input : graph_[id].inputs) {
        depth[id] = std::max(depth[id], depth[input.node] + 1);
      }
      if (is_large_[id] && is_of_parameter(graph_[id], Kind::reduce_scatter)) result.push_back(id);
    }
    stable_sort(result, [&](NodeId a, NodeId b) { return depth[a] < depth[b]; });
    return result;
  }

  // Appends a reduce_scatter and only the nodes that it depends on: the update of the optimizer's
  // state comes after it.
  void append_for(NodeId scatter) {
    Vector<bool> needed(graph_.nodes.size(), false);
    needed[scatter] = true;
    bool has_effects = false;  // effects before a needed one are needed too: they stay in order
    for (NodeId id = scatter + 1; id-- > 0;) {
      const Node& node = graph_[id];
      const bool is_effect = has_side_effects(node) && !is_moved(id);
      needed[id] = needed[id] || (is_effect && has_effects);
      if (!needed[id]) continue;
      has_effects = has_effects || is_effect;
      for (const Value input : node.inputs) needed[input.node] = true;
    }
    for (NodeId id = 0; id <= scatter; ++id) {
      if (needed[id] && gather_of_[id] == none) append(id);
    }
  }

  // Whether this rewrite chooses the place of a node.
  bool is_moved(NodeId id) const {
    return is_large_[id] && (is_of_parameter(graph_[id], Kind::all_gather) ||
                             is_of_parameter(graph_[id], Kind::reduce_scatter));
  }

  std::int64_t copy_for(NodeId gather, NodeId reader) const {
    for (const GatherReader& one : readers_[gather]) {
      if (one.node == reader) return one.copy;
    }
    return 0;
  }

  // The value in the result that `reader` reads for `value`.
  Value moved(Value value, NodeId reader) {
    const NodeId gather = gather_of_[value.node];
    if (gather != none) return gathered(value, gather, copy_for(gather, reader));
    append(value.node);
    return {moved_[value.node], value.result};
  }

  // The same in a copy of `gather` and of the nodes that move its elements.
  Value gathered(Value value, NodeId gather, std::int64_t copy) {
    if (is_number(value)) return moved(value, size());
    for (const Copied& known : copies_) {
      if (known.node == value.node && known.copy == copy) return {known.result, value.result};
    }
    Node node = graph_[value.node];
    for (Value& input : node.inputs) {
      input = value.node == gather ? moved(input, gather) : gathered(input, gather, copy);
    }
    if (value.node == gather)
      node.attributes.push_back({schedule::fence_attribute, constant(copy)});
    const NodeId result = result_.append(std::move(node));
    copies_.push_back({value.node, copy, result});
    return {result, value.result};
  }

  void append(NodeId id) {
    if (moved_[id] != none) return;
    Node node = graph_[id];
    for (const bool is_gathered : {false, true}) {  // gathered inputs last: shorter lives
      for (std::size_t i = 0; i < node.inputs.size(); ++i) {
        const Value input = graph_[id].inputs[i];
        const bool is_last = gather_of_[input.node] != none;
        if (is_last == is_gathered) node.inputs[i] = moved(input, id);
      }
    }
    if (is_large_[id]) node.attributes.push_back({schedule::fence_attribute, constant(0)});
    moved_[id] = result_.append(std::move(node));
  }

  struct Copied {
    NodeId node = 0;
    std::int64_t copy = 0;
    NodeId result = 0;
  };

  const Graph& graph_;
  Graph result_{};
  Vector<bool> is_large_;
  Vector<NodeId> gather_of_;              // the gather whose elements a node only moves
  Vector<Vector<GatherReader>> readers_;  // by gather
  Vector<NodeId> moved_;                  // the new id of each node that has no copies
  Vector<bool> is_new_;                   // whether a node depends on updated parameters
  Vector<NodeId> gathers_{};              // of updated parameters
  Vector<Copied> copies_{};
};

SINTER_INLINE Graph order_for_memory(Graph graph) {
  const bool is_sharded = any_of(graph.nodes, [](const Node& node) {
    return is_of_parameter(node, Kind::all_gather) || is_of_parameter(node, Kind::reduce_scatter);
  });
  return is_sharded ? MemoryOrder(graph).run() : graph;
}

SINTER_INLINE Graph rewrite_sharded(Graph graph) {
  return prefetch_parameters(order_for_memory(bucket_gradients(std::move(graph))));
}

}  // namespace sinter::inline SINTER_ABI::detail::parallel
