#pragma once
// Selection by a mask: the elements where a tensor is not 0.

#include <vector>  // std::vector

#include <sinter/config.hpp>
#include <sinter/trace/core/tensor.hpp>

namespace sinter::inline SINTER_ABI {

// The number of selected elements depends on the data. Functions without a capacity read it on the
// host, which is a graph break in a compiled function. Functions with a capacity return that many
// places, read nothing, and drop what does not fit.

/// `x` with `value` where `mask` holds. `x` and the mask broadcast; the value broadcasts to both.
///
/// DTypes   the value is cast to that of `x`
/// Throws   ShapeError if they do not broadcast; DTypeError unless the mask
///          is boolean
Tensor masked_fill(Operand x, Operand mask, Operand value);

/// The elements of `x` where `mask` holds, in row-major order; both are broadcast. Rank 1. Reads
/// the mask.
///
/// Gradient g at the elements, else 0
Tensor masked_select(Operand x, Operand mask);
/// The first `capacity` of them, padded with `fill`.
Tensor masked_select(Operand x, Operand mask, Extent capacity, Operand fill = 0);

/// `x` with the elements of `source` written, in row-major order, where `mask` holds. `x` and the
/// mask broadcast. Reads nothing.
///
/// Throws   IndexError, when it is evaluated, if the source has fewer elements than are needed
Tensor masked_scatter(Operand x, Operand mask, Operand source);

/// The positions of the elements that are not 0, in row-major order: i64 of shape (count, x.ndim).
/// Reads x.
Tensor nonzero(Operand x);
/// The first `capacity` of them, padded with rows of `fill`.
Tensor nonzero(Operand x, Extent capacity, Operand fill = 0);
/// NumPy's other name for nonzero.
inline Tensor argwhere(Operand x) { return nonzero(x); }
/// The same positions as one index vector for each axis.
std::vector<Tensor> where(Operand condition);

namespace detail {

/// The positions in the flattened mask where it is true; i64 of rank 1. Reads it.
Tensor positions_where(const Tensor& mask, Where where);
/// For each true element, the number of true elements before it in row-major order; i64. 0 for
/// others.
Tensor numbers_where(const Tensor& mask, Where where);
/// `mask`. Throws DTypeError in the name of `op` unless it is boolean.
Tensor as_mask(const Operand& mask, std::string_view op, Where where);

}  // namespace detail

}  // namespace sinter::inline SINTER_ABI

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/ops/index/mask.ipp>
#endif
