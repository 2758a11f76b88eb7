#pragma once
// Dropout of whole channels, and one that keeps mean and deviation.

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

/// Each element is the limit of selu with probability `p`; all are scaled and shifted, so that
/// mean 0 and deviation 1 stay.
///
/// Source   https://arxiv.org/abs/1706.02515
Tensor alpha_dropout(Operand x, double p = 0.5);

}  // namespace sinter::inline SINTER_ABI

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/functional/feature_dropout.ipp>
#endif
