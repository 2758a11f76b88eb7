#pragma once

#include <algorithm>  // std::unique
#include <utility>    // std::move

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/hash_map.hpp>
#include <sinter/schedule/lower/dependences.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

namespace detail {

struct DependenceFinder {
  Span<const LoweredKernel> kernels;
  Span<const std::size_t> order;
  Dependences result{};
  HashMap<NodeId, Vector<std::size_t>> readers{};
  HashMap<NodeId, Vector<std::size_t>> writers{};

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
      list.erase(std::unique(list.begin(), list.end()), list.end());
      for (const std::size_t other : list) result.after[other].push_back(k);
    }
  }
};

}  // namespace detail

SINTER_INLINE Dependences dependences(Span<const LoweredKernel> kernels,
                                      Span<const std::size_t> order,
                                      Span<const NodeUpdate> updates) {
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
