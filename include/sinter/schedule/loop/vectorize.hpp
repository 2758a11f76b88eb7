#pragma once
// Chooses the vectorized loop of a kernel and the register tile of a product.

#include <sinter/config.hpp>
#include <sinter/schedule/ir/kernel.hpp>
#include <sinter/schedule/ir/target.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

/// The first stage with loops; null if there is none.
const Stage* loop_stage(const Kernel& kernel);

/// True for a sum of products over windows in which each element of one factor meets one element of
/// the other at a time, as in a depthwise convolution and its gradients: neither rows nor columns
/// share operands, so that packing them would take longer than the sums. A nest of loops computes
/// it, not the code of products.
bool is_window_sum(const Kernel& kernel, const LoopLimits& limits = {});

/// Vectorizes the loop along which most accesses are contiguous, and sets the register tile of a
/// product.
void vectorize(Kernel& kernel, bool is_product, const LoopLimits& limits = {});

}  // namespace sinter::inline SINTER_ABI::detail::schedule

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/loop/vectorize.ipp>
#endif
