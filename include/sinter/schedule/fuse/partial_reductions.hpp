#pragma once
// Sibling fusion of partial reductions: they are fused into a group that iterates over the same
// elements.

#include <algorithm>    // std::min, std::reverse
#include <cstdint>      // std::int32_t
#include <string_view>  // std::string_view
#include <utility>      // std::move

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/sorted_map.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/base/container/worklist.hpp>
#include <sinter/config.hpp>
#include <sinter/schedule/fuse/axes.hpp>
#include <sinter/schedule/fuse/groups.hpp>
#include <sinter/schedule/fuse/legality.hpp>
#include <sinter/schedule/fuse/profitability.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule::detail {

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
  builder.place_alone(id, std::move(group));
}

/// Fuses `id`, a partial reduction, into a group that reads its operand, or creates a group for it.
inline void fuse_partial(GroupState& builder, NodeId id) {
  const NodeId operand = beneath(builder.graph, builder.reduced_operand(id));
  auto candidates = builder.tried_readers(operand);
  const std::int32_t owner = builder.group_of(operand);
  if (owner != no_group) insert_at(candidates, candidates.begin(), owner);
  for (const std::int32_t group : candidates) {
    const std::string_view obstacle = try_fuse(builder, id, group);
    if (obstacle.empty()) return;
    builder.refuse(id, obstacle, group);
  }
  create_partial_group(builder, id);
}

// Groups that `id` may move into, the latest first: they run before its readers, and read its
// operand, or as rows what that is computed from, through inlined nodes. Constants do not count:
// groups that have nothing else in common read them.
inline Vector<std::int32_t> sibling_candidates(const GroupState& builder, NodeId id,
                                               const Readers& readers) {
  const NodeId operand = beneath(builder.graph, builder.reduced_operand(id));
  const std::int32_t own = builder.group_of(id), first = readers.first(id);
  SortedSet<std::int32_t> found(builder.readers[operand].begin(), builder.readers[operand].end());
  Worklist<NodeId> open = builder.sources(operand);
  for (std::size_t i = 0; i < open.size(); ++i) {
    if (const Op op = builder.graph[open[i]].op; op == Op::constant || op == Op::iota) continue;
    for (const NodeId reader : readers.of[open[i]]) {
      if (builder.analysis.nodes[reader].inlined) open.add(reader);
      const std::int32_t group = builder.group_of(reader);
      if (group >= first || builder.at(group).kind != GroupKind::rows) continue;
      if (!has_only_partials(builder.result, builder.analysis, group)) found.insert(group);
    }
  }
  Vector<std::int32_t> result;
  for (const std::int32_t group : found) {
    if (group != own && group < first) result.push_back(group);
  }
  std::reverse(result.begin(), result.end());
  return result;
}

// Moves `id` into such a group, if its kernel stores nothing but partial results. Whether it did.
inline bool merge_lone_partial(GroupState& builder, NodeId id, const Readers& readers) {
  const std::int32_t own = builder.group_of(id);
  if (own == no_group || !has_only_partials(builder.result, builder.analysis, own)) return false;
  const Vector<std::int32_t> known = sibling_candidates(builder, id, readers);
  for (std::size_t i = 0; i < std::min(known.size(), max_groups_tried); ++i) {
    if (!try_fuse(builder, id, known[i]).empty()) continue;
    Vector<NodeId>& members = builder.at(own).members;
    members.erase(find(members, id));
    return true;
  }
  return false;
}

/// Once all groups are known, fuses partial reductions that are alone in their kernels into other
/// groups. Twice, since a group that has taken one of them reads more values.
inline void merge_lone_partials(GroupState& builder, const Readers& readers) {
  bool any = false;
  for (const bool is_second : {false, true}) {
    if (is_second && !any) return;
    for (const NodeId id : builder.analysis.order) {
      if (builder.partial(id) == nullptr) continue;
      any = merge_lone_partial(builder, id, readers) || any;
    }
  }
}

}  // namespace sinter::inline SINTER_ABI::detail::schedule::detail
