#pragma once

// Where partial results are computed: beside what goes over the same elements anyway.

#include <algorithm>  // std::all_of, std::any_of, std::min
#include <bit>        // std::countr_zero, std::has_single_bit
#include <utility>    // std::move, std::pair
#include <vector>     // std::vector

#include <sinter/schedule/cluster.hpp>
#include <sinter/schedule/factor.hpp>
#include <sinter/symbol/interval.hpp>
#include <sinter/symbol/proof.hpp>
#include <sinter/symbol/variables.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule::detail {

// Which axes of a cluster the reduced axes of an index go along, and which the others.
struct Coverage {
  std::uint32_t reduced = 0, kept = 0;

  Coverage(const Cluster& cluster, const Index& index, std::uint32_t axes) {
    for (int axis = 0; axis < index.size(); ++axis) {
      for (int i = 0; i < cluster.space.size(); ++i) {
        if (cluster.ranges[i].is_number()) continue;
        if (!depends_on(index[axis], cluster.ranges[i])) continue;
        ((axes >> axis & 1) != 0 ? reduced : kept) |= 1u << i;
      }
    }
  }
};

// The axes of a cluster that have loops.
SINTER_INLINE std::uint32_t looped_axes(const Cluster& cluster) {
  std::uint32_t result = 0;
  for (int i = 0; i < cluster.space.size(); ++i) {
    if (!cluster.ranges[i].is_number()) result |= 1u << i;
  }
  return result;
}

// The first of them, whose steps are put into chunks.
SINTER_INLINE std::uint32_t first_axis(const Cluster& cluster) {
  const std::uint32_t all = looped_axes(cluster);
  return all & ~(all - 1);
}

// Whether one thread would compute what others could share and something else reads. A row that
// happens to be the only one is computed as it is among others, unless it is long.
SINTER_INLINE bool reduces_all(const Clusterer& clusterer, NodeId id, const Cluster& cluster,
                               std::uint32_t reduced) {
  if (reduced != looped_axes(cluster)) return false;
  const std::int64_t elements = bounds(numel(cluster.space)).max;
  const bool is_short = elements <= largest_serial || elements == unbounded;
  if (!clusterer.shape(id).empty() && is_short) return false;
  return std::any_of(cluster.members.begin(), cluster.members.end(),
                     [&](NodeId member) { return !clusterer.survey.nodes[member].inlined; });
}

// A partial result is complete only after the kernel, so that it has no index there.
SINTER_INLINE void place_partial(Clusterer& clusterer, NodeId id, std::int32_t cluster,
                                 const Index& reads) {
  Index index = clusterer.shape(id);
  for (int axis = 0; axis < index.size(); ++axis) index[axis] = 0;
  clusterer.place(id, cluster, index);
  clusterer.result.placements[id].reads = reads;
}

// The last axes of `all` that are in `set`, if the last one is, or that are not, if it is not.
SINTER_INLINE std::uint32_t last_run(std::uint32_t all, std::uint32_t set) {
  std::uint32_t result = 0;
  int last = -1;
  for (int i = 31; i >= 0; --i) {
    if ((all >> i & 1) == 0) continue;
    const int inside = static_cast<int>(set >> i & 1);
    if (last >= 0 && inside != last) break;
    last = inside;
    result |= 1u << i;
  }
  return result;
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

// By what `index` divides what goes along `axis` of `cluster`, which goes on in whole steps of it.
SINTER_INLINE std::vector<Extent> divisors_of(const Cluster& cluster, int axis,
                                              const Index& index) {
  std::vector<Extent> result;
  for (const Extent at : index) {
    for_each_division(at, [&](Extent dividend, Extent divisor) {
      const bool fits = same(dividend, cluster.ranges[axis]) && !same(divisor, 1) &&
                        proven_divisible(cluster.space[axis], divisor);
      if (fits) result.push_back(divisor);
    });
  }
  return result;
}

using Replacements = std::vector<std::pair<Extent, Extent>>;

SINTER_INLINE Index replaced(Index index, const Replacements& values) {
  for (int i = 0; i < index.size(); ++i) index[i] = substitute(index[i], values);
  return index;
}

// `cluster` with `axis` as two, of which the inner one has `extent`, and what its ranges are then.
SINTER_INLINE Cluster divided(const Cluster& cluster, int axis, Extent extent,
                              Replacements& values) {
  Cluster result = cluster;
  result.space = {};
  result.reduced = 0;
  for (int i = 0; i < cluster.space.size(); ++i) {
    const std::uint32_t reduced = cluster.reduced >> i & 1;
    result.reduced |= reduced << result.space.size();
    result.space.push_back(i == axis ? floor_div(cluster.space[i], extent) : cluster.space[i]);
    if (i != axis) continue;
    result.reduced |= reduced << result.space.size();
    result.space.push_back(extent);
  }
  result.ranges = ranges_over(result.space);
  for (int i = 0; i < cluster.space.size(); ++i) {
    if (cluster.ranges[i].is_number()) continue;
    const int at = i > axis ? i + 1 : i;
    const Extent inner = i == axis ? result.ranges[at + 1] : 0;
    values.emplace_back(cluster.ranges[i],
                        result.ranges[at] * (i == axis ? extent : Extent(1)) + inner);
  }
  return result;
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

// Bytes of the partial result `id` that a chunk has.
SINTER_INLINE Extent bytes_of_chunk(const Graph& graph, const Clusters& clusters, NodeId id) {
  const Partial& partial = clusters.partials.at(id);
  const auto size = static_cast<std::int64_t>(info(graph.type({id, 0}).dtype).size);
  return numel(other_axes(graph.type(partial.operand).shape, partial.axes)) * size;
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

}  // namespace sinter::inline SINTER_ABI::detail::schedule::detail

namespace sinter::inline SINTER_ABI::detail::schedule {

SINTER_INLINE bool only_combines(const Clusters& clusters, const Survey& survey,
                                 std::int32_t cluster) {
  const auto& members = clusters.clusters[static_cast<std::size_t>(cluster)].members;
  return std::all_of(members.begin(), members.end(), [&](NodeId member) {
    return clusters.partials.count(member) != 0 || survey.nodes[member].inlined;
  });
}

SINTER_INLINE Extent combined_bytes(const Graph& graph, const Clusters& clusters,
                                    std::int32_t cluster) {
  Extent result = 0;
  for (const NodeId member : clusters.clusters[static_cast<std::size_t>(cluster)].members) {
    if (clusters.partials.count(member) == 0) continue;
    result += detail::bytes_of_chunk(graph, clusters, member);
  }
  return result;
}

}  // namespace sinter::inline SINTER_ABI::detail::schedule
