#pragma once
// The shape of the loops: which one is vectorised, and how many neighbours stay in registers.

#include <sinter/config.hpp>
#include <sinter/schedule/ir/kernel.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

/// The first stage with loops; null if there is none.
const Stage* loop_stage(const Kernel& kernel);

/// Chooses the loop whose neighbours are neighbours in memory for most accesses, and the register
/// tile of a product.
void tile(Kernel& kernel, bool is_product);

}  // namespace sinter::inline SINTER_ABI::detail::schedule

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/loop/vectorize.ipp>
#endif
