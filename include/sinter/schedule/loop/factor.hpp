#pragma once
// Loops over two axes at once, made two loops again where what is read takes them apart.

#include <sinter/base/function_ref.hpp>
#include <sinter/config.hpp>
#include <sinter/schedule/ir/kernel.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

/// Calls visit(dividend, divisor) for each quotient and remainder in `extent`.
void for_each_division(Extent extent, FunctionRef<void(Extent, Extent)> visit);

/// Makes two loops of each loop r whose accesses read r // c and r % c, for a c that divides its
/// extent: a reshape after a permute reads so. What was read lane by lane then goes along lines of
/// memory. Does nothing to products, scans, sorts and blocks, nor where the inner one would be too
/// short for vectors.
void factor_loops(Kernel& kernel);

}  // namespace sinter::inline SINTER_ABI::detail::schedule

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/loop/factor.ipp>
#endif
