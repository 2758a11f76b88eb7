#pragma once
// Elements that integer tensors name: read, replaced, added to.

#include <sinter/config.hpp>
#include <sinter/trace/core/tensor.hpp>

namespace sinter::inline SINTER_ABI {

// Indices are of an integer dtype and count from the end if they are negative. One that is outside
// of its axis is an IndexError, with the line, the index and the bound, when it is evaluated.

/// The slices of `x` at `indices` along `axis`.
///
/// Shapes   `axis` is replaced by the axes of the indices
/// Gradient g added up at the indices
Tensor index_select(Operand x, int axis, Operand indices);
/// The elements of the flattened `x`; in the shape of the indices.
Tensor take(Operand x, Operand indices);
/// index_select, with the arguments in NumPy's order.
Tensor take(Operand x, Operand indices, int axis);

/// result[.., i, ..] = x[.., indices[.., i, ..], ..]: one index along `axis` for each element.
///
/// Shapes   indices have the rank of `x` and, but for `axis`, at most its extents; the result has
///          the shape of the indices
/// Gradient g added up at the indices
Tensor gather(Operand x, int axis, Operand indices);
/// The same with the arguments in NumPy's order; but for `axis`, both are broadcast.
Tensor take_along_axis(Operand x, Operand indices, int axis);

/// `x` with result[.., indices[.., i, ..], ..] = source[.., i, ..]. Of several that are written to
/// one place, the last one counts.
///
/// Shapes   indices as for gather; `source` has at least their extents, or is a number
/// DTypes   source is cast to that of `x`
/// Gradient x: g, 0 where it was replaced; source: g where it was written and counted
Tensor scatter(Operand x, int axis, Operand indices, Operand source);
/// The same, adding to what is there and to each other.
Tensor scatter_add(Operand x, int axis, Operand indices, Operand source);

/// `x` with y added at `indices` along `axis`, as index_select would read them.
///
/// Shapes   y broadcasts to what index_select gives
Tensor index_add(Operand x, int axis, Operand indices, Operand y);
/// The same with y in place of what is there; of several at one index, the last one counts.
Tensor index_copy(Operand x, int axis, Operand indices, Operand y);
/// `x` with `value`, one element, in the slices at `indices` along `axis`.
Tensor index_fill(Operand x, int axis, Operand indices, Operand value);

namespace detail {

/// index_select with an axis from the front and indices that are i64.
Tensor gather_at(const Tensor& x, int axis, const Tensor& indices, Where where);
/// The position along `axis` of each element of `shape`; i64.
Tensor positions_along(const Shape& shape, int axis, Where where);
/// `shape` with `extents` in the place of `axis`.
Shape replaced_axis(const Shape& shape, int axis, const Shape& extents, Where where);
/// A tensor of rank 1 as one of the rank of `x` that lies along `axis`.
Tensor along_axis(const Tensor& list, const Tensor& x, int axis, Where where);
/// True, and assumed from now on, if a <= b.
bool at_most(Extent a, Extent b, Where where);

/// `indices` as i64. Throws DTypeError in the name of `op` unless they are integers.
Tensor as_indices(const Operand& indices, std::string_view op);
/// `indices` from the front, each of them checked to be one of an axis of `extent`.
Tensor checked_indices(const Tensor& indices, Extent extent, Where where);
/// `x` with the slices of `y` at `rows` along `axis`. `rows` is of rank 1, i64, checked; y has as
/// many slices, or one for all of them. Of several at one row, the last one counts.
Tensor overwrite(const Tensor& x, int axis, const Tensor& rows, const Tensor& y, Where where);
/// `x` with the slices of `y` added at `rows`; as torch adds booleans: or.
Tensor accumulate(const Tensor& x, int axis, const Tensor& rows, const Tensor& y, Where where);
/// One of the two.
using Write = Tensor (*)(const Tensor& x, int axis, const Tensor& rows, const Tensor& y,
                         Where where);
/// `value` in the dtype of `x` and in `shape`; leading axes of extent 1 may be too many. Throws
/// ShapeError in the name of `op` if it does not broadcast.
Tensor fit_value(const Operand& value, const Tensor& x, const Shape& shape, std::string_view op,
                 Where where);

}  // namespace detail

}  // namespace sinter::inline SINTER_ABI

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/ops/index/gather.ipp>
#endif
