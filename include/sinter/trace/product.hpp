#pragma once
// Products of matrices.

#include <sinter/config.hpp>
#include <sinter/trace/tensor.hpp>

namespace sinter::inline SINTER_ABI {

/// Matrix product: result[..., i, j] = sum over k of lhs[..., i, k] * rhs[..., k, j].
///
/// Shapes   (..., n, k) x (..., k, m) -> (..., n, m); leading axes broadcast; an operand of rank 1
///          is a row on the left, a column on the right, and its axis is dropped
/// DTypes   numbers; promoted as in torch
/// Throws   ShapeError if an operand is a number or the inner extents differ
/// Gradient lhs: matmul(g, transpose(rhs)), rhs: matmul(transpose(lhs), g)
/// Source   array API standard 2023.12, matmul: https://data-apis.org/array-api
Tensor matmul(Operand lhs, Operand rhs);

/// The affine map of a layer: matmul(x, transpose(weight)) + bias.
///
/// Shapes   (..., in), (out, in), (out) -> (..., out)
/// Throws   ShapeError if they do not fit
Tensor linear(Operand x, Operand weight);
Tensor linear(Operand x, Operand weight, Operand bias);

/// result[i, j] = lhs[i] * rhs[j].
Tensor outer(Operand lhs, Operand rhs);

}  // namespace sinter::inline SINTER_ABI

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/product.ipp>
#endif
