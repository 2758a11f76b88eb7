#pragma once
// Live-out analysis: what each group has to compute and to store, found from the outputs backwards.

#include <cstdint>  // std::int32_t
#include <utility>  // std::move

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/config.hpp>
#include <sinter/schedule/fuse/groups.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

struct LiveOut {
  /// For each group, ascending: members that it computes; empty if it need not run.
  Vector<Vector<NodeId>> computed{};
  /// For each group, ascending: members that it stores.
  Vector<Vector<NodeId>> stored{};
  Vector<bool> in_memory{};  ///< For each node: stored by its group, or an input.
  Vector<bool> loaded{};     ///< For each node: in memory, and other groups load it.
};

namespace detail {

struct LiveOutAnalysis {
  const Graph& graph;
  const FusionAnalysis& analysis;
  const FusionGroups& groups;
  LiveOut result{};
  Vector<std::int32_t> seen{};  // for each node: the last group that visited it

  std::int32_t group_of(NodeId id) const { return groups.placements[id].group; }

  void store(NodeId id) {
    if (group_of(id) < 0 || result.in_memory[id]) return;
    result.in_memory[id] = true;
    result.stored[group_of(id)].push_back(id);
  }

  // Marks `id` as needed by `group`. True if its operands have to be visited.
  bool visit(NodeId id, std::int32_t group) {
    const bool member = group_of(id) == group;
    if (group_of(id) < 0 || seen[id] == group) return false;
    seen[id] = group;
    const bool loads = result.in_memory[id] && !analysis.nodes[id].inlined;
    if (loads && group_of(id) < group) return false;
    if (member) result.computed[group].push_back(id);
    if (member || analysis.nodes[id].inlined) return true;
    store(id);
    return false;
  }

  void visit_all(std::int32_t group) {
    Vector<NodeId> open = result.stored[group];
    for (const NodeId id : open) visit(id, group);
    while (!open.empty()) {
      const NodeId id = open.back();
      open.pop_back();
      for (const NodeId operand : read_nodes(graph, id)) {
        if (visit(operand, group)) open.push_back(operand);
      }
    }
  }
};

}  // namespace detail

inline LiveOut find_live_out(const Graph& graph, const FusionAnalysis& analysis,
                             const FusionGroups& groups) {
  detail::LiveOutAnalysis finder{graph, analysis, groups};
  const std::size_t count = groups.groups.size();
  finder.result.computed.resize(count);
  finder.result.stored.resize(count);
  finder.result.in_memory.assign(graph.nodes.size(), false);
  finder.seen.assign(graph.nodes.size(), -1);
  for (NodeId id : graph.inputs) finder.result.in_memory[id] = true;
  for (NodeId id = 0; id < graph.nodes.size(); ++id) {
    if (analysis.nodes[id].stored) finder.store(id);
  }
  for (std::size_t i = count; i-- > 0;) finder.visit_all(static_cast<std::int32_t>(i));
  finder.result.loaded = finder.result.in_memory;
  for (NodeId id = 0; id < graph.nodes.size(); ++id) {
    if (analysis.nodes[id].inlined) finder.result.loaded[id] = false;
  }
  for (auto& part : finder.result.computed) stable_sort(part);
  for (auto& part : finder.result.stored) stable_sort(part);
  return std::move(finder.result);
}

/// Whether a reader in `group` loads `node` instead of computing it.
inline bool loads(const LiveOut& live_out, const FusionGroups& groups, NodeId node,
                  std::int32_t group) {
  const std::int32_t owner = groups.placements[node].group;
  return live_out.loaded[node] && (owner < 0 || owner < group);
}

}  // namespace sinter::inline SINTER_ABI::detail::schedule
