#pragma once
// Where in the arena the buffers of a plan live.

#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::schedule {

struct Plan;

/// Places the buffers of the arena so that those that are needed at the same time do not overlap.
/// Buffers whose size is a number take the smallest gap that holds them; the others come after all
/// of these, in a slot of their size that is free or a new one.
void place_in_arena(Plan& plan);

}  // namespace sinter::inline SINTER_ABI::schedule

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/memory.ipp>
#endif
