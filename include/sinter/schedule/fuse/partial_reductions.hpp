#pragma once
// Sibling fusion of partial reductions: they are fused into a group that iterates over the same
// elements.

#include <algorithm>  // std::reverse, std::stable_partition
#include <bit>        // std::countr_zero, std::popcount
#include <cstdint>    // std::int32_t, std::uint32_t
#include <utility>    // std::move

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/hash_map.hpp>
#include <sinter/base/container/sorted_map.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/base/container/worklist.hpp>
#include <sinter/config.hpp>
#include <sinter/schedule/fuse/axes.hpp>
#include <sinter/schedule/fuse/groups.hpp>
#include <sinter/symbol/extent/interval.hpp>
#include <sinter/symbol/extent/proof.hpp>
#include <sinter/symbol/solve/variables.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule::detail {

/// Whether fusing `id` into `group` would make one thread compute values that threads could share
/// and that other nodes read. Short single rows are exempt.
inline bool serializes(const GroupState& builder, NodeId id, const FusionGroup& group,
                       std::uint32_t reduced) {
  if (reduced != looped_axes(group)) return false;
  const std::int64_t elements = bounds(numel(group.space)).max;
  const bool is_short = may_be_serial(elements, builder.target.parallel);
  if (!builder.shape(id).empty() && is_short) return false;
  return any_of(group.members,
                [&](NodeId member) { return !builder.analysis.nodes[member].inlined; });
}

/// Places `id`, a partial result, in `group`. It has no index there, since it is complete only
/// after the kernel.
inline void place_partial(GroupState& builder, NodeId id, std::int32_t group, const Index& reads) {
  Index index = builder.shape(id);
  for (int axis = 0; axis < index.size(); ++axis) index[axis] = 0;
  builder.place(id, group, index);
  builder.result.placements[id].reads = reads;
}

// Whether `group` can compute a partial reduction over the axes `found`; divides its grid into
// chunks along the first axis then. Values that do not depend on the row loop are computed once per
// grid point.
inline bool can_fuse_partial(FusionGroup& group, const Coverage& found, Extent chunks,
                             bool threads_share_rows) {
  if (!same(group.chunks, 0) && !same(group.chunks, chunks)) return false;
  const std::uint32_t all = looped_axes(group), covered = found.reduced | found.kept;
  if ((found.reduced & found.kept) != 0 || (all & ~group.reduced) == 0) return false;
  std::uint32_t rows = group.reduced & all;
  const bool becomes_rows = group.kind == GroupKind::pointwise && found.kept != 0;
  if (becomes_rows) rows = trailing_axes(all, found.kept);
  const std::uint32_t grid = all & ~rows, first = first_looped_axis(group);
  if ((grid & ~covered) != 0 || (grid & first & found.reduced) == 0) return false;
  const std::uint32_t along = covered & rows;
  if (along != 0 && along != rows) return false;
  if (threads_share_rows && found.kept != rows) return false;
  if (becomes_rows) {
    group.kind = GroupKind::rows;
    group.reduced = rows;
  }
  group.chunks = chunks;
  return true;
}

// The same where one axis of the group carries both reduced and kept axes of the index: splits that
// axis.
inline bool can_fuse_partial_after_split(GroupState& builder, std::int32_t at, Index& index,
                                         const PartialReduction& partial) {
  FusionGroup group = builder.at(at);
  Substitutions values;
  const auto fits = [&](FusionGroup& split, const Index& in_split) {
    return can_fuse_partial(split, Coverage(split, in_split, partial.axes), partial.chunks,
                            builder.target.threads_share_rows);
  };
  if (!split_shared_axis(group, index, partial.axes, values, fits)) return false;
  place_members(builder.result, group.members, at, values);
  builder.at(at) = std::move(group);
  return true;
}

