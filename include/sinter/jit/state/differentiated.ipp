#pragma once

#include <atomic>   // std::atomic
#include <cstring>  // std::memcpy
#include <utility>  // std::exchange

#include <sinter/base/container/vector.hpp>
#include <sinter/jit/state/differentiated.hpp>
#include <sinter/trace/core/evaluate.hpp>
#include <sinter/trace/subgraph/body.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

namespace detail {

SINTER_INLINE std::atomic<bool>& compiled_gradients_flag() {
  static auto& flag = *new std::atomic<bool>(false);
  return flag;
}

}  // namespace detail

SINTER_INLINE bool has_compiled_gradients() {
  return detail::compiled_gradients_flag().load(std::memory_order_relaxed);
}

namespace detail {

// Makes `lazy` an evaluated value with these elements.
SINTER_INLINE void give_elements(Lazy& lazy, Vector<Storage> elements) {
  lazy.elements = std::move(elements);
  lazy.set_device(lazy.elements[0].device());
  lazy.is_ready.store(true, MemoryOrder::release);
  values_with_operands->push_back(reference_to(lazy));
}

SINTER_INLINE LazyValue evaluated_operand(TensorType type, Storage elements) {
  return {make_evaluated(std::move(type), std::move(elements)), 0};
}

SINTER_INLINE LazyValue evaluated_operand(TensorType type, const void* element) {
  Storage copy = Storage::allocate(info(type.dtype).size);
  std::memcpy(copy.data(), element, info(type.dtype).size);
  return evaluated_operand({type.dtype, {}}, std::move(copy));
}

}  // namespace detail

SINTER_INLINE std::vector<Tensor> with_grad_fn(DifferentiatedCall values,
                                               const Vector<bool>& wanted, Where where) {
  Node node = call_of(std::move(values.callee), std::move(values.sizes));
  node.where = where;
  for (TensorType& type : values.types) node.results.push_back(std::move(type));
  const Vector<Storage> elements = values.elements;
  detail::compiled_gradients_flag().store(true, std::memory_order_relaxed);
  const LazyRef call = make_lazy(std::move(node), std::move(values.operands), 0);
  detail::give_elements(*call, std::move(values.elements));
  std::vector<Tensor> results(elements.size());
  for (std::uint32_t i = 0; i < wanted.size(); ++i) {
    if (!wanted[i]) continue;
    results[i] = sinter::detail::result_of(call, i, where);
    if (results[i].lazy() != call) detail::give_elements(*results[i].lazy(), {elements[i]});
  }
  return results;
}

SINTER_INLINE void attach_grad_fn(const Variant& variant, Span<const guard::Leaf> leaves,
                                  Span<const std::int64_t> symbols, CallMemory& memory) {
  const Recording& recording = variant.recording;
  DifferentiatedCall values{.callee = variant.callee, .sizes = {symbols.begin(), symbols.end()}};
  for (const guard::Leaf& leaf : leaves) {
    values.operands.push_back({leaf.tensor->lazy(), leaf.tensor->result()});
  }
  if (recording.is_random) {
    for (const std::int64_t number : memory.random_state) {
      values.operands.push_back(detail::evaluated_operand({i64, {}}, &number));
    }
  }
  const std::size_t first = recording.graph.inputs.size() - recording.captured.size();
  for (std::size_t i = 0; i < recording.captured.size(); ++i) {
    const TensorType& type = recording.graph.type(recording.graph.inputs[first + i]);
    values.operands.push_back(
        detail::evaluated_operand(type_with(type, symbols), recording.captured[i]));
  }
  for (const Tensor& tensor : memory.tensors) {
    values.types.push_back(tensor.type());
    values.elements.push_back(tensor.lazy()->elements[0]);
  }
  const std::vector<Tensor> results =
      with_grad_fn(std::move(values), recording.has_grad, memory.where);
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (results[i].defined()) memory.tensors[i] = results[i];
  }
}

}  // namespace sinter::inline SINTER_ABI::detail::jit
