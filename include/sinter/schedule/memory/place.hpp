#pragma once
// The last stage of a plan: the memory of its buffers.

#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

struct Options;
struct Plan;

/// Reuses the memory of outputs and of operands as far as the target allows, and places the other
/// buffers in the arena.
void place(Plan& plan, const Options& options);

}  // namespace sinter::inline SINTER_ABI::detail::schedule

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/memory/place.ipp>
#endif
