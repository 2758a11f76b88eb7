#pragma once
// Matrix products.

#include <optional>     // std::optional
#include <string_view>  // std::string_view
#include <vector>       // std::vector

#include <sinter/config.hpp>
#include <sinter/graph/graph.hpp>
#include <sinter/trace/core/tensor.hpp>
#include <sinter/trace/ops/product/optional_operand.hpp>

namespace sinter::inline SINTER_ABI {

/// Matrix product: result[..., i, j] = sum over k of lhs[..., i, k] * rhs[..., k, j].
///
/// Shapes   (..., n, k) x (..., k, m) -> (..., n, m); leading axes broadcast; a vector is a row on
///          the left and a column on the right, and its axis is dropped
/// DTypes   numbers; promoted as in torch
/// Throws   ShapeError if an operand is a number or the inner extents differ
/// Gradient lhs: matmul(g, transpose(rhs)), rhs: matmul(transpose(lhs), g)
/// Source   array API standard 2023.12, matmul: https://data-apis.org/array-api
Tensor matmul(Operand lhs, Operand rhs);

/// The affine map of a layer: matmul(x, transpose(weight)) + bias.
///
/// Shapes   (..., in), (out, in), (out) -> (..., out); without a bias, (..., in), (in) -> (...)
/// Throws   ShapeError if they do not fit
Tensor linear(Operand x, Operand weight);
Tensor linear(Operand x, Operand weight, Operand bias);
/// The same with an optional bias: {} or a std::optional<Tensor>.
inline Tensor linear(Operand x, Operand weight, detail::NoOperand) { return linear(x, weight); }
template <detail::OptionalTensor Bias>
Tensor linear(Operand x, Operand weight, const Bias& bias) {
  const std::optional<Tensor> given = bias;
  return given ? linear(x, weight, {*given, x.where}) : linear(x, weight);
}

/// result[i, j] = lhs[i] * rhs[j]. Throws ShapeError unless both are of rank 1.
Tensor outer(Operand lhs, Operand rhs);
/// The sum of lhs[i] * rhs[i]. Throws ShapeError unless both are of rank 1 and equally long.
Tensor dot(Operand lhs, Operand rhs);
/// dot over the last axes: result[i..., j...] = sum over k of lhs[i..., k] * rhs[j..., k]. A number
/// multiplies.
Tensor inner(Operand lhs, Operand rhs);
/// matmul restricted to two matrices (mm), a matrix and a vector (mv), two batches of matrices
/// (bmm): ShapeError for other ranks or different batch sizes.
Tensor mm(Operand lhs, Operand rhs);
Tensor mv(Operand matrix, Operand vector);
Tensor bmm(Operand lhs, Operand rhs);

/// The sum of products over pairs of axes: lhs_axes[i] with rhs_axes[i].
///
/// Shapes   the other axes of lhs, then those of rhs
/// Throws   ShapeError if extents of a pair differ and none is 1, or the numbers of axes differ;
///          IndexError and ValueError as reductions do
Tensor tensordot(Operand lhs, Operand rhs, std::vector<int> lhs_axes, std::vector<int> rhs_axes);
/// The last `axes` axes of lhs with the first of rhs.
Tensor tensordot(Operand lhs, Operand rhs, int axes = 2);

/// The cross product of vectors along `axis`, which has 3 elements; the others are broadcast.
Tensor cross(Operand lhs, Operand rhs, int axis = -1);

namespace detail {

/// Records a dot_general: sums products over the `contract` axes for each position of the `batch`
/// axes. Result axes: batch, the rest of lhs, the rest of rhs.
Tensor contract(const Tensor& lhs, const Tensor& rhs, const DotAxes& axes, Where where);
/// The dtype in which a product of operands of `type` is computed. Throws DTypeError, in the name
/// of `op`, for booleans.
DType product_dtype(OperandType type, std::string_view op, const Operand& lhs, const Operand& rhs);

}  // namespace detail

}  // namespace sinter::inline SINTER_ABI

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/ops/product/product.ipp>
#endif
