#pragma once
// Chooses the vectorized loop of a kernel and the register tile of a product.

#include <sinter/config.hpp>
#include <sinter/schedule/ir/kernel.hpp>
#include <sinter/schedule/ir/target.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

/// The first stage with loops; null if there is none.
const Stage* loop_stage(const Kernel& kernel);

/// Vectorizes the loop along which most accesses are contiguous, and sets the register tile of a
/// product.
void vectorize(Kernel& kernel, bool is_product, const LoopLimits& limits = {});

}  // namespace sinter::inline SINTER_ABI::detail::schedule

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/loop/vectorize.ipp>
#endif
