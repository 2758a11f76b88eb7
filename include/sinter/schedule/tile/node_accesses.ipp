#pragma once

#include <utility>  // std::move

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/schedule/tile/node_accesses.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

SINTER_INLINE Vector<Loop> columns_of(const Kernel& kernel, const GroupMember& member) {
  Vector<Loop> result;
  for (const Loop& loop : kernel.grid) {
    const auto is_it = [&](Extent row) { return same(row, loop.variable); };
    if (none_of(member.rows, is_it)) result.push_back(loop);
  }
  return result;
}

SINTER_INLINE NodeAccesses::NodeAccesses(const Graph& graph, const Vector<LoweredKernel>& kernels)
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

SINTER_INLINE bool NodeAccesses::writes(std::size_t kernel, NodeId node) const {
  const auto found = writers_.find(node);
  return found != writers_.end() && contains(found->second, kernel);
}

SINTER_INLINE std::int32_t NodeAccesses::writer(NodeId node) const {
  const auto found = writers_.find(node);
  if (found == writers_.end() || found->second.size() != 1) return -1;
  return static_cast<std::int32_t>(found->second[0]);
}

SINTER_INLINE const Vector<std::size_t>& NodeAccesses::readers(NodeId node) const {
  static const auto& none = *new Vector<std::size_t>;
  const auto found = readers_.find(node);
  return found == readers_.end() ? none : found->second;
}

SINTER_INLINE const Vector<Index>& NodeAccesses::indices(std::size_t k, NodeId node,
                                                         Code code) const {
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

SINTER_INLINE std::vector<int> NodeAccesses::row_axes(const GroupMember& member,
                                                      NodeId node) const {
  const Vector<Index>& stores = indices(member.kernel, node, Code::store);
  if (stores.size() != 1) return {};
  std::vector<int> result;
  for (const Extent row : member.rows) {
    int axis = 0;
    while (axis < stores[0].size() && !same(stores[0][axis], row)) ++axis;
    if (axis == stores[0].size()) return {};
    result.push_back(axis);
  }
  return result;
}

SINTER_INLINE bool NodeAccesses::reads_rows(const GroupMember& member, NodeId node,
                                            const std::vector<int>& axes) const {
  for (const Index& index : indices(member.kernel, node, Code::load)) {
    for (std::size_t i = 0; i < axes.size(); ++i) {
      if (!same(index[axes[i]], member.rows[static_cast<int>(i)])) return false;
    }
  }
  return true;
}

}  // namespace sinter::inline SINTER_ABI::detail::schedule
