#pragma once
// Scatter-add: which additions to indexed elements threads may perform in parallel, with atomics.

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/optional.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/codegen/text/layout.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

/// True if `store` may be an atomic addition, in any order, by any thread. Not for floating types
/// under `strict`, where sums keep their order, and not for bytes, which GPUs cannot add
/// atomically.
inline bool adds_atomically(const Instruction& store, bool strict) {
  return store.accumulate && info(store.dtype).size > 1 && !(strict && is_floating(store.dtype));
}

namespace detail {

// True if iterations are independent: they only read, compute, and add atomically.
inline bool has_independent_steps(const Kernel& kernel, bool strict) {
  if (kernel.serial || !kernel.finalizers.empty() || schedule::has_local(kernel)) return false;
  return all_of(kernel.instructions, [&](const Instruction& one) {
    const bool goes_on = one.code == Code::reduce || one.code == Code::scan ||
                         one.code == Code::combine || one.code == Code::sort;
    return !goes_on && (one.code != Code::store || adds_atomically(one, strict));
  });
}

}  // namespace detail

/// True if a store of the kernel accumulates. Different iterations may add to the same element.
inline bool adds_to_memory(const Kernel& kernel) {
  return any_of(kernel.instructions, [](const Instruction& one) { return one.accumulate; });
}

/// `kernel` with its loops moved into the grid, so that every iteration is a point of it, if all
/// its stores are atomic additions. Loops that neighbouring threads share come last.
inline Optional<Kernel> spread_atomic_adds(const Kernel& kernel, bool strict) {
  if (!adds_to_memory(kernel) || !detail::has_independent_steps(kernel, strict)) return {};
  Kernel result = kernel;
  Vector<Loop> steps;
  for (schedule::Stage& stage : result.stages) {
    if (stage.loops.empty()) continue;
    if (!steps.empty()) return {};  // two loop stages of a point must run in order
    steps.swap(stage.loops);
  }
  const bool last = kernel.vector_axis != VectorAxis::grid;
  result.grid.insert(last ? result.grid.end() : result.grid.begin(), steps.begin(), steps.end());
  result.vector_axis = VectorAxis::grid;
  return result;
}

}  // namespace sinter::inline SINTER_ABI::detail::codegen
