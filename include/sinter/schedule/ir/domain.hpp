#pragma once
// The iteration space of a fusion group, and the placement of its nodes in it.

#include <array>        // std::array
#include <cstddef>      // std::size_t
#include <cstdint>      // std::uint32_t
#include <string_view>  // std::string_view
#include <vector>       // std::vector

#include <sinter/base/container/vector.hpp>
#include <sinter/config.hpp>
#include <sinter/schedule/ir/access.hpp>
#include <sinter/schedule/ir/target.hpp>
#include <sinter/symbol/extent/interval.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

// clang-format off
enum class GroupKind : std::uint8_t {
  pointwise,    ///< Every member has the shape of the space.
  rows,         ///< Members have the shape of the space, or of the space without reduced axes.
  product,      ///< A dot_general, whose result is the space, and its elementwise epilogue.
  scatter,      ///< A scatter_add alone.
  concatenate,  ///< A concatenation alone: each operand is written to its place in the result.
  scan,         ///< A cumsum or cumprod along the reduced axis, and its elementwise readers.
  sort          ///< An argsort alone.
};
// clang-format on

struct GroupKindFacts {
  std::string_view name;
  bool is_alone = false;           ///< Such a group fuses with no other node.
  std::string_view obstacle = "";  ///< Why it takes no node, or none of some kinds.
};

/// In the order of GroupKind.
inline constexpr std::array<GroupKindFacts, 7> group_kinds{{
    {"pointwise"},
    {"rows"},
    {"product", false, "a product computes its result tile by tile"},
    {"scatter", true, "a scatter is complete only after all its additions"},
    {"concatenate", true, "a concatenation writes its operands one by one"},
    {"scan", false, "a scan computes its rows sequentially"},
    {"sort", true, "it is complete only after its row is sorted"},
}};

inline const GroupKindFacts& facts_of(GroupKind kind) {
  return group_kinds[static_cast<std::size_t>(kind)];
}

struct FusionGroup {
  GroupKind kind{};
  Shape space{};
  Index ranges{};             ///< The ranges of the space.
  std::uint32_t reduced = 0;  ///< Bit i: axis i of the space is reduced or scanned.
  Vector<NodeId> members{};   ///< In the order in which they were fused.
  Extent chunks = 0;  ///< Chunks of the first grid axis; 0 if there are no partial reductions.
};

/// The value of FusionGroup::chunks if each grid point is a chunk, with partial results of its own.
inline constexpr std::int64_t one_chunk_per_point = -1;

/// A node and its index, in terms of the ranges of its fusion group.
struct Placement {
  std::int32_t group = -1;
  Index index{};
  Index reads{};  ///< The index of the operand of a reduction.
};

/// Whether one thread may compute a reduction of `elements` elements to a scalar.
inline bool may_be_serial(std::int64_t elements, const ParallelLimits& limits) {
  return elements <= limits.largest_serial || elements == unbounded;
}

namespace detail {

inline Shape filtered(const Shape& shape, std::uint32_t axes, bool listed) {
  Shape result;
  for (int axis = 0; axis < shape.size(); ++axis) {
    if (((axes >> axis & 1) != 0) == listed) result.push_back(shape[axis]);
  }
  return result;
}

}  // namespace detail

/// The axes of `shape` in the mask `axes`, and those that are not in it.
inline Shape listed_axes(const Shape& shape, std::uint32_t axes) {
  return detail::filtered(shape, axes, true);
}

inline Shape other_axes(const Shape& shape, std::uint32_t axes) {
  return detail::filtered(shape, axes, false);
}

/// The mask with bit i set for each axis i in the list.
inline std::uint32_t mask_of(const std::vector<std::int64_t>& axes) {
  std::uint32_t result = 0;
  for (const std::int64_t axis : axes) result |= 1u << axis;
  return result;
}

/// The axes of the space that are not reduced, which form the grid.
inline Shape grid_shape(const FusionGroup& group) { return other_axes(group.space, group.reduced); }

inline Index grid_ranges(const FusionGroup& group) {
  return other_axes(group.ranges, group.reduced);
}

/// The reduced axes, or those contracted by a product.
inline Shape row_shape(const Graph& graph, const FusionGroup& group) {
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

inline Index row_ranges(const Graph& graph, const FusionGroup& group) {
  if (group.kind != GroupKind::product) {
    return listed_axes(group.ranges, group.reduced);
  }
  const auto first = static_cast<std::uint32_t>(group.space.size());
  return ranges_over(row_shape(graph, group), first);
}

/// Whether threads can share `rows` rows with `elements` elements in total: there are many, or some
/// that are short enough for the L2 cache, so that each is read from memory once.
inline bool can_be_shared(std::int64_t rows, std::int64_t elements,
                          const ParallelLimits& limits = {}) {
  if (rows >= limits.fewest_points) return true;
  return rows >= limits.fewest_short_rows && elements <= rows * limits.longest_short_row;
}

/// Whether threads can share the points of the grid, or the space is small enough for one thread.
/// Unbounded sizes are assumed to fit.
inline bool is_parallel(const FusionGroup& group, const ParallelLimits& limits = {}) {
  const std::int64_t points = bounds(numel(grid_shape(group))).max;
  const std::int64_t elements = bounds(numel(group.space)).max;
  return can_be_shared(points, elements, limits) || may_be_serial(elements, limits);
}

}  // namespace sinter::inline SINTER_ABI::detail::schedule
