#pragma once
// Chooses the vectorized loop of a kernel and the register tile of a product.

#include <sinter/config.hpp>
#include <sinter/schedule/ir/kernel.hpp>
#include <sinter/schedule/ir/target.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

/// The first stage with loops; null if there is none.
const Stage* loop_stage(const Kernel& kernel);

/// True for a sum of products over windows that only few rows share, as in a depthwise convolution
/// and its gradients. Packing the windows would take longer than the sums.
bool is_window_sum(const Kernel& kernel, const LoopLimits& limits);

/// Whether `kernel` is a sum of products with windows of known sizes that overlap, as in a
/// convolution.
bool reads_windows(const Kernel& kernel);

/// Swaps an inner grid loop of two iterations with the loop outside of it, and unrolls it, if the
/// two loops together store contiguously: the two vectors along the other loop are stored
/// interleaved.
void interleave_columns(Kernel& kernel, const LoopLimits& limits);

/// Whether `kernel`, a product, is a sum over windows after interleave_columns().
bool will_sum_windows(const Kernel& kernel, const LoopLimits& limits);

/// Computes positions of maxima in 32 bits if they are only cast to 32 bits or fewer, so that their
/// vectors have as many lanes as those of f32.
void narrow_positions(Kernel& kernel);

/// Vectorizes the loop along which most accesses are contiguous, and sets the register tile of a
/// product, or of a sum over windows.
void vectorize(Kernel& kernel, bool is_product, const LoopLimits& limits = {});

}  // namespace sinter::inline SINTER_ABI::detail::schedule

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/loop/vectorize.ipp>
#endif
