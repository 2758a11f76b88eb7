#pragma once

#include <algorithm>      // std::all_of, std::any_of, std::find, std::min
#include <unordered_map>  // std::unordered_map
#include <utility>        // std::pair

#include <sinter/schedule/fuse/merge.hpp>
#include <sinter/symbol/extent/proof.hpp>
#include <sinter/symbol/solve/variables.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

namespace detail {

inline constexpr std::size_t most_merged_members = 64;
inline constexpr std::ptrdiff_t most_siblings = 4;
// How many readers that are inlined are followed.
inline constexpr std::size_t most_traced = 256;

struct Merger {
  const Graph& graph;
  Clusters& clusters;
  const Demand& demand;
  std::vector<std::vector<Reading>> read{};          // by each cluster
  std::vector<std::vector<std::int32_t>> readers{};  // of each cluster, others than itself
  std::unordered_map<NodeId, std::vector<std::int32_t>> loaded_by{};
  bool moved = false;

  Cluster& at(std::int32_t id) { return clusters.clusters[static_cast<std::size_t>(id)]; }
  std::int32_t home(NodeId id) const { return clusters.placements[id].cluster; }

  void find_readers() {
    const auto count = static_cast<std::int32_t>(clusters.clusters.size());
    read.resize(clusters.clusters.size());
    readers.resize(clusters.clusters.size());
    for (std::int32_t id = 0; id < count; ++id) {
      read[static_cast<std::size_t>(id)] = readings(graph, clusters, demand, id);
      for (const Reading& reading : read[static_cast<std::size_t>(id)]) {
        auto& list = loaded_by[reading.node];
        if (list.empty() || list.back() != id) list.push_back(id);
        if (home(reading.node) < 0) continue;  // an input
        readers[static_cast<std::size_t>(home(reading.node))].push_back(id);
      }
    }
  }

  bool is_read_before(std::int32_t of, std::int32_t to) const {
    const auto& list = readers[static_cast<std::size_t>(of)];
    return std::any_of(list.begin(), list.end(), [&](std::int32_t reader) { return reader < to; });
  }

  // What the ranges of `from` are in `to`; nothing if the two run over different points.
  bool find_ranges(const Cluster& from, const Cluster& to,
                   std::vector<std::pair<Extent, Extent>>& ranges) const {
    if (is_alone(from.kind) || is_alone(to.kind) || to.kind == ClusterKind::scan) return false;
    if (from.kind == ClusterKind::product) return false;
    // A product computes its points in tiles, not in chunks.
    if (to.kind == ClusterKind::product && !same(from.chunks, 0)) return false;
    const bool alike =
        from.kind == to.kind && same(from.space, to.space) && from.reduced == to.reduced;
    const bool grid = from.kind == ClusterKind::pointwise && same(from.space, grid_shape(to));
    if (!alike && !grid) return false;
    const Index target = alike ? to.ranges : grid_ranges(to);
    for (int i = 0; i < target.size(); ++i) {
      if (!from.ranges[i].is_number()) ranges.push_back({from.ranges[i], target[i]});
    }
    return true;
  }

  Index renamed(Index index, const std::vector<std::pair<Extent, Extent>>& ranges) const {
    for (int i = 0; i < index.size(); ++i) index[i] = substitute(index[i], ranges);
    return index;
  }

  // Whether every operand of the reader that is the node is just the element computed in `from`.
  bool reads_in_place(const Reading& reading, std::int32_t to,
                      const std::vector<std::pair<Extent, Extent>>& ranges) const {
    if (home(reading.reader) != to) return traces_in_place(reading.node, to, ranges);
    // A partial result reads what another cluster made of the node.
    if (clusters.partials.count(reading.reader) != 0) return false;
    const Node& node = graph[reading.reader];
    const Op op = node.op;
    const bool elsewhere = op == Op::gather || op == Op::concatenate || op == Op::dot_general;
    if (elsewhere || is_movement(op)) return false;
    const Placement& place = clusters.placements[reading.reader];
    const Index& index = is_reduction(node.op) ? place.reads : place.index;
    const Index expected = renamed(clusters.placements[reading.node].index, ranges);
    return std::all_of(node.inputs.begin(), node.inputs.end(), [&](Value input) {
      if (beneath(graph, input) != reading.node) return true;
      const bool scalar = graph.type(input).shape.empty();
      const Position found = element(graph, input, scalar ? Index() : index);
      return found.node == reading.node && same(found.index, expected);
    });
  }

