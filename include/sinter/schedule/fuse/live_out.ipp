#pragma once

#include <algorithm>  // std::sort
#include <utility>    // std::move

#include <sinter/schedule/fuse/live_out.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

namespace detail {

struct Demander {
  const Graph& graph;
  const Survey& survey;
  const Clusters& clusters;
  Demand result{};
  std::vector<std::int32_t> seen{};  // the last cluster that visited a node

  std::int32_t home(NodeId id) const { return clusters.placements[id].cluster; }

  void store(NodeId id) {
    if (home(id) < 0 || result.in_memory[id]) return;
    result.in_memory[id] = true;
    result.stored[static_cast<std::size_t>(home(id))].push_back(id);
  }

  // Asks for `id` on behalf of `cluster`; true if its operands are to be visited.
  bool visit(NodeId id, std::int32_t cluster) {
    const bool member = home(id) == cluster;
    if (home(id) < 0 || seen[id] == cluster) return false;
    seen[id] = cluster;
    const bool loads = result.in_memory[id] && !survey.nodes[id].inlined;
    if (loads && home(id) < cluster) return false;
    if (member) result.computed[static_cast<std::size_t>(cluster)].push_back(id);
    if (member || survey.nodes[id].inlined) return true;
    store(id);
    return false;
  }

  void visit_all(std::int32_t cluster) {
    std::vector<NodeId> open = result.stored[static_cast<std::size_t>(cluster)];
    for (const NodeId id : open) visit(id, cluster);
    while (!open.empty()) {
      const NodeId id = open.back();
      open.pop_back();
      const auto ask = [&](NodeId operand) {
        if (visit(operand, cluster)) open.push_back(operand);
      };
      if (is_movement(graph[id].op)) {
        ask(beneath(graph, id));
        continue;
      }
      for (Value input : graph[id].inputs) ask(read_node(graph, graph[id], input));
    }
  }
};

}  // namespace detail

SINTER_INLINE Demand demand(const Graph& graph, const Survey& survey, const Clusters& clusters) {
  detail::Demander demander{graph, survey, clusters};
  const std::size_t count = clusters.clusters.size();
  demander.result.computed.resize(count);
  demander.result.stored.resize(count);
  demander.result.in_memory.assign(graph.nodes.size(), false);
  demander.seen.assign(graph.nodes.size(), -1);
  for (NodeId id : graph.inputs) demander.result.in_memory[id] = true;
  for (NodeId id = 0; id < graph.nodes.size(); ++id) {
    if (survey.nodes[id].stored) demander.store(id);
  }
  for (std::size_t i = count; i-- > 0;) demander.visit_all(static_cast<std::int32_t>(i));
  demander.result.loaded = demander.result.in_memory;
  for (NodeId id = 0; id < graph.nodes.size(); ++id) {
    if (survey.nodes[id].inlined) demander.result.loaded[id] = false;
  }
  for (auto& part : demander.result.computed) std::sort(part.begin(), part.end());
  for (auto& part : demander.result.stored) std::sort(part.begin(), part.end());
  return std::move(demander.result);
}

SINTER_INLINE bool loads(const Demand& demand, const Clusters& clusters, NodeId node,
                         std::int32_t cluster) {
  const std::int32_t home = clusters.placements[node].cluster;
  return demand.loaded[node] && (home < 0 || home < cluster);
}

}  // namespace sinter::inline SINTER_ABI::detail::schedule
