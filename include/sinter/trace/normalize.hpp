#pragma once
// Functions of a whole row: softmax and the norms, written in the primitives.

#include <sinter/config.hpp>
#include <sinter/trace/axis.hpp>
#include <sinter/trace/tensor.hpp>

namespace sinter::inline SINTER_ABI {

/// exp(x) / sum(exp(x)) along `axis`, which does not overflow.
///
/// Shapes   that of `x`
/// Throws   IndexError if `x` has no such axis
Tensor softmax(Operand x, int axis);
/// log(softmax(x, axis)).
Tensor log_softmax(Operand x, int axis);

/// (x - mean) / sqrt(var + eps) over the last axes, which are those of `weight`; then
/// * weight + bias.
///
/// Shapes   x (..., shape), weight and bias `shape`
/// Throws   ShapeError if x does not end in the shape of weight
/// Source   https://arxiv.org/abs/1607.06450
Tensor layer_norm(Operand x, Operand weight, Operand bias, double eps = 1e-5);
Tensor layer_norm(Operand x, Operand weight, double eps = 1e-5);
/// Without weight and bias, over the last `axes` axes.
Tensor layer_norm_over(Operand x, int axes, double eps = 1e-5);
/// x / sqrt(mean(x^2) + eps) over the last axis, * weight.
Tensor rms_norm(Operand x, Operand weight, double eps = 1e-5);

}  // namespace sinter::inline SINTER_ABI

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/normalize.ipp>
#endif
