#pragma once
// Finds the loop over the lines of windows that overlap, and makes it the inner loop of their sum.

#include <sinter/config.hpp>
#include <sinter/schedule/ir/kernel.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

/// The loop of a sum over the lines of a window, if neighbouring windows along `windows`, a loop of
/// the grid, have lines in common; else null.
const Loop* shared_lines(const Kernel& kernel, const Loop& windows);

/// `kernel` with the loop over the lines of a window inside the loop over its columns, if it sums
/// several windows below each other at a time. This changes the order of the sum. Measured:
/// depthwise 7x7 of 28x28, 3.5 -> 2.6 ms; 3x3, up to a tenth.
Kernel with_lines_inside(Kernel kernel);

}  // namespace sinter::inline SINTER_ABI::detail::schedule

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/loop/window_lines.ipp>
#endif
