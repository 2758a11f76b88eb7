#pragma once
// The iteration space of a fusion group, and the placement of its nodes in it.

#include <cstdint>  // std::uint32_t
#include <vector>   // std::vector

#include <sinter/base/container/vector.hpp>
#include <sinter/config.hpp>
#include <sinter/schedule/ir/access.hpp>
#include <sinter/schedule/ir/target.hpp>

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

struct FusionGroup {
  GroupKind kind{};
  Shape space{};
  Index ranges{};                 ///< The ranges of the space.
  std::uint32_t reduced = 0;      ///< Bit i: axis i of the space is reduced or scanned.
  Vector<NodeId> members{};       ///< In the order in which they were fused.
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

/// True for groups that fuse with no other node.
inline bool is_alone(GroupKind kind) {
  return kind == GroupKind::scatter || kind == GroupKind::concatenate || kind == GroupKind::sort;
}

/// The axes of `shape` in the mask `axes`, and those that are not in it.
Shape listed_axes(const Shape& shape, std::uint32_t axes);
Shape other_axes(const Shape& shape, std::uint32_t axes);

/// The mask with bit i set for each axis i in the list.
std::uint32_t mask_of(const std::vector<std::int64_t>& axes);

/// The axes of the space that are not reduced, which form the grid.
Shape grid_shape(const FusionGroup& group);
Index grid_ranges(const FusionGroup& group);
/// The reduced axes, or those contracted by a product.
Shape row_shape(const Graph& graph, const FusionGroup& group);
Index row_ranges(const Graph& graph, const FusionGroup& group);

/// Whether threads can share `rows` rows with `elements` elements in total: there are many, or some
/// that are short enough for the L2 cache, so that each is read from memory once.
bool can_be_shared(std::int64_t rows, std::int64_t elements, const ParallelLimits& limits = {});

/// Whether threads can share the points of the grid, or the space is small enough for one thread.
/// Unbounded sizes are assumed to fit.
bool is_parallel(const FusionGroup& group, const ParallelLimits& limits = {});

/// Whether one thread may compute a reduction of `elements` elements to a scalar.
inline bool may_be_serial(std::int64_t elements, const ParallelLimits& limits) {
  return elements <= limits.largest_serial || elements == unbounded;
}

}  // namespace sinter::inline SINTER_ABI::detail::schedule

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/ir/domain.ipp>
#endif
