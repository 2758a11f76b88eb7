#pragma once

#include <algorithm>  // std::max

#include <sinter/trace/core/cast.hpp>
#include <sinter/trace/core/record.hpp>
#include <sinter/trace/core/recorder.hpp>
#include <sinter/trace/ops/creation/create.hpp>
#include <sinter/trace/ops/elementwise/elementwise.hpp>
#include <sinter/trace/ops/index/gather.hpp>
#include <sinter/trace/ops/movement/movement.hpp>

namespace sinter::inline SINTER_ABI {

namespace detail {

SINTER_INLINE Tensor as_indices(const Operand& indices, std::string_view op) {
  if (is_integer(indices.type().dtype)) return cast(indices, i64);
  throw DTypeError({.op = op,
                    .what = "indices are not integers",
                    .facts = {{"indices", to_string(indices)}},
                    .rule = "indices are of an integer dtype",
                    .fix = "cast them: indices.to(i64)",
                    .where = indices.where,
                    .see = "indexing"});
}

SINTER_INLINE Tensor gather_at(const Tensor& x, int axis, const Tensor& indices, Where where) {
  return record({.op = Op::gather, .attributes = {{"axis", constant(axis)}}}, {x, indices}, where);
}

// Gathers from an iota, so that an index out of range is reported here.
SINTER_INLINE Tensor checked_indices(const Tensor& indices, Extent extent, Where where) {
  return gather_at(arange(extent, where), 0, indices, where);
}

SINTER_INLINE Tensor positions_along(const Shape& shape, int axis, Where where) {
  return record(
      {.op = Op::iota, .attributes = {{"axis", constant(axis)}}, .results = {{i64, shape}}}, {},
      where);
}

SINTER_INLINE Shape replaced_axis(const Shape& shape, int axis, const Shape& extents, Where where) {
  Shape result;
  for (int i = 0; i < shape.size(); ++i) {
    if (i != axis) result.push_back(shape[i], where);
    if (i != axis) continue;
    for (const Extent& extent : extents) result.push_back(extent, where);
  }
  return result;
}

SINTER_INLINE Tensor fit_value(const Operand& value, const Tensor& x, const Shape& shape,
                               std::string_view op, Where where) {
  const Shape given = value.shape();
  const int rank = shape.size(), extra = std::max(0, given.size() - rank);
  bool fits = true;
  for (int axis = 0; axis < extra; ++axis) fits = fits && is_size(given[axis], 1, where);
  Shape kept, target = shape;  // equal extents are written as those of the value
  for (int axis = extra; fits && axis < given.size(); ++axis) {
    kept.push_back(given[axis]);
    if (same(given[axis], Extent(1))) continue;
    const bool stays = equal_sizes(given[axis], shape[axis - given.size()], where);
    fits = stays || fix_one(given[axis], where);
    (stays ? target[axis - given.size()] : kept[-1]) = stays ? given[axis] : Extent(1);
  }
  if (fits && given.empty()) return convert(value, {x.dtype(), shape}, where);
  if (fits) {
    const Tensor lifted = reshape({value.tensor(), where}, kept);
    return reshape({convert({lifted, where}, {x.dtype(), target}, where), where}, shape);
  }
  throw ShapeError({.op = op,
                    .what = "the value does not fit what is selected",
                    .facts = {{"x", to_string(x)},
                              {"select", to_string(concrete(shape))},
                              {"value", to_string(value)}},
                    .rule = "the value broadcasts to the shape that is selected",
                    .fix = "reshape the value, or add axes of extent 1",
                    .where = where,
                    .see = "indexing"});
}

// For each i below `extent`: 1 + the position of the last `i` in `rows`; 0 if there is none.
SINTER_INLINE Tensor last_writers(const Tensor& rows, Extent extent, Where where) {
  const Extent count = rows.shape()[0];
  const Tensor order = record(
      {.op = Op::argsort, .attributes = {{"axis", constant(0)}, {"descending", constant(false)}}},
      {rows}, where);
  const Tensor sorted = gather_at(rows, 0, order, where);
  // After a stable sort, the last of equal rows is followed by a different row, or by nothing.
  const Tensor ended = sinter::pad({sorted, where}, {{0, 1}}, {-1, where});
  const Tensor next = slice({ended, where}, 0, 1, count + 1);
  const Tensor is_last = ne({sorted, where}, {next, where});
  const Tensor numbers = add({order, where}, {1, where});
  const Tensor counted = sinter::where({is_last, where}, {numbers, where}, {0, where});
  return accumulate(zeros({extent}, i64, where), 0, sorted, counted, where);
}

SINTER_INLINE Tensor along_axis(const Tensor& list, const Tensor& x, int axis, Where where) {
  Shape shape;
  for (int i = 0; i < x.ndim(); ++i) shape.push_back(i == axis ? list.shape()[0] : Extent(1));
  return reshape({list, where}, shape);
}

SINTER_INLINE Tensor overwrite(const Tensor& x, int axis, const Tensor& rows, const Tensor& y,
                               Where where) {
  const Extent extent = x.shape()[axis], count = rows.shape()[0];
  if (same(count, Extent(0))) return x;
  const bool is_one = same(count, Extent(1)) || fix_one(count, where);
  Tensor writers, written = y;
  if (is_one || same(y.shape()[axis], Extent(1))) {
    const Tensor taken = is_one ? reshape({rows, where}, {1}) : rows;
    const Tensor ones = sinter::ones(taken.shape(), i64, where);
    writers = accumulate(zeros({extent}, i64, where), 0, taken, ones, where);
  } else {
    writers = last_writers(rows, extent, where);
    const Tensor before = sub({writers, where}, {1, where});
    const Tensor writer = maximum({before, where}, {0, where});
    if (!count.is_number()) {  // a row to read if there are none
      std::vector<std::pair<Extent, Extent>> widths(static_cast<std::size_t>(y.ndim()), {0, 0});
      widths[static_cast<std::size_t>(axis)].second = 1;
      written = pad({y, where}, widths, {0, where});
    }
    written = gather_at(written, axis, writer, where);
  }
  const Tensor is_written = gt({writers, where}, {0, where});
  return sinter::where({along_axis(is_written, x, axis, where), where}, {written, where},
                       {x, where});
}

SINTER_INLINE Tensor accumulate(const Tensor& x, int axis, const Tensor& rows, const Tensor& y,
                                Where where) {
  if (x.dtype() == boolean) {
    const Tensor sum = accumulate(cast({x, where}, i64), axis, rows, cast({y, where}, i64), where);
    return ne({sum, where}, {0, where});
  }
  const Shape shape = replaced_axis(x.shape(), axis, rows.shape(), where);
  return record({.op = Op::scatter_add, .attributes = {{"axis", constant(axis)}}},
                {x, rows, expand({y, where}, shape)}, where);
}

SINTER_INLINE bool at_most(Extent a, Extent b, Where where) {
  if (same(a, b)) return true;
  if (a.is_number() && b.is_number()) return a.number() <= b.number();
  Recorder* const recorder = current_recorder();
  return recorder != nullptr && recorder->decide(a, Relation::less_equal, b, where);
}

// Checks indices that pair with the elements of `x`, as in gather and scatter.
SINTER_INLINE Tensor elementwise_indices(const Operand& x, int axis, const Operand& indices,
                                         std::string_view op) {
  const Tensor list = as_indices({indices.tensor(), x.where}, op);
  const Shape shape = x.shape();
  bool fits = list.ndim() == shape.size();
  for (int i = 0; fits && i < shape.size(); ++i) {
    fits = i == axis || at_most(list.shape()[i], shape[i], x.where);
  }
  if (fits) return list;
  throw ShapeError({.op = op,
                    .what = list.ndim() == shape.size() ? "the indices have more elements than x"
                                                        : "ranks differ",
                    .facts = {{"x", to_string(x)}, {"indices", to_string(indices)}},
                    .rule = text("indices have as many axes as x and, but for axis ", axis,
                                 ", at most its extents"),
                    .fix = "unsqueeze the indices, or use index_select for whole slices",
                    .where = x.where,
                    .see = "indexing"});
}

// The positions in the flattened `x` of indices along `axis`.
SINTER_INLINE Tensor flat_positions(const Tensor& x, int axis, const Tensor& indices, Where where) {
  const Tensor along = checked_indices(indices, x.shape()[axis], where);
  Tensor flat;
  for (int i = 0; i < x.ndim(); ++i) {
    const Tensor step = i == axis ? along : positions_along(along.shape(), i, where);
    if (!flat.defined()) {
      flat = step;
      continue;
    }
    flat = add({mul({flat, where}, {x.shape()[i], where}), where}, {step, where});
  }
  return flat;
}

}  // namespace detail

SINTER_INLINE Tensor index_select(Operand x, int axis, Operand indices) {
  const detail::PublicCall call("index_select", x.where);
  const Tensor rows = detail::as_rows(x, axis);
  axis = detail::axis_of(axis, rows, "index_select", x.where);
  indices.where = x.where;
  const Tensor list = detail::as_indices(indices, "index_select");
  const Tensor part = detail::gather_at(rows, axis, list, x.where);
  const bool is_number = x.shape().empty() && detail::is_size(list.numel(), 1, x.where);
  return is_number ? reshape({part, x.where}, {}) : part;
}

SINTER_INLINE Tensor take(Operand x, Operand indices) {
  const detail::PublicCall call("take", x.where);
  return take({reshape(x, {-1}), x.where}, indices, 0);
}

SINTER_INLINE Tensor take(Operand x, Operand indices, int axis) {
  const detail::PublicCall call("take", x.where);
  const Tensor tensor = detail::as_rows(x, axis);
  axis = detail::axis_of(axis, tensor, "take", x.where);
  return detail::gather_at(tensor, axis, detail::as_indices({indices.tensor(), x.where}, "take"),
                           x.where);
}

namespace detail {

SINTER_INLINE Tensor gather_elements(const Tensor& x, int axis, const Tensor& indices,
                                     Where where) {
  if (x.ndim() == 1) return gather_at(x, 0, indices, where);
  const Tensor flat = flat_positions(x, axis, indices, where);
  return gather_at(reshape({x, where}, {-1}), 0, flat, where);
}

}  // namespace detail

SINTER_INLINE Tensor gather(Operand x, int axis, Operand indices) {
  const detail::PublicCall call("gather", x.where);
  const Tensor tensor = x.tensor();
  if (tensor.ndim(x.where) == 0) {
    return reshape({gather({reshape(x, {1}), x.where}, axis,
                           {reshape({indices.tensor(), x.where}, {-1}), x.where}),
                    x.where},
                   indices.shape());
  }
  axis = detail::axis_of(axis, tensor, "gather", x.where);
  const Tensor list = detail::elementwise_indices(x, axis, indices, "gather");
  return detail::gather_elements(tensor, axis, list, x.where);
}

SINTER_INLINE Tensor take_along_axis(Operand x, Operand indices, int axis) {
  const detail::PublicCall call("take_along_axis", x.where);
  const Where at = x.where;
  Tensor tensor = x.tensor(), list = detail::as_indices({indices.tensor(), at}, "take_along_axis");
  const bool is_number = tensor.ndim(at) == 0 && (axis == 0 || axis == -1);
  if (is_number && list.ndim() == 0) return gather(x, axis, {list, at});
  axis = detail::axis_of(axis, tensor, "take_along_axis", at);
  if (list.ndim() != tensor.ndim()) {
    throw ShapeError({.op = "take_along_axis",
                      .what = "ranks differ",
                      .facts = {{"x", to_string(x)}, {"indices", to_string(indices)}},
                      .rule = "indices have as many axes as x",
                      .fix = "unsqueeze the indices, or use index_select for whole slices",
                      .where = at,
                      .see = "indexing"});
  }
  Shape from = tensor.shape(), to = list.shape();
  from[axis] = 1, to[axis] = 1;  // the extents along the axis may differ
  const Operand rows[]{{zeros(from, boolean, at), at}, {zeros(to, boolean, at), at}};
  from = to = detail::broadcast_shapes("take_along_axis", rows);
  from[axis] = tensor.shape()[axis], to[axis] = list.shape()[axis];
  return detail::gather_elements(expand({tensor, at}, from), axis, expand({list, at}, to), at);
}

namespace detail {

// The part of `source` that pairs with `indices`, flattened, in the dtype of `x`.
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
      {.op = op,
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
