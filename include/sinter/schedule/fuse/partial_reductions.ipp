#pragma once

#include <algorithm>  // std::all_of, std::any_of, std::find, std::reverse, std::stable_partition
#include <bit>        // std::countr_zero, std::has_single_bit
#include <set>        // std::set
#include <unordered_map>  // std::unordered_map
#include <unordered_set>  // std::unordered_set
#include <utility>        // std::move
#include <vector>         // std::vector

#include <sinter/schedule/fuse/axes.hpp>
#include <sinter/schedule/fuse/builder.hpp>
#include <sinter/schedule/fuse/partial_reductions.hpp>
#include <sinter/symbol/extent/interval.hpp>
#include <sinter/symbol/extent/proof.hpp>
#include <sinter/symbol/solve/variables.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule::detail {

SINTER_INLINE bool reduces_all(const Clusterer& clusterer, NodeId id, const Cluster& cluster,
                               std::uint32_t reduced) {
  if (reduced != looped_axes(cluster)) return false;
  const std::int64_t elements = bounds(numel(cluster.space)).max;
  const bool is_short = elements <= largest_serial || elements == unbounded;
  if (!clusterer.shape(id).empty() && is_short) return false;
  return std::any_of(cluster.members.begin(), cluster.members.end(),
                     [&](NodeId member) { return !clusterer.survey.nodes[member].inlined; });
}

SINTER_INLINE void place_partial(Clusterer& clusterer, NodeId id, std::int32_t cluster,
                                 const Index& reads) {
  Index index = clusterer.shape(id);
  for (int axis = 0; axis < index.size(); ++axis) index[axis] = 0;
  clusterer.place(id, cluster, index);
  clusterer.result.placements[id].reads = reads;
}

// Whether a partial result over `found` can be computed in `cluster`, whose grid is put into chunks
// along its first axis then. What goes along no row is computed once for each point of the grid.
SINTER_INLINE bool can_combine(Cluster& cluster, const Coverage& found, Extent chunks, bool host) {
  if (!same(cluster.chunks, 0) && !same(cluster.chunks, chunks)) return false;
  const std::uint32_t all = looped_axes(cluster), covered = found.reduced | found.kept;
  if ((found.reduced & found.kept) != 0 || (all & ~cluster.reduced) == 0) return false;
  std::uint32_t rows = cluster.reduced & all;
  const bool becomes_rows = cluster.kind == ClusterKind::pointwise && found.kept != 0;
  if (becomes_rows) rows = last_run(all, found.kept);
  const std::uint32_t grid = all & ~rows, first = first_axis(cluster);
  if ((grid & ~covered) != 0 || (grid & first & found.reduced) == 0) return false;
  const std::uint32_t along = covered & rows;
  if (along != 0 && along != rows) return false;
  if (!host && found.kept != rows) return false;  // threads that share a row have a column each
  if (becomes_rows) {
    cluster.kind = ClusterKind::rows;
    cluster.reduced = rows;
  }
  cluster.chunks = chunks;
  return true;
}

// As can_combine() where one axis of the cluster goes along reduced and kept ones: that is divided.
SINTER_INLINE bool combines_divided(Clusterer& clusterer, std::int32_t at, Index& index,
                                    const Partial& partial) {
  const Cluster& cluster = clusterer.at(at);
  const Coverage found(cluster, index, partial.axes);
  const std::uint32_t both = found.reduced & found.kept;
  if (!std::has_single_bit(both) || cluster.space.size() == max_rank) return false;
  const int axis = std::countr_zero(both);
  for (const Extent extent : divisors_of(cluster, axis, index)) {
    Replacements values;
    Cluster result = divided(cluster, axis, extent, values);
    const Index again = replaced(index, values);
    if (!can_combine(result, Coverage(result, again, partial.axes), partial.chunks,
                     clusterer.host)) {
      continue;
    }
    for (const NodeId member : result.members) {
      Placement& place = clusterer.result.placements[member];
      place = {at, replaced(place.index, values), replaced(place.reads, values)};
    }
    clusterer.at(at) = std::move(result);
    index = again;
    return true;
  }
  return false;
}

