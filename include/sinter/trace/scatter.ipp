#pragma once
// What writes at indices: see gather.hpp.

#include <sinter/trace/gather.hpp>

namespace sinter::inline SINTER_ABI {

namespace detail {

// The part of `source` that goes with `indices`, in the dtype of `x` and one after the other.
SINTER_INLINE Tensor flat_source(const Tensor& x, const Tensor& indices, const Operand& source,
                                 std::string_view op, Where where) {
  if (source.shape().empty()) {
    return convert(source, {x.dtype(), Shape{1}}, where);
  }
  Tensor part = source.tensor();
  bool fits = part.ndim() == indices.ndim();
  for (int axis = 0; fits && axis < part.ndim(); ++axis) {
    fits = at_most(indices.shape()[axis], part.shape()[axis], where);
    if (fits) part = slice({part, where}, axis, 0, indices.shape()[axis]);
  }
  if (fits) return reshape({cast({part, where}, x.dtype()), where}, {-1});
  throw ShapeError(
      {.op = std::string(op),
       .what = "there is not one element of the source for each index",
       .facts = {{"indices", to_string(indices)}, {"source", to_string(source)}},
       .rule = "the source has as many axes as the indices, and at least their extents",
       .fix = "expand the source to the shape of the indices",
       .where = where,
       .see = "indexing"});
}

SINTER_INLINE Tensor write_elements(Write write, Operand x, int axis, Operand indices,
                                    const Operand& source, std::string_view op) {
  const Where at = x.where;
  if (x.tensor().ndim(at) == 0) x = {reshape(x, {1}), at};
  if (indices.shape().empty()) indices = {reshape({indices.tensor(), at}, {1}), at};
  const Tensor tensor = x.tensor();
  axis = axis_of(axis, tensor, op, at);
  const Tensor list = elementwise_indices(x, axis, indices, op);
  const Tensor values = flat_source(tensor, list, source, op, at);
  const Tensor rows = reshape({flat_positions(tensor, axis, list, at), at}, {-1});
  const Tensor flat = write(reshape({tensor, at}, {-1}), 0, rows, values, at);
  return reshape({flat, at}, tensor.shape());
}

SINTER_INLINE Tensor write_slices(Write write, const Operand& x, int axis, const Operand& indices,
                                  const Operand& y, std::string_view op) {
  const Where at = x.where;
  const Tensor tensor = as_rows(x, axis);
  if (tensor.ndim() != x.tensor().ndim()) {
    return reshape({write_slices(write, {tensor, at}, axis, indices, y, op), at}, {});
  }
  axis = axis_of(axis, tensor, op, at);
  const Tensor list = as_indices({indices.tensor(), at}, op);
  const Shape shape = replaced_axis(tensor.shape(), axis, list.shape(), at);
  const Tensor rows = reshape({list, at}, {-1});
  const Tensor checked = write == Write(accumulate)  // which looks at them itself
                             ? rows
                             : checked_indices(rows, tensor.shape()[axis], at);
  if (y.shape().empty()) {
    Shape one = tensor.shape();
    one[axis] = 1;
    return write(tensor, axis, checked, convert(y, {tensor.dtype(), one}, at), at);
  }
  const Tensor fitted = fit_value(y, tensor, shape, op, at);
  const Shape slices = replaced_axis(tensor.shape(), axis, rows.shape(), at);
  return write(tensor, axis, checked, reshape({fitted, at}, slices), at);
}

}  // namespace detail

SINTER_INLINE Tensor scatter(Operand x, int axis, Operand indices, Operand source) {
  const detail::PublicCall call("scatter", x.where);
  const Tensor result =
      detail::write_elements(detail::overwrite, x, axis, indices, source, "scatter");
  return reshape({result, x.where}, x.shape());
}

SINTER_INLINE Tensor scatter_add(Operand x, int axis, Operand indices, Operand source) {
  const detail::PublicCall call("scatter_add", x.where);
  const Tensor result =
      detail::write_elements(detail::accumulate, x, axis, indices, source, "scatter_add");
  return reshape({result, x.where}, x.shape());
}

SINTER_INLINE Tensor index_add(Operand x, int axis, Operand indices, Operand y) {
  const detail::PublicCall call("index_add", x.where);
  return detail::write_slices(detail::accumulate, x, axis, indices, y, "index_add");
}

SINTER_INLINE Tensor index_copy(Operand x, int axis, Operand indices, Operand y) {
  const detail::PublicCall call("index_copy", x.where);
  return detail::write_slices(detail::overwrite, x, axis, indices, y, "index_copy");
}

SINTER_INLINE Tensor index_fill(Operand x, int axis, Operand indices, Operand value) {
  const detail::PublicCall call("index_fill", x.where);
  if (value.shape().empty()) {
    return detail::write_slices(detail::overwrite, x, axis, indices, value, "index_fill");
  }
  throw ShapeError({.op = "index_fill",
                    .what = "the value is not one element",
                    .facts = {{"value", to_string(value)}},
                    .rule = "value.ndim() == 0",
                    .fix = "use index_copy for a value with axes",
                    .where = x.where,
                    .see = "indexing"});
}

}  // namespace sinter::inline SINTER_ABI