  // The same for readers that are inlined: from each member of `to` down to the node.
  bool traces_in_place(NodeId node, std::int32_t to,
                       const std::vector<std::pair<Extent, Extent>>& ranges) const {
    const Index expected = renamed(clusters.placements[node].index, ranges);
    std::vector<Position> open;
    const auto ask = [&](Value value, const Index& index) {
      const NodeId below = beneath(graph, value);
      const bool inlined =
          home(below) >= 0 && home(below) != to && !loads(demand, clusters, below, to);
      if (below != node && !inlined) return true;
      const Position found = element(graph, value, index);
      if (found.node != below) return false;  // within a pad
      if (below != node) open.push_back(found);
      return below != node || same(found.index, expected);
    };
    const auto ask_operands = [&](NodeId reader, const Index& index) {
      const Node& asking = graph[reader];
      const bool in_place = is_elementwise(asking.op) || is_reduction(asking.op);
      return in_place && std::all_of(asking.inputs.begin(), asking.inputs.end(), [&](Value input) {
               return ask(input, graph.type(input).shape.empty() ? Index() : index);
             });
    };
    for (const NodeId member : demand.computed[static_cast<std::size_t>(to)]) {
      const Placement& place = clusters.placements[member];
      const auto partial = clusters.partials.find(member);
      const bool fits =
          partial != clusters.partials.end()
              ? ask(partial->second.operand, place.reads)
              : ask_operands(member, is_reduction(graph[member].op) ? place.reads : place.index);
      if (!fits) return false;
    }
    for (std::size_t steps = 0; !open.empty(); ++steps) {
      const Position at = open.back();
      open.pop_back();
      if (steps == most_traced || !ask_operands(at.node, at.index)) return false;
    }
    return true;
  }

  void move(std::int32_t from, std::int32_t to,
            const std::vector<std::pair<Extent, Extent>>& ranges) {
    for (const NodeId member : at(from).members) {
      Placement& place = clusters.placements[member];
      place = {to, renamed(place.index, ranges), renamed(place.reads, ranges)};
      at(to).members.push_back(member);
    }
    if (same(at(to).chunks, 0)) at(to).chunks = at(from).chunks;
    at(from).members.clear();
    for (const std::int32_t reader : readers[static_cast<std::size_t>(from)]) {
      if (reader != to) readers[static_cast<std::size_t>(to)].push_back(reader);
    }
    moved = true;
  }

  // Whether there is memory for the partial results of both.
  bool combines_both(std::int32_t from, std::int32_t to) const {
    if (clusters.most_combined == unbounded) return true;
    return proven_less_equal(
        combined_bytes(graph, clusters, from) + combined_bytes(graph, clusters, to),
        clusters.most_combined);
  }

  void try_move(std::int32_t from, std::int32_t to) {
    if (from < 0 || from >= to || is_read_before(from, to)) return;
    std::vector<std::pair<Extent, Extent>> ranges;
    const bool fits = at(from).members.size() + at(to).members.size() <= most_merged_members;
    const Extent chunks = at(from).chunks, others = at(to).chunks;
    if (!same(chunks, 0) && !same(others, 0) && !same(chunks, others)) return;
    if (!same(chunks, 0) && !combines_both(from, to)) return;
    if (!fits || at(from).members.empty() || !find_ranges(at(from), at(to), ranges)) return;
    for (const Reading& reading : read[static_cast<std::size_t>(to)]) {
      if (home(reading.node) == from && !reads_in_place(reading, to, ranges)) return;
    }
    move(from, to, ranges);
  }

  void merge() {
    find_readers();
    for (std::int32_t to = 0; to < static_cast<std::int32_t>(read.size()); ++to) {
      for (const Reading& reading : read[static_cast<std::size_t>(to)]) {
        try_move(home(reading.node), to);
      }
      for (const Reading& reading : read[static_cast<std::size_t>(to)]) {
        move_siblings(reading.node, to);
      }
    }
  }

  // Earlier clusters over the same space that load `node`, if that is as large as the space.
  void move_siblings(NodeId node, std::int32_t to) {
    if (!same(numel(graph[node].results[0].shape), numel(at(to).space))) return;
    const auto& list = loaded_by[node];
    const auto self = std::find(list.begin(), list.end(), to);
    const auto tried = std::min<std::ptrdiff_t>(most_siblings, self - list.begin());
    for (auto other = self - tried; other != self; ++other) {
      if (same(at(*other).space, at(to).space)) try_move(*other, to);
    }
  }
};

}  // namespace detail

SINTER_INLINE std::vector<Reading> readings(const Graph& graph, const Clusters& clusters,
                                            const Demand& demand, std::int32_t cluster) {
  std::vector<Reading> result;
  std::vector<NodeId> open = demand.computed[static_cast<std::size_t>(cluster)];
  const auto visit = [&](NodeId reader, NodeId operand) {
    const std::int32_t home = clusters.placements[operand].cluster;
    if (graph[operand].op == Op::input) return result.push_back({operand, reader});
    if (home < 0 || home == cluster) return;
    if (loads(demand, clusters, operand, cluster)) return result.push_back({operand, reader});
    open.push_back(operand);  // inlined
  };
  while (!open.empty()) {
    const NodeId id = open.back();
    open.pop_back();
    if (is_movement(graph[id].op)) {
      visit(id, beneath(graph, id));
      continue;
    }
    for (Value input : graph[id].inputs) visit(id, read_node(graph, graph[id], input));
  }
  return result;
}

SINTER_INLINE bool merge_clusters(const Graph& graph, Clusters& clusters, const Demand& demand) {
  detail::Merger merger{graph, clusters, demand};
  merger.merge();
  return merger.moved;
}

}  // namespace sinter::inline SINTER_ABI::detail::schedule
