#pragma once
// Where in the arena the buffers of a plan live.

#include <span>  // std::span

#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

struct Kernel;
struct Plan;

/// Places the buffers of the arena so that those that are needed at the same time do not overlap,
/// but that a result may lie where an operand ends if the kernel can write over it. `kernels` are
/// those of the plan, or of the plan around it; without them no result does.
/// Buffers whose size is a number take the smallest gap that holds them; the others come after all
/// of these, in a slot of their size that is free or a new one.
void place_in_arena(Plan& plan, std::span<const Kernel> kernels);

}  // namespace sinter::inline SINTER_ABI::detail::schedule

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/memory/arena.ipp>
#endif