// Whether there is memory for what a row of `cluster` is combined to, `id` among it.
SINTER_INLINE bool fits_memory(const Clusterer& clusterer, NodeId id, std::int32_t cluster) {
  const Clusters& known = clusterer.result;
  if (known.most_combined == unbounded) return true;
  return proven_less_equal(
      combined_bytes(clusterer.graph, known, cluster) + bytes_of_chunk(clusterer.graph, known, id),
      known.most_combined);
}

SINTER_INLINE bool join_companion(Clusterer& clusterer, NodeId id, std::int32_t at) {
  Cluster& cluster = clusterer.at(at);
  const bool loops = cluster.kind == ClusterKind::rows || cluster.kind == ClusterKind::pointwise;
  if (!loops || !clusterer.has_room(at)) return false;
  if (!fits_memory(clusterer, id, at)) return false;
  const Partial& partial = clusterer.result.partials.at(id);
  if (same(numel(cluster.space), 0)) return false;
  for (Index index : clusterer.proposals(partial.operand, at, false)) {
    if (!clusterer.reads(partial.operand, index, at)) continue;
    const Coverage found(cluster, index, partial.axes);
    const bool fits = can_combine(cluster, found, partial.chunks, clusterer.host) ||
                      combines_divided(clusterer, at, index, partial);
    if (!fits) continue;
    place_partial(clusterer, id, at, index);
    return true;
  }
  return false;
}

// A kernel of its own: rows are what comes last, kept or reduced.
SINTER_INLINE void found_companion(Clusterer& clusterer, NodeId id) {
  const Partial& partial = clusterer.result.partials.at(id);
  const Shape& space = clusterer.graph.type(partial.operand).shape;
  Cluster cluster{.kind = ClusterKind::pointwise, .space = space, .ranges = ranges_over(space)};
  const Coverage found(cluster, cluster.ranges, partial.axes);
  if (found.kept != 0) {
    cluster.kind = ClusterKind::rows;
    cluster.reduced = last_run(looped_axes(cluster), found.kept);
  }
  cluster.chunks = partial.chunks;
  const Index all = cluster.ranges;
  clusterer.result.clusters.push_back(std::move(cluster));
  place_partial(clusterer, id, static_cast<std::int32_t>(clusterer.result.clusters.size()) - 1,
                all);
}

SINTER_INLINE void visit_partial(Clusterer& clusterer, NodeId id) {
  const Partial& partial = clusterer.result.partials.at(id);
  const NodeId operand = beneath(clusterer.graph, partial.operand);
  if (clusterer.home(operand) != nowhere &&
      join_companion(clusterer, id, clusterer.home(operand))) {
    return;
  }
  const std::vector<std::int32_t> known = clusterer.readers[operand];
  for (std::size_t i = 0; i < std::min(known.size(), most_tried); ++i) {
    if (join_companion(clusterer, id, known[known.size() - 1 - i])) return;
  }
  found_companion(clusterer, id);
}

// Partial results that are alone in their kernels, when all clusters are known: they join one that
// reads what they are made of.

using ReadersOfRows = std::unordered_map<NodeId, std::set<std::int32_t>>;

// Whether `cluster` computes nothing but `id` that would not be computed where it is read; on a GPU
// what is combined beside it goes elsewhere as well.
SINTER_INLINE bool is_alone_in(Clusterer& clusterer, NodeId id, std::int32_t cluster) {
  if (!clusterer.host) return only_combines(clusterer.result, clusterer.survey, cluster);
  const std::vector<NodeId>& members = clusterer.at(cluster).members;
  return std::all_of(members.begin(), members.end(), [&](NodeId member) {
    return member == id || clusterer.survey.nodes[member].inlined;
  });
}