// Whether the partial results of a chunk of `group`, with `id`, fit in shared memory.
inline bool partials_fit(const GroupState& builder, NodeId id, std::int32_t group) {
  const FusionGroups& known = builder.result;
  if (known.max_partial_bytes == unbounded) return true;
  return proven_less_equal(
      group_partial_bytes(builder.graph, known, group) + partial_bytes(builder.graph, known, id),
      known.max_partial_bytes);
}

// Whether the rows of `group` are short windows of two or more axes (one short axis is a row). The
// vectors of its kernel then go along the columns, and partial results are not summed over a
// vector. On a GPU a thread block sums them.
inline bool reduces_windows(const GroupState& builder, const FusionGroup& group) {
  const std::uint32_t rows = looped_axes(group) & group.reduced;
  if (builder.target.threads_share_rows || group.kind != GroupKind::rows) return false;
  for (std::uint32_t axes = rows; axes != 0; axes &= axes - 1) {
    const Extent extent = group.space[std::countr_zero(axes)];
    if (bounds(extent).max >= builder.target.loops.short_row) return false;
  }
  return std::popcount(rows) > 1;
}

inline bool fuse_partial_into(GroupState& builder, NodeId id, std::int32_t at) {
  FusionGroup& group = builder.at(at);
  const bool loops = group.kind == GroupKind::rows || group.kind == GroupKind::pointwise;
  if (!loops || !builder.has_room(at) || reduces_windows(builder, group)) return false;
  if (!partials_fit(builder, id, at)) return false;
  const PartialReduction& partial = builder.result.partials.at(id);
  if (same(numel(group.space), 0)) return false;
  for (Index index : builder.candidate_indices(partial.operand, at, false)) {
    if (!builder.reads(partial.operand, index, at)) continue;
    const Coverage found(group, index, partial.axes);
    const bool share = builder.target.threads_share_rows;
    const bool fits = can_fuse_partial(group, found, partial.chunks, share) ||
                      can_fuse_partial_after_split(builder, at, index, partial);
    if (!fits) continue;
    place_partial(builder, id, at, index);
    return true;
  }
  return false;
}

// Creates a group for `id`. Its rows are the trailing axes that are all kept or all reduced.
inline void create_partial_group(GroupState& builder, NodeId id) {
  const PartialReduction& partial = builder.result.partials.at(id);
  const Shape& space = builder.graph.type(partial.operand).shape;
  FusionGroup group{.kind = GroupKind::pointwise, .space = space, .ranges = ranges_over(space)};
  const Coverage found(group, group.ranges, partial.axes);
  if (found.kept != 0) {
    group.kind = GroupKind::rows;
    group.reduced = trailing_axes(looped_axes(group), found.kept);
  }
  group.chunks = partial.chunks;
  const Index all = group.ranges;
  builder.result.groups.push_back(std::move(group));
  place_partial(builder, id, static_cast<std::int32_t>(builder.result.groups.size()) - 1, all);
}

/// Fuses `id`, a partial reduction, into a group that reads its operand, or creates a group for it.
inline void fuse_partial(GroupState& builder, NodeId id) {
  const PartialReduction& partial = builder.result.partials.at(id);
  const NodeId operand = beneath(builder.graph, partial.operand);
  if (builder.group_of(operand) != no_group &&
      fuse_partial_into(builder, id, builder.group_of(operand))) {
    return;
  }
  for (const std::int32_t group : builder.tried_readers(operand)) {
    if (fuse_partial_into(builder, id, group)) return;
  }
  create_partial_group(builder, id);
}

using RowGroupReaders = HashMap<NodeId, SortedSet<std::int32_t>>;

// The materialized nodes that `of` is computed from, through inlined nodes.
inline Vector<NodeId> materialized_operands(const GroupState& builder, NodeId of) {
  Vector<NodeId> result;
  Worklist<NodeId> open{};
  for (const NodeId operand : builder.operands(of)) open.add(operand);
  for (std::size_t i = 0; i < open.size(); ++i) {
    const NodeId id = open[i];
    if (!builder.analysis.nodes[id].inlined) {
      result.push_back(id);
      continue;
    }
    for (const NodeId below : builder.operands(id)) open.add(below);
  }
  return result;
}

