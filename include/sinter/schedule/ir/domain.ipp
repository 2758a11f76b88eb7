#pragma once

#include <sinter/schedule/ir/domain.hpp>
#include <sinter/symbol/extent/interval.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

namespace detail {

SINTER_INLINE Shape filtered(const Shape& shape, std::uint32_t axes, bool listed) {
  Shape result;
  for (int axis = 0; axis < shape.size(); ++axis) {
    if (((axes >> axis & 1) != 0) == listed) result.push_back(shape[axis]);
  }
  return result;
}

}  // namespace detail

SINTER_INLINE Shape listed_axes(const Shape& shape, std::uint32_t axes) {
  return detail::filtered(shape, axes, true);
}

SINTER_INLINE Shape other_axes(const Shape& shape, std::uint32_t axes) {
  return detail::filtered(shape, axes, false);
}

SINTER_INLINE std::uint32_t mask_of(const std::vector<std::int64_t>& axes) {
  std::uint32_t result = 0;
  for (const std::int64_t axis : axes) result |= 1u << axis;
  return result;
}

SINTER_INLINE Shape grid_shape(const FusionGroup& group) {
  return other_axes(group.space, group.reduced);
}

SINTER_INLINE Index grid_ranges(const FusionGroup& group) {
  return other_axes(group.ranges, group.reduced);
}

SINTER_INLINE Shape row_shape(const Graph& graph, const FusionGroup& group) {
  if (group.kind != GroupKind::product) {
    return listed_axes(group.space, group.reduced);
  }
  const Node& node = graph[group.members[0]];
  Shape result;
  for (const std::int64_t axis : numbers(node, "lhs_contract")) {
    result.push_back(graph.type(node.inputs[0]).shape[static_cast<int>(axis)]);
  }
  return result;
}

SINTER_INLINE Index row_ranges(const Graph& graph, const FusionGroup& group) {
  if (group.kind != GroupKind::product) {
    return listed_axes(group.ranges, group.reduced);
  }
  const auto first = static_cast<std::uint32_t>(group.space.size());
  return ranges_over(row_shape(graph, group), first);
}

SINTER_INLINE bool can_be_shared(std::int64_t rows, std::int64_t elements,
                                 const ParallelLimits& limits) {
  if (rows >= limits.fewest_points) return true;
  return rows >= limits.fewest_short_rows && elements <= rows * limits.longest_short_row;
}

SINTER_INLINE bool is_parallel(const FusionGroup& group, const ParallelLimits& limits) {
  const std::int64_t points = bounds(numel(grid_shape(group))).max;
  const std::int64_t elements = bounds(numel(group.space)).max;
  return can_be_shared(points, elements, limits) || may_be_serial(elements, limits);
}

}  // namespace sinter::inline SINTER_ABI::detail::schedule
