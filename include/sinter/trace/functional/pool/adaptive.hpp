#pragma once
// Adaptive pools: the result size determines the windows.

#include <sinter/config.hpp>
#include <sinter/trace/core/tensor.hpp>
#include <sinter/trace/ops/movement/window.hpp>

namespace sinter::inline SINTER_ABI {

/// The means of `output_size` windows that cover the input evenly: window i of n begins at
/// floor(i * size / n) and ends before ceil((i + 1) * size / n).
///
/// Shapes   x (batch, channels, size) or (channels, size) -> (..., output_size)
/// Throws   ValueError for an output size below 0
Tensor adaptive_avg_pool1d(Operand x, detail::PerAxis output_size);
Tensor adaptive_avg_pool2d(Operand x, detail::PerAxis output_size);
Tensor adaptive_avg_pool3d(Operand x, detail::PerAxis output_size);
/// The maxima of the same windows.
Tensor adaptive_max_pool1d(Operand x, detail::PerAxis output_size);
Tensor adaptive_max_pool2d(Operand x, detail::PerAxis output_size);
Tensor adaptive_max_pool3d(Operand x, detail::PerAxis output_size);

}  // namespace sinter::inline SINTER_ABI

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/functional/pool/adaptive.ipp>
#endif
