#pragma once

#include <algorithm>  // std::any_of

#include <sinter/schedule/launch/call_invariant.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

namespace detail {

// A kernel with a tile of sums, or one that has such parts; all its buffers are its own.
SINTER_INLINE bool has_product(const Kernel& kernel) {
  if (kernel.grid.empty() || !kernel.finish.empty()) return false;
  return is_block(kernel) || kernel.grid.back().unroll > 1;
}

SINTER_INLINE bool is_steady(const Buffer& buffer, std::span<const Update> updates) {
  const bool changes = std::any_of(updates.begin(), updates.end(), [&](const Update& update) {
    return update.input == buffer.position;
  });
  return buffer.home == Home::input && !changes;
}

SINTER_INLINE void mark(Kernel& kernel, bool steady) {
  for (Argument& argument : kernel.arguments) argument.steady = steady;
}

}  // namespace detail

SINTER_INLINE void mark_steady(Plan& plan, std::span<const Update> updates) {
  for (Kernel& kernel : plan.kernels) detail::mark(kernel, detail::has_product(kernel));
  const auto kernel_of = [&](std::int32_t kernel) -> Kernel& {
    return plan.kernels[static_cast<std::size_t>(kernel)];
  };
  for (const Plan& body : plan.bodies) {
    for (const Launch* launch : kernel_launches(body)) {
      for (const std::int32_t kernel : kernels_of(*launch)) detail::mark(kernel_of(kernel), false);
    }
  }
  for (const Launch& launch : plan.launches) {
    if (launch.control >= 0) continue;
    for (const Entry& entry : launch.entries) detail::mark(kernel_of(entry.kernel), false);
    if (!launch.entries.empty()) continue;
    std::size_t next = 0;
    for (Argument& argument : kernel_of(launch.kernel).arguments) {
      if (argument.access == Access::local) continue;
      const auto id = static_cast<std::size_t>(launch.buffers[next++]);
      argument.steady = argument.steady && argument.access == Access::read &&
                        detail::is_steady(plan.buffers[id], updates);
    }
  }
}

}  // namespace sinter::inline SINTER_ABI::detail::schedule
