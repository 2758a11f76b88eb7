#pragma once

#include <sinter/base/container/algorithm.hpp>
#include <sinter/schedule/launch/call_invariant.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

namespace detail {

// Whether `kernel` is a product with a register tile, or a row-tiled kernel without a finalizer.
SINTER_INLINE bool has_product(const Kernel& kernel) {
  if (kernel.grid.empty()) return false;
  return is_row_tiled(kernel) ? kernel.finalizers.empty() : kernel.grid.back().unroll > 1;
}

SINTER_INLINE bool is_call_invariant(const Buffer& buffer, Span<const Update> updates) {
  const bool changes =
      any_of(updates, [&](const Update& update) { return update.input == buffer.position; });
  return buffer.home == Home::input && !changes;
}

SINTER_INLINE void mark(Kernel& kernel, bool invariant) {
  for (Argument& argument : kernel.arguments) argument.call_invariant = invariant;
}

}  // namespace detail

SINTER_INLINE void mark_call_invariant(Plan& plan, Span<const Update> updates) {
  for (Kernel& kernel : plan.kernels) detail::mark(kernel, detail::has_product(kernel));
  const auto kernel_of = [&](std::int32_t kernel) -> Kernel& { return plan.kernels[kernel]; };
  for (const Plan& body : plan.bodies) {
    for (const Launch* launch : kernel_launches(body)) {
      for (const std::int32_t kernel : kernels_of(*launch)) detail::mark(kernel_of(kernel), false);
    }
  }
  for (const Launch& launch : plan.launches) {
    if (launch.control >= 0) continue;
    for (const Entry& entry : launch.entries) detail::mark(kernel_of(entry.kernel), false);
    if (!launch.entries.empty()) continue;
    Kernel& kernel = kernel_of(launch.kernel);
    for_each_buffer(kernel, launch.buffers, [&](std::int32_t buffer, std::size_t i) {
      Argument& argument = kernel.arguments[i];
      argument.call_invariant = argument.call_invariant && argument.access == Access::read &&
                                detail::is_call_invariant(plan.buffers[buffer], updates);
    });
  }
}

}  // namespace sinter::inline SINTER_ABI::detail::schedule
