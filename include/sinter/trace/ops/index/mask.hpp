#pragma once
// Elements that a mask selects: those where a tensor is not 0.

#include <vector>  // std::vector

#include <sinter/config.hpp>
#include <sinter/trace/core/tensor.hpp>

namespace sinter::inline SINTER_ABI {

// How many elements a mask selects depends on its elements. The functions without a capacity read
// it on the host: inside of a compiled function, that is a graph break. Those with one give as many
// places as the capacity says, read nothing, and leave out what does not fit.

/// `x` with `value` where `mask` holds. `x` and the mask broadcast; the value broadcasts to both.
///
/// DTypes   the value is cast to that of `x`
/// Throws   ShapeError if they do not broadcast; DTypeError unless the mask
///          is boolean
Tensor masked_fill(Operand x, Operand mask, Operand value);

/// The elements of `x` where `mask` holds, row by row; both are broadcast. Rank 1. Reads the mask.
///
/// Gradient g at the elements, else 0
Tensor masked_select(Operand x, Operand mask);
/// The first `capacity` of them, and `fill` in the places that are left.
Tensor masked_select(Operand x, Operand mask, Extent capacity, Operand fill = 0);

/// `x` with the elements of `source`, row by row, in the places where `mask` holds. `x` and the
/// mask broadcast. Reads nothing.
///
/// Throws   IndexError, when it is evaluated, if the source has fewer elements than are needed
Tensor masked_scatter(Operand x, Operand mask, Operand source);

/// The positions of the elements that are not 0, row by row: i64 of shape (count, x.ndim). Reads x.
Tensor nonzero(Operand x);
/// The first `capacity` of them, and `fill` in the rows that are left.
Tensor nonzero(Operand x, Extent capacity, Operand fill = 0);
/// nonzero by NumPy's other name.
inline Tensor argwhere(Operand x) { return nonzero(x); }
/// The same positions, one list for each axis, as indices take them.
std::vector<Tensor> where(Operand condition);

namespace detail {

/// The positions in the flattened mask where it is true; i64 of rank 1. Reads it.
Tensor positions_where(const Tensor& mask, Where where);
/// For each element that is true, how many there are in front of it, row by row; i64. Others: 0.
Tensor numbers_where(const Tensor& mask, Where where);
/// `mask`. Throws DTypeError in the name of `op` unless it is boolean.
Tensor as_mask(const Operand& mask, std::string_view op, Where where);

}  // namespace detail

}  // namespace sinter::inline SINTER_ABI

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/ops/index/mask.ipp>
#endif
