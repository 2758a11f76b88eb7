#pragma once

#include <sinter/guard/guard.hpp>
#include <sinter/jit/call.hpp>
#include <sinter/jit/variant.hpp>
#include <sinter/trace/evaluate.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

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
