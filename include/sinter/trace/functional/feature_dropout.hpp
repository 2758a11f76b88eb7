#pragma once
// Dropout of whole channels, and alpha dropout.

#include <sinter/config.hpp>
#include <sinter/trace/core/tensor.hpp>

namespace sinter::inline SINTER_ABI {

/// Each channel is 0 with probability `p`, else divided by 1 - p.
///
/// Shapes   x (batch, channels, size) or (channels, size)
/// Throws   ShapeError if x has another rank; ValueError unless 0 <= p <= 1
/// Source   https://arxiv.org/abs/1411.4280
Tensor dropout1d(Operand x, double p = 0.5);
/// The same with two spatial axes.
Tensor dropout2d(Operand x, double p = 0.5);
/// The same with three spatial axes.
Tensor dropout3d(Operand x, double p = 0.5);

/// Sets each element to the lower limit of selu with probability `p`, then scales and shifts all,
/// which preserves mean 0 and standard deviation 1.
///
/// Source   https://arxiv.org/abs/1706.02515
Tensor alpha_dropout(Operand x, double p = 0.5);

}  // namespace sinter::inline SINTER_ABI

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/functional/feature_dropout.ipp>
#endif
