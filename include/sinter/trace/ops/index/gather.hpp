#pragma once
// Gather and scatter: elements selected by integer tensors are read, replaced or added to.

#include <sinter/config.hpp>
#include <sinter/trace/core/tensor.hpp>

namespace sinter::inline SINTER_ABI {

// Indices have an integer dtype; negative ones count from the end. An index out of range raises an
// IndexError with line, index and bound when it is evaluated.

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

/// `x` with result[.., indices[.., i, ..], ..] = source[.., i, ..]. If several are written to one
/// place, the last one wins.
///
/// Shapes   indices as for gather; `source` has at least their extents, or is a number
/// DTypes   source is cast to that of `x`
/// Gradient x: g, 0 where it was replaced; source: g where its value was kept
Tensor scatter(Operand x, int axis, Operand indices, Operand source);
/// The same, but adds: values for one place are summed.
Tensor scatter_add(Operand x, int axis, Operand indices, Operand source);

/// `x` with y added to the slices at `indices` along `axis` (those that index_select reads).
///
/// Shapes   y broadcasts to the result of index_select
Tensor index_add(Operand x, int axis, Operand indices, Operand y);
/// The same, but replaces; if several have one index, the last one wins.
Tensor index_copy(Operand x, int axis, Operand indices, Operand y);
/// `x` with the slices at `indices` along `axis` filled with `value`, one element.
Tensor index_fill(Operand x, int axis, Operand indices, Operand value);

namespace detail {

/// index_select for a non-negative axis and i64 indices.
Tensor gather_at(const Tensor& x, int axis, const Tensor& indices, Where where);
/// The position along `axis` of each element of `shape`; i64.
Tensor positions_along(const Shape& shape, int axis, Where where);
/// `shape` with `axis` replaced by `extents`.
Shape replaced_axis(const Shape& shape, int axis, const Shape& extents, Where where);
/// Reshapes a vector to the rank of `x`, so that it lies along `axis`.
Tensor along_axis(const Tensor& list, const Tensor& x, int axis, Where where);
/// True if a <= b; then the recording assumes it.
bool at_most(Extent a, Extent b, Where where);

/// `indices` as i64. Throws DTypeError in the name of `op` unless they are integers.
Tensor as_indices(const Operand& indices, std::string_view op);
/// `indices` as non-negative numbers, checked against an axis of `extent`.
Tensor checked_indices(const Tensor& indices, Extent extent, Where where);
/// `x` with the slices at `rows` along `axis` replaced by those of `y`. `rows` is a checked i64
/// vector; y has as many slices, or one for all rows. If a row occurs several times, the last one
/// wins.
Tensor overwrite(const Tensor& x, int axis, const Tensor& rows, const Tensor& y, Where where);
/// `x` with the slices of `y` added at `rows`; booleans are combined by or, as in torch.
Tensor accumulate(const Tensor& x, int axis, const Tensor& rows, const Tensor& y, Where where);
/// One of the two functions above.
using Write = Tensor (*)(const Tensor& x, int axis, const Tensor& rows, const Tensor& y,
                         Where where);
/// `value` cast to the dtype of `x` and broadcast to `shape`; surplus leading axes of extent 1 are
/// dropped. Throws ShapeError in the name of `op` if it does not broadcast.
Tensor fit_value(const Operand& value, const Tensor& x, const Shape& shape, std::string_view op,
                 Where where);

}  // namespace detail

}  // namespace sinter::inline SINTER_ABI

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/ops/index/gather.ipp>
#endif
