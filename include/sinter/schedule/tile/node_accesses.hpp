#pragma once
// Which kernels read and write each node, and where: the facts from which kernels are tiled as one.

#include <cstdint>  // std::int32_t, std::uint64_t
#include <vector>   // std::vector

#include <sinter/base/container/hash_map.hpp>
#include <sinter/base/container/unique_ptr.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/config.hpp>
#include <sinter/schedule/lower/kernels.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

/// A kernel of a group.
struct GroupMember {
  std::size_t kernel = 0;  ///< Its position.
  Index rows{};            ///< For each row loop of the group, its variable in this kernel.
};

/// The loops of the grid of `kernel`, that of `member`, which are not rows.
Vector<Loop> columns_of(const Kernel& kernel, const GroupMember& member);

/// Kernels that run for the same rows, in order of their positions. Tiles are ranges of the last
/// row loop.
struct TiledGroup {
  Vector<GroupMember> members{};
  bool single_rows = false;  ///< Rows share no factor: each row is a tile of its own.
};

/// Which kernels write and read the memory of each node.
class NodeAccesses {
 public:
  NodeAccesses(const Graph& graph, const Vector<LoweredKernel>& kernels);

  const Shape& shape(NodeId node) const { return graph_[node].results[0].shape; }
  /// The kernel that writes `node`; -1 if none does, or several.
  std::int32_t writer(NodeId node) const;
  /// Whether `kernel` writes `node`, alone or with others.
  bool writes(std::size_t kernel, NodeId node) const;
  /// The kernels that read `node`, ascending.
  const Vector<std::size_t>& readers(NodeId node) const;
  /// Whether `node` is an output of the graph.
  bool is_output(NodeId node) const { return node < outputs_.size() && outputs_[node]; }

  /// The index into `node` of each instruction of `code`, a load or a store, in kernel `k`.
  const Vector<Index>& indices(std::size_t k, NodeId node, Code code) const;
  /// The axes of `node` that the row loops of `member`, its writer, iterate over; empty if one of
  /// them does not have an axis of its own.
  std::vector<int> row_axes(const GroupMember& member, NodeId node) const;
  /// Whether each row of `member` reads only its own row of `node`.
  bool reads_rows(const GroupMember& member, NodeId node, const std::vector<int>& axes) const;

 private:
  const Graph& graph_;
  const Vector<LoweredKernel>& kernels_;
  HashMap<NodeId, Vector<std::size_t>> writers_{}, readers_{};
  Vector<bool> outputs_{};
  // What indices() has found: groups ask for the same again and again.
  mutable HashMap<std::uint64_t, UniquePtr<const Vector<Index>>> indices_{};
};

}  // namespace sinter::inline SINTER_ABI::detail::schedule

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/tile/node_accesses.ipp>
#endif
