#pragma once

#include <sinter/device/host/gpu.hpp>
#include <sinter/guard/guard.hpp>
#include <sinter/jit/state/variant.hpp>
#include <sinter/trace/core/evaluate.hpp>
#include <sinter/trace/ops/creation/random.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

// The storages of leaves and captured elements; null for the random state.
SINTER_INLINE void bind_packed_inputs(const Variant& variant, Span<const guard::Leaf> leaves,
                                      CallMemory& memory) {
  memory.packed_from.clear();
  const std::size_t random = variant.recording.is_random ? 2 : 0;
  for (const std::int32_t input : variant.runnable.program->packed_inputs()) {
    const auto at = static_cast<std::size_t>(input);
    memory.packed_from.push_back(at < leaves.size() ? &elements_of(*leaves[at].tensor)
                                 : at < leaves.size() + random
                                     ? nullptr
                                     : &variant.recording.captured[at - leaves.size() - random]);
  }
}

SINTER_INLINE void bind_inputs(const Variant& variant, Span<const guard::Leaf> leaves,
                               CallMemory& memory, Where where) {
  memory.where = where;
  memory.inputs.clear();
  for (const guard::Leaf& leaf : leaves) {
    memory.inputs.push_back(elements_of(*leaf.tensor, where).data());
  }
  if (variant.recording.is_random) {
    memory.inputs.push_back(&memory.random_state[0]);
    memory.inputs.push_back(&memory.random_state[1]);
  }
  for (const Storage& captured : variant.recording.captured) {
    memory.inputs.push_back(captured.data());
  }
  bind_packed_inputs(variant, leaves, memory);
}

SINTER_INLINE Span<Tensor> run(const Variant& variant, Span<const guard::Leaf> leaves,
                               Span<const std::int64_t> symbols, CallMemory& memory) {
  if (variant.recording.is_random) {
    memory.draw.emplace(variant.recording.draws);
    memory.random_state[0] = memory.draw->state().seed;
    memory.random_state[1] = memory.draw->state().offset;
  }
  detail::ReleaseOnFailure outcome{memory};
  try {
    detail::allocate_outputs(variant.runnable, leaves, symbols, memory);
    detail::make_tensors(variant.runnable, symbols,
                         memory);  // everything that can fail, before it runs
    detail::execute(variant.runnable, leaves, symbols, memory);
  } catch (const GpuOutOfMemory& error) {
    detail::throw_with_plan(variant.runnable, symbols, error.report);
  }
  outcome.succeeded = true;
  return memory.tensors;
}

SINTER_INLINE bool unwatched_leaves_fit(const CallFrame& call) {
  const guard::Guard& guard = call.variant->recording.guard;
  for (const std::uint32_t leaf : call.unwatched) {
    if (!guard::matches(guard.leaves[leaf], call.leaves()[leaf], call.symbols)) return false;
  }
  return true;
}

SINTER_INLINE void bind_unwatched_leaves(CallFrame& call, Where where) {
  for (const std::uint32_t leaf : call.unwatched) {
    call.memory.inputs[leaf] = elements_of(*call.leaves()[leaf].tensor, where).data();
  }
  if (call.variant->runnable.program->device().is_cpu()) {
    return bind_packed_inputs(*call.variant, call.leaves(), call.memory);
  }
  for (const std::uint32_t leaf :
       call.unwatched) {  // a GPU gets all storages, in the order of the inputs
    call.memory.packed_from[leaf] = &elements_of(*call.leaves()[leaf].tensor, where);
  }
}

}  // namespace sinter::inline SINTER_ABI::detail::jit
