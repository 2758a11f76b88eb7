#pragma once
// Finds loop steps of a row-tiled kernel that have no effect because a condition on row and step
// makes their contribution neutral: for example the keys after a query under a causal mask.

#include <sinter/base/container/vector.hpp>
#include <sinter/config.hpp>
#include <sinter/schedule/ir/kernel.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

/// The steps of the marked loops from `end` on, or before it, have no effect: only marked loops
/// read what they store, sums add 0, and maxima compare -infinity. Numbers that are multiplied by 0
/// or added to infinity are assumed to be finite.
struct Clip {
  bool found = false;
  bool before = false;  ///< The steps before `end` have no effect, instead of those from it on.
  Extent end = 0;       ///< In terms of the grid; its row is the last row of the tile, or with
                        ///< `before` the first.
  Vector<bool> loops{}, contracted{};  ///< For each stage: whether its only loop is marked.
};

/// The first condition in `whole` that clips loops; not `found` if there is none. Steps that check
/// the data are not clipped, unless other loops make these checks (`checks_apart`).
Clip clip_of(const Kernel& whole, bool checks_apart = false);

}  // namespace sinter::inline SINTER_ABI::detail::schedule

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/loop/clip.ipp>
#endif
