#pragma once
// Which kernels read and write each node, and where: the facts from which kernels are tiled as one.

#include <cstdint>  // std::int32_t, std::uint64_t
#include <utility>  // std::move

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/hash_map.hpp>
#include <sinter/base/container/small_vector.hpp>
#include <sinter/base/container/unique_ptr.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/config.hpp>
#include <sinter/schedule/lower/lowered_kernel.hpp>
#include <sinter/symbol/shape.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

/// Numbers of axes, or of row loops.
using AxisNumbers = SmallVector<int, max_rank>;

/// A kernel of a group.
struct GroupMember {
  std::size_t kernel = 0;  ///< Its position.
  Index rows{};            ///< For each row loop of the group, its variable in this kernel.
};

/// Kernels that run for the same rows, in order of their positions. Tiles are ranges of the last
/// row loop.
struct TiledGroup {
  Vector<GroupMember> members{};
  bool single_rows = false;  ///< Rows share no factor: each row is a tile of its own.
};

/// Which kernels write and read the memory of each node.
class NodeAccesses {
 public:
  NodeAccesses(const Graph& graph, const Vector<LoweredKernel>& kernels)
      : graph_(graph), kernels_(kernels), outputs_(graph.nodes.size(), false) {
    for (const Value output : graph.outputs) outputs_[stored_node(graph, output)] = true;
    for (std::size_t k = 0; k < kernels.size(); ++k) {
      for_each_buffer(kernels[k], [&](NodeId node, std::size_t i) {
        const Access access = kernels[k].kernel.arguments[i].access;
        if (access != Access::write) readers_[node].push_back(k);
        if (access != Access::read) writers_[node].push_back(k);
      });
    }
  }

  const Shape& shape(NodeId node) const { return graph_[node].results[0].shape; }

  /// The kernel that writes `node`; -1 if none does, or several.
  std::int32_t writer(NodeId node) const {
    const auto found = writers_.find(node);
    if (found == writers_.end() || found->second.size() != 1) return -1;
    return static_cast<std::int32_t>(found->second[0]);
  }

  /// Whether `kernel` writes `node`, alone or with others.
  bool writes(std::size_t kernel, NodeId node) const {
    const auto found = writers_.find(node);
    return found != writers_.end() && contains(found->second, kernel);
  }

  /// The kernels that read `node`, ascending.
  const Vector<std::size_t>& readers(NodeId node) const {
    static const auto& none = *new Vector<std::size_t>;
    const auto found = readers_.find(node);
    return found == readers_.end() ? none : found->second;
  }

  /// Whether `node` is an output of the graph.
  bool is_output(NodeId node) const { return node < outputs_.size() && outputs_[node]; }

  /// The index into `node` of each instruction of `code`, a load or a store, in kernel `k`.
  const Vector<Index>& indices(std::size_t k, NodeId node, Code code) const {
    const std::uint64_t key = std::uint64_t{k} << 33 | std::uint64_t{node} << 1 |
                              static_cast<std::uint64_t>(code == Code::store);
    UniquePtr<const Vector<Index>>& known = indices_[key];
    if (known != nullptr) return *known;
    Vector<Index> result;
    const LoweredKernel& lowered = kernels_[k];
    const std::int32_t argument = detail::argument_of(lowered, node);
    for (const Instruction& one : lowered.kernel.instructions) {
      if (one.code != code || one.argument != argument) continue;
      result.push_back(reshaped({one.index}, {numel(shape(node))}, shape(node)));
    }
    known = make_unique_ptr<const Vector<Index>>(std::move(result));
    return *known;
  }

  /// The axes of `node` that the row loops of `member`, its writer, iterate over; empty if one of
  /// them does not have an axis of its own.
  AxisNumbers row_axes(const GroupMember& member, NodeId node) const {
    const Vector<Index>& stores = indices(member.kernel, node, Code::store);
    if (stores.size() != 1) return {};
    AxisNumbers result;
    for (const Extent row : member.rows) {
      int axis = 0;
      while (axis < stores[0].size() && !same(stores[0][axis], row)) ++axis;
      if (axis == stores[0].size()) return {};
      result.push_back(axis);
    }
    return result;
  }

  /// Whether each row of `member` reads only its own row of `node`.
  bool reads_rows(const GroupMember& member, NodeId node, const AxisNumbers& axes) const {
    for (const Index& index : indices(member.kernel, node, Code::load)) {
      for (std::size_t i = 0; i < axes.size(); ++i) {
        if (!same(index[axes[i]], member.rows[static_cast<int>(i)])) return false;
      }
    }
    return true;
  }

 private:
  const Graph& graph_;
  const Vector<LoweredKernel>& kernels_;
  HashMap<NodeId, Vector<std::size_t>> writers_{}, readers_{};
  Vector<bool> outputs_{};
  // What indices() has found: groups ask for the same again and again.
  mutable HashMap<std::uint64_t, UniquePtr<const Vector<Index>>> indices_{};
};

/// Whether `variable` is that of a row loop of `member`.
inline bool is_row(const GroupMember& member, Extent variable) {
  return any_of(member.rows, [&](Extent row) { return same(row, variable); });
}

/// The loops of the grid of `kernel`, that of `member`, which are not rows.
inline Vector<Loop> columns_of(const Kernel& kernel, const GroupMember& member) {
  Vector<Loop> result;
  for (const Loop& loop : kernel.grid) {
    if (!is_row(member, loop.variable)) result.push_back(loop);
  }
  return result;
}

}  // namespace sinter::inline SINTER_ABI::detail::schedule
