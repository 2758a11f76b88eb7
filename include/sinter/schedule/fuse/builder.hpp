#pragma once
// Builds fusion groups: each node is fused into an existing group, or creates one.

#include <algorithm>    // std::max, std::reverse
#include <cstddef>      // std::size_t
#include <cstdint>      // std::int32_t, std::uint32_t
#include <string_view>  // std::string_view
#include <utility>      // std::move

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/hash_map.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/config.hpp>
#include <sinter/schedule/fuse/axes.hpp>
#include <sinter/schedule/fuse/gather.hpp>
#include <sinter/schedule/fuse/groups.hpp>
#include <sinter/schedule/fuse/partial_reductions.hpp>
#include <sinter/schedule/fuse/segmented_reduction.hpp>
#include <sinter/schedule/fuse/siblings.hpp>
#include <sinter/schedule/ir/refusals.hpp>
#include <sinter/schedule/ir/target.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

namespace detail {

/// The rules that decide which group a node is fused into.
struct GroupBuilder : GroupState {
  Refusals* refusals = nullptr;  // if somebody asks for reasons

  /// Whether `index` iterates over rows that one thread would compute alone.
  bool is_serial(const FusionGroup& group, const Index& index) const {
    if (group.kind != GroupKind::rows || is_parallel(group, target.parallel)) return false;
    return (Coverage(group, index, 0).kept & group.reduced) != 0;
  }

  /// Why `group` cannot read the operands of element `index` of `id`; empty if it can.
  std::string_view operand_obstacle(NodeId id, const Index& index, std::int32_t group) const {
    const Node& node = graph[id];
    if (is_movement(node.op)) return read_obstacle(id, index, group);
    if (node.op == Op::gather) {
      return can_fuse_gather(*this, node, index, group) ? "" : refusal::gathered;
    }
    if (node.op == Op::concatenate) {
      return operands_precede(node, group) ? "" : "a concatenation reads it at an offset";
    }
    for (Value input : node.inputs) {
      const bool scalar = graph.type(input).shape.empty();
      const std::string_view found = read_obstacle(input, scalar ? Index() : index, group);
      if (!found.empty()) return found;
    }
    return "";
  }

  /// Whether earlier groups compute all operands of a concatenation, which are read at offsets.
  bool operands_precede(const Node& node, std::int32_t group) const {
    return all_of(node.inputs, [&](Value part) { return after(beneath(graph, part)) < group; });
  }

  /// Argmax returns the first of equal elements, so it has to visit them in memory order.
  bool preserves_order(NodeId id, const FusionGroup& group, const Index& index, std::uint32_t axes,
                       std::uint32_t reduced) const {
    if (graph[id].op != Op::argmax) return true;
    const Shape& shape = graph.type(graph[id].inputs[0]).shape;
    return same(linear(listed_axes(index, axes), listed_axes(shape, axes)),
                linear(listed_axes(group.ranges, reduced), listed_axes(group.space, reduced)));
  }

  /// Why the group cannot reduce the axes of `id`; empty if it can. A pointwise group becomes rows.
  std::string_view reduction_obstacle(NodeId id, std::int32_t group_id, const Index& index) {
    constexpr std::string_view other_axes_reduced = "it is reduced over different axes";
    FusionGroup& group = at(group_id);
    const std::uint32_t axes = mask_of(numbers(graph[id], "axes"));
    const auto [reduced, kept] = Coverage(group, index, axes);
    if ((kept & reduced) != 0) return other_axes_reduced;
    if (!preserves_order(id, group, index, axes, reduced)) {
      return "an argmax visits its elements in the order of memory";
    }
    if (group.kind == GroupKind::rows) return reduced == group.reduced ? "" : other_axes_reduced;
    FusionGroup rows = group;
    rows.reduced = reduced;
    if (!same(group.chunks, 0) && (reduced & first_looped_axis(group)) != 0) {
      return other_axes_reduced;
    }
    if (target.finalizers && serializes(*this, id, group, reduced)) return refusal::few_rows;
    if (!is_parallel(rows, target.parallel)) return refusal::few_rows;
    group.kind = GroupKind::rows;
    group.reduced = reduced;
    return "";
  }

  /// Why `id` cannot be fused into `group`, whatever the index; empty if it can, for some index.
  std::string_view group_obstacle(NodeId id, std::int32_t group) {
    const GroupKind kind = at(group).kind;
    if (is_reduction(graph[id].op)) {
      if (kind != GroupKind::rows && kind != GroupKind::pointwise) return facts_of(kind).obstacle;
      if (!has_room(group)) return refusal::many_operations;
      // Empty spaces have equal sizes whatever their axes are.
      const bool is_empty = same(numel(graph.type(graph[id].inputs[0]).shape), 0);
      return is_empty ? refusal::other_space : "";
    }
    const std::string_view obstacle = kind_obstacle(*this, id, group);
    if (!obstacle.empty()) return obstacle;
    if (!has_room(group)) return refusal::many_operations;
    if (takes_some_operands_from(*this, id, group)) {
      return "the kernel of a few scalars does not wait for other operands of their reader";
    }
    return chains_scalar_reductions(*this, id, group)
               ? "it combines scalar reductions of independent kernels"
               : "";
  }

