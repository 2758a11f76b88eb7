#pragma once

#include <algorithm>  // std::all_of, std::find, std::min
#include <limits>     // std::numeric_limits
#include <utility>    // std::move
#include <vector>     // std::vector

#include <sinter/schedule/fuse/axes.hpp>
#include <sinter/schedule/fuse/builder.hpp>
#include <sinter/schedule/fuse/gather.hpp>
#include <sinter/schedule/fuse/partial_reductions.hpp>
#include <sinter/schedule/fuse/segmented_reduction.hpp>
#include <sinter/symbol/extent/proof.hpp>
#include <sinter/symbol/solve/variables.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule::detail {

// So many results for all rows are worth little memory.
inline constexpr std::int64_t most_nested_results = 4096;
// Parts of rows are no shorter than this, unless all rows are short: a loop goes over each.
inline constexpr std::int64_t shortest_part = 64, most_short_elements = 65536;

struct Nester {
  static constexpr std::int32_t last = std::numeric_limits<std::int32_t>::max();

  struct Parts {
    std::int32_t cluster = 0;
    std::vector<NodeId> moved{}, left{};
  };

  Clusterer& clusterer;
  std::vector<std::vector<NodeId>> readers{};  // of each node

  const Graph& graph() const { return clusterer.graph; }

  void find_readers() {
    readers.resize(graph().nodes.size());
    for (const NodeId id : clusterer.survey.order) {
      for (const NodeId operand : clusterer.operands(id)) readers[operand].push_back(id);
    }
  }

  // The first cluster that reads `id`, perhaps for what it computes of it in passing; what is
  // `left` does not count.
  std::int32_t first_reader(NodeId id, const std::vector<NodeId>& left) const {
    std::int32_t result = last;
    for (const NodeId reader : readers[id]) {
      if (std::find(left.begin(), left.end(), reader) != left.end()) continue;
      const std::int32_t first = clusterer.survey.nodes[reader].inlined ? first_reader(reader, left)
                                                                        : clusterer.home(reader);
      result = std::min(result, first);
    }
    return result;
  }

  bool can_move(NodeId id) const {
    const Node& node = graph()[id];
    const bool combines = is_reduction(node.op) && node.op != Op::argmax;
    if (!combines || clusterer.result.partials.count(id) != 0) return false;
    if (clusterer.shape(id).empty()) return false;  // a total, which waits for others
    const DType dtype = node.results[0].dtype;
    const Extent results = numel(node.results[0].shape);
    return is_floating(dtype) && computed_in(dtype) == dtype && results.is_number() &&
           results.number() <= most_nested_results;
  }

  // What `cluster` computes for others, if these are such reductions, and numbers made of them.
  Parts parts_of(std::int32_t cluster) const {
    Parts result{cluster};
    const Cluster& known = clusterer.result.clusters[static_cast<std::size_t>(cluster)];
    if (known.kind != ClusterKind::rows || !same(known.chunks, 0)) return result;
    for (const NodeId member : known.members) {
      const NodeFacts& facts = clusterer.survey.nodes[member];
      if (facts.inlined && !facts.stored) continue;
      const bool moves = can_move(member);
      const bool made = is_elementwise(graph()[member].op) &&
                        same(numel(clusterer.shape(member)), numel(grid_shape(known)));
      if (!moves && !made) return Parts{cluster};
      (moves ? result.moved : result.left).push_back(member);
    }
    return result;
  }

  // Whether what is left can run behind `to`.
  bool can_follow(const Parts& parts, std::int32_t to) const {
    if (to < parts.cluster) return true;
    return std::all_of(parts.left.begin(), parts.left.end(),
                       [&](NodeId id) { return first_reader(id, parts.left) == last; });
  }

  // The clusters that compute, or load, what `id` is reduced from.
  std::vector<std::int32_t> candidates(NodeId id) const {
    std::vector<std::int32_t> result;
    std::vector<NodeId> open{beneath(graph(), graph()[id].inputs[0])};
    for (std::size_t i = 0; i < open.size() && i < most_members; ++i) {
      const std::int32_t home = clusterer.home(open[i]);
      const auto& known = clusterer.readers[open[i]];
      for (std::size_t k = 0; k < std::min(known.size(), most_tried); ++k) {
        result.push_back(known[known.size() - 1 - k]);
      }
      if (home == nowhere || !clusterer.survey.nodes[open[i]].inlined) {
        if (home != nowhere) result.push_back(home);
        continue;
      }
      const std::vector<NodeId> operands = clusterer.operands(open[i]);
      open.insert(open.end(), operands.begin(), operands.end());
    }
    std::sort(result.begin(), result.end());
    result.erase(std::unique(result.begin(), result.end()), result.end());
    return result;
  }

  // Whether the results of `id`, reduced over the rows of `cluster` that `index` has, are those of
  // its points one after the other, several for each.
  bool fits(NodeId id, const Cluster& cluster, const Index& index) const {
    const std::uint32_t axes = mask_of(numbers(graph()[id], "axes"));
    const Coverage found(cluster, index, axes);
    const std::uint32_t grid = looped_axes(cluster) & ~cluster.reduced;
    if ((found.reduced & found.kept) != 0 || !std::has_single_bit(grid)) return false;
    if ((found.reduced & ~cluster.reduced) != 0 || (grid & ~found.kept) != 0) return false;
    const Shape& shape = graph().type(graph()[id].inputs[0]).shape;
    const Extent kept = linear(other_axes(index, axes), other_axes(shape, axes));
    const Extent point = cluster.ranges[std::countr_zero(grid)];
    const Extent results = numel(graph()[id].results[0].shape);
    if (!proven_divisible(results, point.range_extent())) return false;
    const Extent each = floor_div(results, point.range_extent()), rest = without(kept, point);
    const auto step = coefficient_of(kept, point);
    if (!step || !same(*step, each) || !proven_less(rest, each) || !proven_ge0(rest)) return false;
    return last_run(looped_axes(cluster), found.reduced) == found.reduced && is_long(id);
  }

