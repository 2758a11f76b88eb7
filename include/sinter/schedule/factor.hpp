#pragma once
// Loops over two axes at once, made two loops again where what is read takes them apart.

#include <sinter/config.hpp>
#include <sinter/schedule/kernel.hpp>

namespace sinter::inline SINTER_ABI::schedule {

/// Makes two loops of each loop r whose accesses read r // c and r % c, for a c that divides its
/// extent: a reshape after a permute reads so. What was read lane by lane then goes along lines of
/// memory. Does nothing to products, scans, sorts and blocks, nor where the inner one would be too
/// short for vectors.
void factor_loops(Kernel& kernel);

}  // namespace sinter::inline SINTER_ABI::schedule

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/factor.ipp>
#endif
