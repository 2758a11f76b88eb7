#pragma once
// Steps of the loops of a block that change nothing: where a condition on the row and the step
// makes all that follows neutral, as the keys behind a query under a causal mask.

#include <vector>  // std::vector

#include <sinter/config.hpp>
#include <sinter/schedule/ir/kernel.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

/// From `end` on, or before it, the loops that are marked have no effect: what they store is read
/// by none but such loops, what they add is 0, what they compare -infinity. Numbers are taken to be
/// finite where they are multiplied by 0 or added to infinity.
struct Clip {
  bool found = false;
  bool before = false;  ///< The steps before the end have no effect, not those from there on.
  Extent end =
      0;  ///< In terms of the grid, with the last row of the block as its row, or the first.
  std::vector<bool> loops{}, contracted{};  ///< For each stage: whether its one loop is marked.
};

/// The first of the conditions in `whole` that clips loops; none found if there is no such one.
/// What can be at fault is not left out, unless it is looked at apart.
Clip clip_of(const Kernel& whole, bool checks_apart = false);

}  // namespace sinter::inline SINTER_ABI::detail::schedule

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/loop/clip.ipp>
#endif
