#pragma once

#include <atomic>   // std::atomic
#include <mutex>    // std::lock_guard
#include <utility>  // std::move

#include <sinter/graph/callee.hpp>
#include <sinter/symbol/solve/evaluate.hpp>

namespace sinter::inline SINTER_ABI::detail {

SINTER_INLINE Callee::Callee(Graph graph) : graph_(std::move(graph)) {
  static std::atomic<std::uint64_t> next{1};
  id_ = next++;
}

// `derive` may lock other callees, but not this one. If two threads derive the same callee, the
// result of the first to finish is kept.
SINTER_INLINE const DerivedCallee& Callee::derived(const Hash& key,
                                                   FunctionRef<DerivedCallee()> derive) const {
  {
    const std::lock_guard lock(mutex_);
    const auto known = derived_.find(key);
    if (known != derived_.end()) return known->second;
  }
  DerivedCallee found = derive();
  const std::lock_guard lock(mutex_);
  return derived_.try_emplace(key, std::move(found)).first->second;
}

SINTER_INLINE const Callee* callee_of(const Node& node) {
  if (node.op != Op::call || !node.bodies.empty()) return nullptr;
  return shared_callee_of(node).get();
}

SINTER_INLINE const SharedPtr<const Callee>& shared_callee_of(const Node& node) {
  return attribute<SharedPtr<const Callee>>(node, "callee");
}

SINTER_INLINE Span<const std::int64_t> callee_sizes(const Node& node) {
  return numbers(node, "sizes");
}

SINTER_INLINE Node call_of(SharedPtr<const Callee> callee, std::vector<std::int64_t> sizes) {
  Node node{.op = Op::call};
  node.attributes = {{"callee", std::move(callee)}, {"sizes", std::move(sizes)}};
  return node;
}

SINTER_INLINE TensorType type_with(const TensorType& type, Span<const std::int64_t> sizes) {
  TensorType result{type.dtype, {}};
  for (const Extent& extent : type.shape) {
    result.shape.push_back(extent.is_number() ? extent : Extent(evaluate(extent, sizes)));
  }
  return result;
}

}  // namespace sinter::inline SINTER_ABI::detail
