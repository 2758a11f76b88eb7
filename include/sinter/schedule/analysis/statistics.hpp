#pragma once
// What one run of a kernel moves and computes.

#include <vector>  // std::vector

#include <sinter/config.hpp>
#include <sinter/schedule/ir/kernel.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

struct Launch;

/// Fills in work, bytes, lines and checks of a launch of `kernel`, which is in the symbols of the
/// graph.
void measure(const Kernel& kernel, Launch& launch);

/// Of arithmetic, in one run of `kernel`; a multiply-add is two.
Extent operations_of(const Kernel& kernel);

/// What one run of `kernel` takes, about: its instructions, of which functions are many.
Extent steps_of(const Kernel& kernel);

/// Adds to `launch` what `more` has, whose kernel is given `sizes`: all but kernels and checks.
void add_run(Launch& launch, const Launch& more, const std::vector<Extent>& sizes);

}  // namespace sinter::inline SINTER_ABI::detail::schedule

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/analysis/statistics.ipp>
#endif