  bool is_long(NodeId id) const {
    const Extent elements = numel(graph().type(graph()[id].inputs[0]).shape);
    if (!elements.is_number() || elements.number() <= most_short_elements) return true;
    return elements.number() >= shortest_part * numel(graph()[id].results[0].shape).number();
  }

  struct Move {
    NodeId id = 0;
    Index reads{};
    bool whole = false;  // rows, as all that the cluster reduces
  };

  bool reads(NodeId id, const Index& index, std::int32_t cluster) const {
    RowReader reader{clusterer, cluster};
    return reader.reads(graph()[id].inputs[0], index);
  }

  // The cluster with an axis in two, such that `index` does not go along parts of it.
  bool divide(Cluster& cluster, Replacements& values, const Index& index,
              std::uint32_t axes) const {
    const Coverage found(cluster, index, axes);
    const std::uint32_t both = found.reduced & found.kept;
    if (!std::has_single_bit(both) || cluster.space.size() == max_rank) return false;
    const int axis = std::countr_zero(both);
    for (const Extent extent : divisors_of(cluster, axis, index)) {
      Replacements tried;
      Cluster result = divided(cluster, axis, extent, tried);
      const Coverage again(result, replaced(index, tried), axes);
      if ((again.reduced & again.kept) != 0) continue;
      values = std::move(tried);
      cluster = std::move(result);
      return true;
    }
    return false;
  }

  bool try_move(const Parts& parts, std::int32_t to) {
    Cluster cluster = clusterer.at(to);
    const std::vector<NodeId>& list = parts.moved;
    const bool fresh = same(cluster.chunks, 0) || same(cluster.chunks, own_chunks);
    if (cluster.kind != ClusterKind::rows || !fresh || !can_follow(parts, to)) return false;
    if (cluster.members.size() + list.size() > most_members) return false;
    std::vector<Move> moves;
    Replacements values;
    bool nests = false;
    for (const NodeId id : list) {
      const Shape& shape = graph().type(graph()[id].inputs[0]).shape;
      const std::uint32_t axes = mask_of(numbers(graph()[id], "axes"));
      if (!same(numel(shape), numel(cluster.space)) || first_reader(id, parts.left) <= to) {
        return false;
      }
      Index index = reshaped(cluster.ranges, cluster.space, shape);
      if (!reads(id, reshaped(clusterer.at(to).ranges, clusterer.at(to).space, shape), to)) {
        return false;
      }
      if (values.empty() && divide(cluster, values, index, axes)) index = replaced(index, values);
      const Coverage found(cluster, index, axes);
      const bool whole = (found.reduced & found.kept) == 0 && found.reduced == cluster.reduced;
      if (!whole && !fits(id, cluster, index)) return false;
      nests |= !whole;
      moves.push_back({id, index, whole});
    }
    if (nests) cluster.chunks = own_chunks;
    move(moves, values, std::move(cluster), parts, to);
    return true;
  }

  void move(const std::vector<Move>& moves, const Replacements& values, Cluster cluster,
            const Parts& parts, std::int32_t to) {
    for (const NodeId member : cluster.members) {
      Placement& place = clusterer.result.placements[member];
      place = {to, replaced(place.index, values), replaced(place.reads, values)};
    }
    clusterer.at(to) = std::move(cluster);
    std::vector<NodeId>& members = clusterer.at(parts.cluster).members;
    for (const Move& one : moves) {
      members.erase(std::find(members.begin(), members.end(), one.id));
      const Node& node = graph()[one.id];
      const std::uint32_t axes = mask_of(numbers(node, "axes"));
      if (one.whole) {
        clusterer.place(one.id, to, other_axes(one.reads, axes));
        clusterer.result.placements[one.id].reads = one.reads;
      } else {
        clusterer.result.partials.emplace(one.id, Partial{node.inputs[0], axes, own_chunks});
        place_partial(clusterer, one.id, to, one.reads);
      }
    }
    if (to > parts.cluster && !parts.left.empty()) append(parts);
  }

  // What is left in a cluster that comes last.
  void append(const Parts& parts) {
    Cluster after = clusterer.at(parts.cluster);
    clusterer.at(parts.cluster).members.clear();
    const auto id = static_cast<std::int32_t>(clusterer.result.clusters.size());
    for (const NodeId member : after.members) clusterer.result.placements[member].cluster = id;
    clusterer.result.clusters.push_back(std::move(after));
  }

  void run() {
    const auto count = static_cast<std::int32_t>(clusterer.result.clusters.size());
    for (std::int32_t from = 0; from < count; ++from) {
      const Parts parts = parts_of(from);
      if (parts.moved.empty()) continue;
      if (readers.empty()) find_readers();
      for (const std::int32_t to : candidates(parts.moved[0])) {
        if (to != from && try_move(parts, to)) break;
      }
    }
  }
};

SINTER_INLINE void nest_reductions(Clusterer& clusterer) { Nester{clusterer}.run(); }

}  // namespace sinter::inline SINTER_ABI::detail::schedule::detail