  /// Why `group` cannot compute `id` at `index`, that of the operand for a reduction; empty if it
  /// can.
  std::string_view index_obstacle(NodeId id, const Index& index, std::int32_t group) {
    if (is_reduction(graph[id].op)) {
      const std::string_view obstacle = read_obstacle(graph[id].inputs[0], index, group);
      return obstacle.empty() ? reduction_obstacle(id, group, index) : obstacle;
    }
    return is_serial(at(group), index) ? refusal::few_rows : operand_obstacle(id, index, group);
  }

  /// Fuses `id` into `group`; if it cannot, says why.
  std::string_view fuse(NodeId id, std::int32_t group, bool needs_whole) {
    ++result.tried;
    const Node& node = graph[id];
    const bool reduces = is_reduction(node.op);
    std::string_view obstacle = group_obstacle(id, group);
    if (!obstacle.empty()) return obstacle;
    obstacle = node.op == Op::gather ? refusal::gathered : refusal::other_space;
    const Value self(id);
    const bool by_operands = reduces || is_elementwise(node.op);  // which have the same index
    for (const Value value : by_operands ? Span<const Value>(node.inputs) : Span(&self, 1)) {
      for (const Index& index : candidate_indices(value, group, needs_whole || reduces)) {
        obstacle = index_obstacle(id, index, group);
        if (!obstacle.empty()) continue;
        place(id, group, reduces ? other_axes(index, mask_of(numbers(node, "axes"))) : index);
        if (reduces) result.placements[id].reads = index;
        return "";
      }
    }
    return obstacle;
  }

  /// Notes why `id` loads those of its operands that `group` computes; all of them by default.
  void refuse(NodeId id, std::string_view reason, std::int32_t group = no_group) const {
    if (refusals == nullptr) return;
    for (const NodeId operand : operands(id)) {
      if (group == no_group || group_of(operand) == group) refusals->add(operand, id, reason);
    }
  }

  /// Groups that compute an operand. First those that would have to store it, the latest first;
  /// then the others, the earliest first, so that siblings share a group.
  Vector<std::int32_t> producer_groups(NodeId id) const {
    Vector<std::int32_t> found;
    for (const bool inlined : {false, true}) {
      Vector<std::int32_t> part;
      for (const NodeId operand : operands(id)) {
        if (group_of(operand) == no_group || analysis.nodes[operand].inlined != inlined) continue;
        part.push_back(group_of(operand));
      }
      stable_sort(part);
      if (!inlined) std::reverse(part.begin(), part.end());
      found.insert(found.end(), part.begin(), part.end());
    }
    return found;
  }

  bool fuse_with_producer(NodeId id) {
    for (const std::int32_t group : producer_groups(id)) {
      const std::string_view obstacle = fuse(id, group, false);
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
        if (fuse(id, group, true).empty()) return true;
      }
    }
    return false;
  }

  void create(NodeId id, GroupKind kind, const Shape& space, std::uint32_t axes) {
    FusionGroup group{.kind = kind, .space = space, .ranges = ranges_over(space)};
    for (int axis = 0; axis < space.size(); ++axis) {
      if (!group.ranges[axis].is_number()) group.reduced |= axes & 1u << axis;
    }
    const Index index = other_axes(group.ranges, axes), all = group.ranges;
    result.groups.push_back(std::move(group));
    place(id, static_cast<std::int32_t>(result.groups.size()) - 1, index);
    result.placements[id].reads = all;
  }

  /// A scan or a sort, which iterates along one axis of its own elements.
  void create_row_group(NodeId id, GroupKind kind) {
    create(id, kind, shape(id), mask_of({number(graph[id], "axis")}));
    Placement& place = result.placements[id];
    place.index = place.reads;
  }

  /// Creates the group of an operation that never joins another one.
  bool visit_separate(NodeId id) {
    const Op op = graph[id].op;
    if (op == Op::argsort || info(op).kind == OpKind::row) {
      refuse(id, "a sort or scan needs a kernel of its own");
      create_row_group(id, op == Op::argsort ? GroupKind::sort : GroupKind::scan);
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
    if (result.partials.count(id) != 0) return fuse_partial(*this, id);
    if (visit_separate(id)) return;
    if (fuse_with_producer(id) || fuse_with_sibling(id)) return;
    if (!is_reduction(op)) {
      const bool sums = chains_scalar_reductions(*this, id);
      create(id, GroupKind::pointwise, shape(id), 0);
      if (sums) combining_scalars.insert(group_of(id));
      return;
    }
    const Shape& space = graph.type(graph[id].inputs[0]).shape;
    create(id, GroupKind::rows, space, mask_of(numbers(graph[id], "axes")));
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
  builder.result.max_partial_bytes = target.most_partial_bytes;
  builder.result.placements.resize(graph.nodes.size());
  builder.ready_after.assign(graph.nodes.size(), no_group);
  builder.readers.resize(graph.nodes.size());
  for (const NodeId id : analysis.order) builder.visit(id);
  detail::merge_lone_partials(builder);
  if (target.fuses_segments) detail::fuse_segmented_reductions(builder);
  return std::move(builder.result);
}

}  // namespace sinter::inline SINTER_ABI::detail::schedule
