#pragma once

#include <sinter/trace/lazy.hpp>

namespace sinter::inline SINTER_ABI {

namespace detail {

// Moves the last references that `lazy` holds to `orphans`.
SINTER_INLINE void release_operands(Lazy& lazy, std::vector<Lazy*>& orphans) {
  const auto release = [&orphans](LazyRef& reference) {
    Lazy* const operand = reference.release();
    if (operand == nullptr) return;
    if (operand->references.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      orphans.push_back(operand);
    }
  };
  for (LazyValue& operand : lazy.operands) release(operand.lazy);
  release(lazy.stands_for);
}

SINTER_INLINE void destroy(Lazy* lazy) noexcept {
  std::vector<Lazy*> orphans{lazy};
  while (!orphans.empty()) {
    Lazy* const next = orphans.back();
    orphans.pop_back();
    release_operands(*next, orphans);
    delete next;
  }
}

}  // namespace detail

SINTER_INLINE LazyRef make_lazy(Node node, std::vector<LazyValue> operands,
                                RecordingId recording) {
  LazyRef result(new Lazy);
  result->recording = recording;
  result->node = std::move(node);
  result->operands = std::move(operands);
  return result;
}

SINTER_INLINE LazyRef make_evaluated(TensorType type, Storage elements) {
  LazyRef result(new Lazy);
  result->node.op = Op::input;
  result->node.results = {type};
  result->elements.push_back(std::move(elements));
  return result;
}

}  // namespace sinter::inline SINTER_ABI
