#pragma once
// What a kernel runs over, and where in it each of its nodes is computed.

#include <cstdint>  // std::uint32_t
#include <vector>   // std::vector

#include <sinter/config.hpp>
#include <sinter/schedule/ir/access.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

// clang-format off
enum class ClusterKind : std::uint8_t {
  pointwise,  ///< Every member has the space of the cluster.
  rows,       ///< Members have the space, or what is left of it without the reduced axes.
  product,    ///< A dot_general, whose result is the space, and what is done to its elements.
  scatter,    ///< A scatter_add alone.
  parts,      ///< A concatenation alone, whose parts are written in their places.
  scan,       ///< A cumsum or cumprod, which goes along the reduced axis, and what is done to it.
  sort        ///< An argsort alone.
};
// clang-format on

/// A scalar reduction runs on one thread: it takes over no pointwise work larger than this.
inline constexpr std::int64_t largest_serial = 65536;

struct Cluster {
  ClusterKind kind{};
  Shape space{};
  Index ranges{};                 ///< Over the space.
  std::uint32_t reduced = 0;      ///< Bit i: axis i of the space is reduced, or gone along.
  std::vector<NodeId> members{};  ///< In the order in which they joined.
  Extent chunks = 0;              ///< Of its grid, along the first axis; 0 if it has no partials.
};

/// The chunks of a cluster each point of which is a chunk: its partial results are all there are.
inline constexpr std::int64_t own_chunks = -1;

/// A node and its index, in terms of the ranges of its cluster.
struct Placement {
  std::int32_t cluster = -1;
  Index index{};
  Index reads{};  ///< Of a reduction: the index of its operand.
};

/// True for what takes in no other node.
inline bool is_alone(ClusterKind kind) {
  return kind == ClusterKind::scatter || kind == ClusterKind::parts || kind == ClusterKind::sort;
}

/// The axes of `shape` that are listed in the mask `axes`, or the others.
Shape listed_axes(const Shape& shape, std::uint32_t axes);
Shape other_axes(const Shape& shape, std::uint32_t axes);

/// Bit i is set for each axis i.
std::uint32_t mask_of(const std::vector<std::int64_t>& axes);

/// The axes of the space that are not reduced: one point of the grid each.
Shape grid_shape(const Cluster& cluster);
Index grid_ranges(const Cluster& cluster);
/// The reduced axes, or those that a product contracts.
Shape row_shape(const Graph& graph, const Cluster& cluster);
Index row_ranges(const Graph& graph, const Cluster& cluster);

/// Whether so many rows of so many elements in all are enough for threads to share: many, or a few
/// that the second cache of each thread holds, which then reads them once.
bool are_shared(std::int64_t rows, std::int64_t elements);

/// Whether the grid has enough points to be shared by threads, or the space is small. Sizes without
/// a bound are taken to fit.
bool is_parallel(const Cluster& cluster);

}  // namespace sinter::inline SINTER_ABI::detail::schedule

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/ir/domain.ipp>
#endif
