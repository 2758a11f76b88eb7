#pragma once
// The last stage of a plan: the memory of its buffers.

#include <sinter/base/container/span.hpp>
#include <sinter/config.hpp>
#include <sinter/schedule/ir/plan.hpp>
#include <sinter/schedule/memory/arena.hpp>
#include <sinter/schedule/memory/output_buffers.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

/// Reuses the memory of outputs and of operands as far as the target allows, and places the other
/// buffers in the arena.
inline void place(Plan& plan, const Options& options) {
  if (options.target.reuses_outputs) reuse_output_buffers(plan, options.updates);
  place_in_arena(plan, options.target.writes_over_operands ? Span<const Kernel>(plan.kernels)
                                                           : Span<const Kernel>());
}

}  // namespace sinter::inline SINTER_ABI::detail::schedule
