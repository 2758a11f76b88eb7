#pragma once
// Dependences between kernels.

#include <algorithm>  // std::unique
#include <cstddef>    // std::size_t
#include <utility>    // std::move

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/hash_map.hpp>
#include <sinter/base/container/small_vector.hpp>
#include <sinter/base/container/span.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/config.hpp>
#include <sinter/schedule/lower/lowered_kernel.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

/// Node `output` may use the memory of node `input`.
struct NodeUpdate {
  NodeId input = 0, output = 0;
};

/// Positions of a few kernels.
using KernelNumbers = SmallVector<std::size_t, 4>;

/// For each kernel, by its position in a valid order: the kernels that it depends on, which are all
/// earlier in that order, and the kernels that depend on it.
struct Dependences {
  Vector<KernelNumbers> before{}, after{};
};

namespace detail {

struct DependenceFinder {
  Span<const LoweredKernel> kernels;
  Span<const std::size_t> order;
  Dependences result{};
  HashMap<NodeId, KernelNumbers> readers{}, writers{};

  void add(std::size_t before, std::size_t after) {
    if (before == after) return;
    result.before[after].push_back(before);
  }

  // Kernels that only write a node write separate parts of it, independently of each other.
  void visit(std::size_t k, NodeId node, Access access) {
    if (access != Access::write) {
      for (const std::size_t writer : writers[node]) add(writer, k);
      readers[node].push_back(k);
    }
    if (access == Access::read) return;
    for (const std::size_t reader : readers[node]) add(reader, k);
    writers[node].push_back(k);
  }

  const LoweredKernel& at(std::size_t k) const { return kernels[order.empty() ? k : order[k]]; }

  void visit(std::size_t k) {
    for_each_buffer(at(k), [&](NodeId node, std::size_t i) {
      visit(k, node, at(k).kernel.arguments[i].access);
    });
  }

  void add_update(const NodeUpdate& update, const Vector<std::size_t>& faulting) {
    for (const std::size_t writer : writers[update.output]) {
      for (const std::size_t reader : readers[update.input]) add(reader, writer);
      for (const std::size_t other : faulting) add(other, writer);
    }
  }

  void sort_edges() {
    for (std::size_t k = 0; k < result.before.size(); ++k) {
      auto& list = result.before[k];
      stable_sort(list);
      list.resize(static_cast<std::size_t>(std::unique(list.begin(), list.end()) - list.begin()));
      for (const std::size_t other : list) result.after[other].push_back(k);
    }
  }
};

}  // namespace detail

/// A kernel depends on those that write what it reads or writes, on those that read what it writes,
/// and, where it writes one of `updates` over an input, on all that read the input or can fault.
/// `order` has the positions of `kernels` in a valid order; empty if they are in one.
inline Dependences dependences(Span<const LoweredKernel> kernels,
                               Span<const std::size_t> order = {},
                               Span<const NodeUpdate> updates = {}) {
  const std::size_t count = order.empty() ? kernels.size() : order.size();
  detail::DependenceFinder finder{kernels, order};
  finder.result.before.resize(count);
  finder.result.after.resize(count);
  Vector<std::size_t> faulting;
  for (std::size_t k = 0; k < count; ++k) {
    finder.visit(k);
    if (can_fault(finder.at(k))) faulting.push_back(k);
  }
  for (const NodeUpdate& update : updates) finder.add_update(update, faulting);
  finder.sort_edges();
  return std::move(finder.result);
}

}  // namespace sinter::inline SINTER_ABI::detail::schedule