// Nodes that are not inlined of which `of` is made, element by element or however it reads them.
SINTER_INLINE std::vector<NodeId> made_of(const Clusterer& clusterer, NodeId of) {
  std::vector<NodeId> open = clusterer.operands(of), result;
  std::unordered_set<NodeId> seen(open.begin(), open.end());
  while (!open.empty()) {
    const NodeId id = open.back();
    open.pop_back();
    if (!clusterer.survey.nodes[id].inlined) {
      result.push_back(id);
      continue;
    }
    for (const NodeId below : clusterer.operands(id)) {
      if (seen.insert(below).second) open.push_back(below);
    }
  }
  return result;
}

// For each node which clusters read it that go over rows anyway, with what is inlined there.
SINTER_INLINE ReadersOfRows readers_of_rows(const Clusterer& clusterer) {
  ReadersOfRows result;
  const auto& clusters = clusterer.result.clusters;
  for (std::size_t i = 0; i < clusters.size(); ++i) {
    if (clusters[i].kind != ClusterKind::rows) continue;
    for (const NodeId member : clusters[i].members) {
      if (clusterer.result.partials.count(member) != 0) continue;
      for (const NodeId read : made_of(clusterer, member)) {
        result[read].insert(static_cast<std::int32_t>(i));
      }
    }
  }
  return result;
}

// `operand`, or what that is made of where it is inlined.
SINTER_INLINE std::vector<NodeId> read_for(const Clusterer& clusterer, NodeId operand) {
  if (!clusterer.survey.nodes[operand].inlined) return {operand};
  return made_of(clusterer, operand);
}

// Clusters in which `operand` may be reduced: those that read it or, beside rows, its operands.
SINTER_INLINE std::vector<std::int32_t> readers_of(const Clusterer& clusterer, NodeId operand,
                                                   const ReadersOfRows& rows) {
  const std::vector<std::int32_t>& known = clusterer.readers[operand];
  std::set<std::int32_t> result(known.begin(), known.end());
  for (const NodeId read : read_for(clusterer, operand)) {
    const auto found = rows.find(read);
    if (found != rows.end()) result.insert(found->second.begin(), found->second.end());
  }
  return {result.begin(), result.end()};
}

// Those of them in which `id` may be reduced before what reads it, the latest first.
SINTER_INLINE std::vector<std::int32_t> companions_of(const Clusterer& clusterer, NodeId id,
                                                      NodeId operand, const ReadersOfRows& rows) {
  const std::vector<std::int32_t>& after = clusterer.readers[id];
  std::vector<std::int32_t> result = readers_of(clusterer, operand, rows);
  const auto fits = [&](std::int32_t other) {
    return other != clusterer.home(id) &&
           std::all_of(after.begin(), after.end(),
                       [&](std::int32_t reader) { return other < reader; });
  };
  result.erase(std::stable_partition(result.begin(), result.end(), fits), result.end());
  std::reverse(result.begin(), result.end());
  return result;
}

// Moves `id` there, if it is alone in its kernel.
SINTER_INLINE void visit_partial_again(Clusterer& clusterer, NodeId id, ReadersOfRows& rows) {
  const std::int32_t own = clusterer.home(id);
  if (own == nowhere || !is_alone_in(clusterer, id, own)) return;
  const NodeId operand = beneath(clusterer.graph, clusterer.result.partials.at(id).operand);
  const std::vector<std::int32_t> known = companions_of(clusterer, id, operand, rows);
  for (std::size_t i = 0; i < std::min(known.size(), most_tried); ++i) {
    if (!join_companion(clusterer, id, known[i])) continue;
    std::vector<NodeId>& members = clusterer.at(own).members;
    members.erase(std::find(members.begin(), members.end(), id));
    for (const NodeId read : read_for(clusterer, operand)) rows[read].insert(known[i]);
    return;
  }
}

SINTER_INLINE void visit_partials_again(Clusterer& clusterer) {
  if (clusterer.result.partials.empty()) return;
  ReadersOfRows rows = clusterer.host ? ReadersOfRows{} : readers_of_rows(clusterer);
  for (const NodeId id : clusterer.survey.order) {
    if (clusterer.result.partials.count(id) != 0) visit_partial_again(clusterer, id, rows);
  }
}

}  // namespace sinter::inline SINTER_ABI::detail::schedule::detail
