#pragma once
// Splits loops over merged axes where accesses divide the loop variable, as after a reshape.

#include <sinter/base/container/function_ref.hpp>
#include <sinter/config.hpp>
#include <sinter/schedule/ir/kernel.hpp>
#include <sinter/schedule/ir/target.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

/// Calls visit(dividend, divisor) for each quotient and remainder in `extent`.
void for_each_division(Extent extent, FunctionRef<void(Extent, Extent)> visit);

/// Splits each loop r whose accesses read r // c and r % c, for a c that divides its extent: a
/// reshape after a permute reads so. Strided accesses become contiguous. Leaves scans, sorts,
/// partial reductions and row-tiled kernels alone, and loops whose inner loop would be too short
/// for vectors.
void factor_loops(Kernel& kernel, const LoopLimits& limits = {});

/// Splits the last grid loop r of a kernel without row loops whose accesses read (r + b) // c and
/// (r + b) % c for a number c that is too small for factor_loops(), as the gradient of windows with
/// a stride does: the outer loop is over r % c, the inner one over r // c. Accesses are contiguous
/// or strided along it, and what depends on the remainder is the same for all of its iterations.
void split_phases(Kernel& kernel, const LoopLimits& limits = {});

}  // namespace sinter::inline SINTER_ABI::detail::schedule

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/loop/factor.ipp>
#endif
