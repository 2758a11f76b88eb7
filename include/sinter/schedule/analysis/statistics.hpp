#pragma once
// Statistics of one run of a kernel: work, bytes moved, operations.

#include <vector>  // std::vector

#include <sinter/config.hpp>
#include <sinter/schedule/ir/kernel.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

struct Launch;

/// Approximately `extent`, where a symbol counts as a size that is neither small nor large.
std::int64_t typical(Extent extent);

/// Fills in work, operations, bytes, lines and checks of a launch of `kernel`, in terms of the
/// symbols of the graph.
void measure(const Kernel& kernel, Launch& launch);

/// Floating-point operations of one run of `kernel`; a multiply-add counts as two.
Extent operations_of(const Kernel& kernel);

/// The approximate cost of one run of `kernel`, in instructions: see cost.hpp.
Extent steps_of(const Kernel& kernel);

/// Adds `more`, whose kernel takes `sizes`, to `launch`: everything except kernels and checks.
void add_run(Launch& launch, const Launch& more, const std::vector<Extent>& sizes);

}  // namespace sinter::inline SINTER_ABI::detail::schedule

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/analysis/statistics.ipp>
#endif
