#pragma once
// Builds fusion groups: each node is fused into an existing group, or creates one.

#include <algorithm>    // std::reverse
#include <cstdint>      // std::int32_t, std::uint32_t
#include <string_view>  // std::string_view
#include <utility>      // std::move

#include <sinter/base/container/algorithm.hpp>
#include <sinter/config.hpp>
#include <sinter/schedule/fuse/axes.hpp>
#include <sinter/schedule/fuse/groups.hpp>
#include <sinter/schedule/fuse/legality.hpp>
#include <sinter/schedule/fuse/partial_reductions.hpp>
#include <sinter/schedule/fuse/profitability.hpp>
#include <sinter/schedule/fuse/segmented_reduction.hpp>
#include <sinter/schedule/ir/refusals.hpp>
#include <sinter/schedule/ir/target.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

namespace detail {

/// Fuses each node with a producer, or else with a sibling.
struct GroupBuilder : GroupState {
  /// Groups that compute an operand. First those that would have to store it, the latest first;
  /// then the others, the earliest first, so that siblings share a group.
  GroupList producer_groups(NodeId id) const {
    GroupList found;
    for (const bool inlined : {false, true}) {
      GroupList part;
      for (const NodeId operand : operands(id)) {
        if (group_of(operand) == no_group || analysis.nodes[operand].inlined != inlined) continue;
        part.push_back(group_of(operand));
      }
      stable_sort(part);
      if (!inlined) std::reverse(part.begin(), part.end());
      found.append(part.begin(), part.end());
    }
    return found;
  }

  bool fuse_with_producer(NodeId id) {
    for (const std::int32_t group : producer_groups(id)) {
      const std::string_view obstacle = try_fuse(*this, id, group);
      if (obstacle.empty()) return true;
      refuse(id, obstacle, group);
    }
    return false;
  }

  // Whether `group` has a reduction of the same value as the reduction `id`, such as the same
  // windows of an operand.
  bool reduces_alike(NodeId id, std::int32_t group) const {
    const auto& members = result.groups[group].members;
    return is_reduction(graph[id].op) && any_of(members, [&](NodeId member) {
             return is_reduction(graph[member].op) &&
                    graph[member].inputs[0] == graph[id].inputs[0];
           });
  }

  /// Fuses `id` with a sibling: a group over the same space that reads the same elements. Returns
  /// whether there was one.
  bool fuse_with_sibling(NodeId id) {
    const bool reduces = is_reduction(graph[id].op);
    const Shape& space = reduces ? graph.type(graph[id].inputs[0]).shape : shape(id);
    for (const NodeId operand : operands(id)) {
      const Op op = graph[operand].op;
      const bool is_memory = op == Op::input || info(op).kind != OpKind::leaf;
      const bool is_whole = same(shape(operand), space);
      if (!is_memory || (!is_whole && !reduces)) continue;
      for (const std::int32_t group : tried_readers(operand)) {
        const GroupKind kind = at(group).kind;
        const bool fits = kind == GroupKind::pointwise || kind == GroupKind::rows;
        if (!fits || !same(at(group).space, space)) continue;
        if (!is_whole && !reduces_alike(id, group)) continue;
        if (try_fuse(*this, id, group, true).empty()) return true;
      }
    }
    return false;
  }

  void create(NodeId id, GroupKind kind, const Shape& space, std::uint32_t axes) {
    FusionGroup group{.kind = kind, .space = space, .ranges = ranges_over(space)};
    for (int axis = 0; axis < space.size(); ++axis) {
      if (!group.ranges[axis].is_number()) group.reduced |= axes & 1u << axis;
    }
    place_alone(id, std::move(group));
  }

  /// Creates the group of an operation that never joins another one.
  bool visit_separate(NodeId id) {
    const Op op = graph[id].op;
    if (op == Op::argsort || info(op).kind == OpKind::row) {
      refuse(id, "a sort or scan needs a kernel of its own");
      create(id, op == Op::argsort ? GroupKind::sort : GroupKind::scan, shape(id),
             mask_of({number(graph[id], "axis")}));
    } else if (op == Op::dot_general) {
      refuse(id, "a product reads each element of its operand many times");
      create(id, GroupKind::product, shape(id), 0);
    } else if (op == Op::scatter_add) {
      refuse(id, "a scatter adds its elements sequentially");
      create(id, GroupKind::scatter, shape(id), 0);
    } else if (analysis.nodes[id].concatenated_in_place) {
      refuse(id, "a concatenation reads it at an offset");
      create(id, GroupKind::concatenate, shape(id), 0);
    } else {
      return false;
    }
    return true;
  }

  void visit(NodeId id) {
    const Op op = graph[id].op;
    if (partial(id) != nullptr) return fuse_partial(*this, id);
    if (visit_separate(id)) return;
    if (fuse_with_producer(id) || fuse_with_sibling(id)) return;
    if (!is_reduction(op)) {
      const bool sums = chains_scalar_reductions(*this, id);
      create(id, GroupKind::pointwise, shape(id), 0);
      if (sums) combining_scalars.insert(group_of(id));
      return;
    }
    const Shape& space = graph.type(graph[id].inputs[0]).shape;
    create(id, GroupKind::rows, space, reduced_axes(graph[id]));
  }
};

}  // namespace detail

/// With Target::finalizers, a scalar reduction of values that many threads compute gets a kernel of
/// its own, which becomes a finalizer of the first one.
/// `refusals`, if not null, gets the reasons of what is not fused.
inline FusionGroups create_fusion_groups(const Graph& graph, const FusionAnalysis& analysis,
                                         PartialReductions partials = {}, const Target& target = {},
                                         Refusals* refusals = nullptr) {
  detail::GroupBuilder builder{{graph, analysis, target}};
  builder.refusals = refusals;
  builder.result.partials = std::move(partials);
  builder.result.placements.resize(graph.nodes.size());
  builder.ready_after.assign(graph.nodes.size(), no_group);
  builder.readers.resize(graph.nodes.size());
  for (const NodeId id : analysis.order) builder.visit(id);
  if (builder.result.partials.empty() && !target.fuses_segments) return std::move(builder.result);
  const detail::Readers readers(builder);
  detail::merge_lone_partials(builder, readers);
  if (target.fuses_segments) detail::fuse_segmented_reductions(builder, readers);
  return std::move(builder.result);
}

}  // namespace sinter::inline SINTER_ABI::detail::schedule
