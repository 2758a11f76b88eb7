#pragma once

#include <algorithm>  // std::max, std::min, std::reverse
#include <utility>    // std::move

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/schedule/fuse/axes.hpp>
#include <sinter/schedule/fuse/builder.hpp>
#include <sinter/schedule/fuse/gather.hpp>
#include <sinter/schedule/fuse/partial_reductions.hpp>
#include <sinter/schedule/fuse/segmented_reduction.hpp>
#include <sinter/schedule/fuse/siblings.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

namespace detail {

SINTER_INLINE Vector<std::int32_t> GroupBuilder::tried_readers(NodeId id) const {
  const Vector<std::int32_t>& known = readers[id];
  const std::size_t count = std::min(known.size(), max_groups_tried);
  Vector<std::int32_t> latest(known.end() - count, known.end());
  std::reverse(latest.begin(), latest.end());
  return latest;
}

SINTER_INLINE Vector<Index> GroupBuilder::candidate_indices(Value value, std::int32_t id,
                                                            bool needs_whole) {
  const FusionGroup& group = at(id);
  const Shape &shape = graph.type(value).shape, grid = grid_shape(group);
  Vector<Index> found;
  if (group_of(beneath(graph, value)) == id) {
    const Index& below = result.placements[beneath(graph, value)].index;
    if (const auto index = inverse_index(graph, value, below)) found.push_back(*index);
  }
  const bool whole = group.kind != GroupKind::product && same(numel(group.space), numel(shape));
  if (whole) found.push_back(reshaped(group.ranges, group.space, shape));
  const bool one_each = group.kind != GroupKind::pointwise && !needs_whole;
  if (one_each && same(numel(grid), numel(shape))) {
    found.push_back(reshaped(grid_ranges(group), grid, shape));
  }
  return found;
}

SINTER_INLINE std::string_view GroupBuilder::read_obstacle(Value value, const Index& index,
                                                           std::int32_t group) const {
  const NodeId operand = beneath(graph, value);
  if (after(operand) < group) return "";
  if (group_of(operand) != group) return refusal::kernel_between;
  if (result.partials.count(operand) != 0) {
    return "partial results are combined after all threads finish";
  }
  const Position found = element(graph, value, index);
  const bool is_same = found.node == operand && same(found.index, result.placements[operand].index);
  return is_same ? "" : refusal::other_element;
}

SINTER_INLINE std::string_view GroupBuilder::operand_obstacle(NodeId id, const Index& index,
                                                              std::int32_t group) const {
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

SINTER_INLINE bool GroupBuilder::operands_precede(const Node& node, std::int32_t group) const {
  return all_of(node.inputs, [&](Value part) { return after(beneath(graph, part)) < group; });
}

SINTER_INLINE void GroupBuilder::place(NodeId id, std::int32_t group, const Index& index) {
  result.placements[id] = {group, index, {}};
  at(group).members.push_back(id);
  for (const NodeId operand : operands(id)) {
    ready_after[id] = std::max(ready_after[id], after(operand));
    auto& known = readers[operand];
    if (known.empty() || known.back() != group) known.push_back(group);
  }
}

SINTER_INLINE Vector<Value> GroupBuilder::elementwise_operands(NodeId id) const {
  if (!is_elementwise(graph[id].op)) return {id};
  return {graph[id].inputs.begin(), graph[id].inputs.end()};
}

SINTER_INLINE bool GroupBuilder::is_serial(const FusionGroup& group, const Index& index) const {
  if (group.kind != GroupKind::rows || is_parallel(group, target.parallel)) return false;
  return (Coverage(group, index, 0).kept & group.reduced) != 0;
}

inline constexpr std::string_view scalars_alone =
    "the kernel of a few scalars does not wait for other operands of their reader";

SINTER_INLINE std::string_view GroupBuilder::fuse_pointwise(NodeId id, std::int32_t group,
                                                            bool needs_whole) {
  const std::string_view kind = kind_obstacle(*this, id, group);
  if (!kind.empty()) return kind;
  if (!has_room(group)) return refusal::many_operations;
  if (takes_some_operands_from(*this, id, group)) return scalars_alone;
  if (chains_scalar_reductions(*this, id, group)) {
    return "it combines scalar reductions of independent kernels";
  }
  std::string_view obstacle = graph[id].op == Op::gather ? refusal::gathered : refusal::other_space;
  for (const Value value : elementwise_operands(id)) {
    for (const Index& index : candidate_indices(value, group, needs_whole)) {
      obstacle =
          is_serial(at(group), index) ? refusal::few_rows : operand_obstacle(id, index, group);
      if (!obstacle.empty()) continue;
      place(id, group, index);
      return "";
    }
  }
  return obstacle;
}

SINTER_INLINE std::string_view GroupBuilder::fuse_reduction(NodeId id, std::int32_t group) {
  const GroupKind kind = at(group).kind;
  if (kind != GroupKind::rows && kind != GroupKind::pointwise) return obstacle_of(kind);
  if (!has_room(group)) return refusal::many_operations;
  const Value operand = graph[id].inputs[0];
  std::string_view obstacle = refusal::other_space;
  // Empty spaces have equal sizes whatever their axes are.
  if (same(numel(graph.type(operand).shape), 0)) return obstacle;
  for (const Index& index : candidate_indices(operand, group, true)) {
    obstacle = read_obstacle(operand, index, group);
    if (obstacle.empty()) obstacle = reduction_obstacle(id, group, index);
    if (!obstacle.empty()) continue;
    const std::uint32_t axes = mask_of(numbers(graph[id], "axes"));
    place(id, group, other_axes(index, axes));
    result.placements[id].reads = index;
    return "";
  }
  return obstacle;
}

SINTER_INLINE bool GroupBuilder::preserves_order(NodeId id, const FusionGroup& group,
                                                 const Index& index, std::uint32_t axes,
                                                 std::uint32_t reduced) const {
  if (graph[id].op != Op::argmax) return true;
  const Shape& shape = graph.type(graph[id].inputs[0]).shape;
  return same(linear(listed_axes(index, axes), listed_axes(shape, axes)),
              linear(listed_axes(group.ranges, reduced), listed_axes(group.space, reduced)));
}

SINTER_INLINE std::string_view GroupBuilder::reduction_obstacle(NodeId id, std::int32_t group_id,
                                                                const Index& index) {
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

SINTER_INLINE void GroupBuilder::refuse(NodeId id, std::string_view reason,
                                        std::int32_t group) const {
  if (refusals == nullptr) return;
  for (const NodeId operand : operands(id)) {
    if (group == no_group || group_of(operand) == group) refusals->add(operand, id, reason);
  }
}

SINTER_INLINE std::string_view GroupBuilder::fuse(NodeId id, std::int32_t group, bool needs_whole) {
  ++result.tried;
  return is_reduction(graph[id].op) ? fuse_reduction(id, group)
                                    : fuse_pointwise(id, group, needs_whole);
}

SINTER_INLINE Vector<std::int32_t> GroupBuilder::producer_groups(NodeId id) const {
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

SINTER_INLINE bool GroupBuilder::fuse_with_producer(NodeId id) {
  for (const std::int32_t group : producer_groups(id)) {
    const std::string_view obstacle = fuse(id, group, false);
    if (obstacle.empty()) return true;
    refuse(id, obstacle, group);
  }
  return false;
}

SINTER_INLINE void GroupBuilder::create(NodeId id, GroupKind kind, const Shape& space,
                                        std::uint32_t axes) {
  FusionGroup group{.kind = kind, .space = space, .ranges = ranges_over(space)};
  for (int axis = 0; axis < space.size(); ++axis) {
    if (!group.ranges[axis].is_number()) group.reduced |= axes & 1u << axis;
  }
  const Index index = other_axes(group.ranges, axes), all = group.ranges;
  result.groups.push_back(std::move(group));
  place(id, static_cast<std::int32_t>(result.groups.size()) - 1, index);
  result.placements[id].reads = all;
}

SINTER_INLINE void GroupBuilder::create_row_group(NodeId id, GroupKind kind) {
  create(id, kind, shape(id), mask_of({number(graph[id], "axis")}));
  Placement& place = result.placements[id];
  place.index = place.reads;
}

SINTER_INLINE bool GroupBuilder::visit_separate(NodeId id) {
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

SINTER_INLINE void GroupBuilder::visit(NodeId id) {
  const Op op = graph[id].op;
  if (result.partials.count(id) != 0) return fuse_partial(*this, id);
  if (visit_separate(id)) return;
  if (fuse_with_producer(id) || fuse_with_sibling(*this, id)) return;
  if (!is_reduction(op)) {
    const bool sums = chains_scalar_reductions(*this, id);
    create(id, GroupKind::pointwise, shape(id), 0);
    if (sums) combining_scalars.insert(group_of(id));
    return;
  }
  const Shape& space = graph.type(graph[id].inputs[0]).shape;
  create(id, GroupKind::rows, space, mask_of(numbers(graph[id], "axes")));
}

}  // namespace detail

SINTER_INLINE FusionGroups create_fusion_groups(const Graph& graph, const FusionAnalysis& analysis,
                                                PartialReductions partials, const Target& target,
                                                Refusals* refusals) {
  detail::GroupBuilder builder{graph, analysis, target};
  builder.refusals = refusals;
  builder.result.partials = std::move(partials);
  builder.result.max_partial_bytes = target.most_partial_bytes;
  builder.result.placements.resize(graph.nodes.size());
  builder.ready_after.assign(graph.nodes.size(), detail::no_group);
  builder.readers.resize(graph.nodes.size());
  for (const NodeId id : analysis.order) builder.visit(id);
  detail::merge_lone_partials(builder);
  if (target.fuses_segments) detail::fuse_segmented_reductions(builder);
  return std::move(builder.result);
}

}  // namespace sinter::inline SINTER_ABI::detail::schedule