// For each node, the row groups that read it, directly or through inlined nodes.
inline RowGroupReaders row_group_readers(const GroupState& builder) {
  RowGroupReaders result;
  const auto& groups = builder.result.groups;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (groups[i].kind != GroupKind::rows) continue;
    for (const NodeId member : groups[i].members) {
      if (builder.result.partials.count(member) != 0) continue;
      for (const NodeId read : materialized_operands(builder, member)) {
        result[read].insert(static_cast<std::int32_t>(i));
      }
    }
  }
  return result;
}

// `operand`, or the materialized nodes that it is computed from if it is inlined.
inline Vector<NodeId> materialized_sources(const GroupState& builder, NodeId operand) {
  if (!builder.analysis.nodes[operand].inlined) return {operand};
  return materialized_operands(builder, operand);
}

// Groups in which `operand` may be reduced: those that read it, and row groups that read its
// materialized sources.
inline Vector<std::int32_t> candidate_readers(const GroupState& builder, NodeId operand,
                                              const RowGroupReaders& rows) {
  const Vector<std::int32_t>& known = builder.readers[operand];
  SortedSet<std::int32_t> readers(known.begin(), known.end());
  for (const NodeId read : materialized_sources(builder, operand)) {
    const auto found = rows.find(read);
    if (found != rows.end()) readers.insert(found->second.begin(), found->second.end());
  }
  Vector<std::int32_t> result;
  result.reserve(readers.size());
  for (const std::int32_t reader : readers) result.push_back(reader);
  return result;
}

// Those of them that run before all readers of `id`, the latest first.
inline Vector<std::int32_t> sibling_candidates(const GroupState& builder, NodeId id, NodeId operand,
                                               const RowGroupReaders& rows) {
  const Vector<std::int32_t>& after = builder.readers[id];
  Vector<std::int32_t> result = candidate_readers(builder, operand, rows);
  const auto fits = [&](std::int32_t other) {
    return other != builder.group_of(id) &&
           all_of(after, [&](std::int32_t reader) { return other < reader; });
  };
  result.erase(std::stable_partition(result.begin(), result.end(), fits), result.end());
  std::reverse(result.begin(), result.end());
  return result;
}

// Moves `id` into such a group, if its kernel stores nothing but partial results. Whether it did.
inline bool merge_lone_partial(GroupState& builder, NodeId id, RowGroupReaders& rows) {
  const std::int32_t own = builder.group_of(id);
  if (own == no_group || !has_only_partials(builder.result, builder.analysis, own)) return false;
  const NodeId operand = beneath(builder.graph, builder.result.partials.at(id).operand);
  const Vector<std::int32_t> known = sibling_candidates(builder, id, operand, rows);
  for (std::size_t i = 0; i < std::min(known.size(), max_groups_tried); ++i) {
    if (!fuse_partial_into(builder, id, known[i])) continue;
    Vector<NodeId>& members = builder.at(own).members;
    members.erase(find(members, id));
    for (const NodeId read : materialized_sources(builder, operand)) rows[read].insert(known[i]);
    return true;
  }
  return false;
}

/// Once all groups are known, fuses partial reductions that are alone in their kernels into other
/// groups. Twice, since a group that has taken one of them reads more values.
inline void merge_lone_partials(GroupState& builder) {
  if (builder.result.partials.empty()) return;
  RowGroupReaders rows = row_group_readers(builder);
  bool any = false;
  for (const bool is_second : {false, true}) {
    if (is_second && !any) return;
    for (const NodeId id : builder.analysis.order) {
      if (builder.result.partials.count(id) == 0) continue;
      any = merge_lone_partial(builder, id, rows) || any;
    }
  }
}

}  // namespace sinter::inline SINTER_ABI::detail::schedule::detail
