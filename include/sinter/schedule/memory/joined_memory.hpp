#pragma once
// Places buffers back to back inside another one, so that joining or splitting copies nothing.

#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

struct Plan;

/// Places the inputs of each control that `joins` inside its last result, and the results of each
/// control that `splits` inside its last input, at multiples of 64 bytes. A buffer keeps memory of
/// its own if it is joined and a later launch reads it, if it is an input or output of the graph,
/// or if its size is symbolic.
void join_memory(Plan& plan);

}  // namespace sinter::inline SINTER_ABI::detail::schedule

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/memory/joined_memory.ipp>
#endif
