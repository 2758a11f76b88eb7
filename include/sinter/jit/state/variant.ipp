#pragma once

#include <sinter/device/cuda/memory.hpp>
#include <sinter/guard/guard.hpp>
#include <sinter/jit/state/variant.hpp>
#include <sinter/trace/core/evaluate.hpp>
#include <sinter/trace/ops/creation/random.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

// Leaves and captured elements; null for the state of random numbers.
SINTER_INLINE void bind_kept(const Variant& variant, std::span<const guard::Leaf> leaves,
                             Memory& memory) {
  memory.kept_from.clear();
  const std::size_t random = variant.recording.is_random ? 2 : 0;
  for (const std::int32_t input : variant.runnable.program->kept_inputs()) {
    const auto at = static_cast<std::size_t>(input);
    memory.kept_from.push_back(at < leaves.size() ? &elements_of(*leaves[at].tensor)
                               : at < leaves.size() + random
                                   ? nullptr
                                   : &variant.recording.captured[at - leaves.size() - random]);
  }
}

SINTER_INLINE void bind_inputs(const Variant& variant, std::span<const guard::Leaf> leaves,
                               Memory& memory, Where where) {
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
  bind_kept(variant, leaves, memory);
}

SINTER_INLINE std::span<Tensor> run(const Variant& variant, std::span<const guard::Leaf> leaves,
                                    std::span<const std::int64_t> symbols, Memory& memory) {
  if (variant.recording.is_random) {
    memory.draw.emplace(variant.recording.draws);
    memory.random_state[0] = memory.draw->state().seed;
    memory.random_state[1] = memory.draw->state().offset;
  }
  detail::Outcome outcome{memory};
  try {
    detail::take_outputs(variant.runnable, leaves, symbols, memory);
    detail::make_tensors(variant.runnable, symbols, memory);  // all that can fail, before it runs
    detail::execute(variant.runnable, leaves, symbols, memory);
  } catch (const CudaOutOfMemory& error) {
    detail::throw_with_plan(variant.runnable, symbols, error.report);
  }
  outcome.is_good = true;
  return memory.tensors;
}

SINTER_INLINE bool loose_leaves_fit(const Call& call) {
  const guard::Guard& guard = call.variant->recording.guard;
  for (const std::uint32_t leaf : call.loose) {
    if (!guard::matches(guard.leaves[leaf], call.leaves()[leaf], call.symbols)) return false;
  }
  return true;
}

SINTER_INLINE void bind_loose_leaves(Call& call, Where where) {
  for (const std::uint32_t leaf : call.loose) {
    call.memory.inputs[leaf] = elements_of(*call.leaves()[leaf].tensor, where).data();
  }
  if (call.variant->runnable.program->device().is_cpu()) {
    return bind_kept(*call.variant, call.leaves(), call.memory);
  }
  for (const std::uint32_t leaf : call.loose) {  // a GPU is told of all, in their order
    call.memory.kept_from[leaf] = &elements_of(*call.leaves()[leaf].tensor, where);
  }
}

}  // namespace sinter::inline SINTER_ABI::detail::jit
