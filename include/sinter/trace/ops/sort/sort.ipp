#pragma once

#include <sinter/base/error.hpp>
#include <sinter/trace/core/axis.hpp>
#include <sinter/trace/core/cast.hpp>
#include <sinter/trace/core/record.hpp>
#include <sinter/trace/core/recorder_scope.hpp>
#include <sinter/trace/core/size_value.hpp>
#include <sinter/trace/ops/creation/create.hpp>
#include <sinter/trace/ops/elementwise/elementwise.hpp>
#include <sinter/trace/ops/index/index.hpp>
#include <sinter/trace/ops/movement/movement.hpp>
#include <sinter/trace/ops/reduce/reduce.hpp>
#include <sinter/trace/ops/sort/sort.hpp>

namespace sinter::inline SINTER_ABI {

namespace detail {

SINTER_INLINE Tensor sorted_positions(const Tensor& rows, int axis, bool descending, Where where) {
  return record({.op = Op::argsort,
                 .attributes = {{"axis", constant(axis)}, {"descending", constant(descending)}}},
                {rows}, where);
}

// The `count` elements of `x` from `start` on along `axis`.
SINTER_INLINE Tensor part_of(const Tensor& x, int axis, Extent start, Extent count, Where where) {
  Shape from = x.shape(), shape = x.shape();
  for (int i = 0; i < from.size(); ++i) from[i] = 0;
  from[axis] = start;
  shape[axis] = count;
  const std::vector<std::int64_t> steps(static_cast<std::size_t>(shape.size()), 1);
  return record({.op = Op::slice,
                 .attributes = {{"start", from}, {"step", steps}},
                 .results = {{x.dtype(), shape}}},
                {x}, where);
}

// The elements of `rows` at `positions`; `axis` has extent 1 there if it is to be dropped.
SINTER_INLINE ValuesAndIndices elements_at(const Tensor& rows, const Tensor& positions, int axis,
                                           bool keepdim, Where where) {
  const Tensor values = take_along_axis({rows, where}, {positions, where}, axis);
  if (keepdim) return {values, positions};
  return {squeeze({values, where}, axis), squeeze({positions, where}, axis)};
}

// Results of rank 0 if `x` has rank 0.
SINTER_INLINE ValuesAndIndices as_given(const ValuesAndIndices& found, const Operand& x) {
  if (!x.shape().empty() || found.values.ndim() == 0) return found;
  const Where at = x.where;
  if (!is_size(found.values.shape()[0], 1, at)) return found;
  return {reshape({found.values, at}, {}), reshape({found.indices, at}, {})};
}

SINTER_INLINE void require_count_in_row(std::string_view op, const Tensor& x, int axis,
                                        std::int64_t least, Extent k, Where where) {
  const Extent extent = x.shape()[axis];
  if (k >= Extent(least) && k <= extent) return;
  throw ValueError(
      {.op = op,
       .what = "k is out of range",
       .facts = {{"x", to_string(x)}, {"k", text(concrete({k})[0])}, {"axis", text(axis)}},
       .rule = text(least, " <= k <= ", concrete({extent})[0], ", the extent of the axis"),
       .fix = "take no more elements than there are, or another axis",
       .where = where,
       .see = "axes"});
}

SINTER_INLINE void require_middle(std::string_view op, const Tensor& x, int axis, Where where) {
  if (!is_size(x.shape()[axis], 0, where)) return;
  throw ValueError({.op = op,
                    .what = "there is nothing to choose from",
                    .facts = {{"x", to_string(x)}, {"axis", text(axis)}},
                    .rule = "the axis has at least one element",
                    .fix = "leave out empty tensors, or concatenate an element first",
                    .where = where});
}

SINTER_INLINE void require_part(double q, Where where) {
  if (q >= 0 && q <= 1) return;
  throw ValueError({.op = "quantile",
                    .what = "q is not in [0, 1]",
                    .facts = {{"q", text(q)}},
                    .rule = "0 <= q <= 1",
                    .fix = "0.25 is the first quartile, 0.5 the median",
                    .where = where});
}

}  // namespace detail

SINTER_INLINE Tensor argsort(Operand x, int axis, bool descending) {
  const detail::PublicCall call("argsort", x.where);
  const Tensor rows = detail::as_rows(x, axis);
  axis = detail::axis_of(axis, rows, "argsort", x.where);
  const Tensor result = detail::sorted_positions(rows, axis, descending, x.where);
  return reshape({result, x.where}, x.shape());
}

SINTER_INLINE ValuesAndIndices sort(Operand x, int axis, bool descending) {
  const detail::PublicCall call("sort", x.where);
  const Tensor rows = detail::as_rows(x, axis);
  axis = detail::axis_of(axis, rows, "sort", x.where);
  const Tensor positions = detail::sorted_positions(rows, axis, descending, x.where);
  return detail::as_given(detail::elements_at(rows, positions, axis, true, x.where), x);
}

SINTER_INLINE ValuesAndIndices topk(Operand x, Extent k, int axis, bool largest, bool) {
  const detail::PublicCall call("topk", x.where);
  const Where at = x.where;
  const Tensor rows = detail::as_rows(x, axis);
  axis = detail::axis_of(axis, rows, "topk", at);
  detail::require_count_in_row("topk", rows, axis, 0, k, at);
  const Tensor positions =
      detail::part_of(detail::sorted_positions(rows, axis, largest, at), axis, 0, k, at);
  return detail::as_given(detail::elements_at(rows, positions, axis, true, at), x);
}

SINTER_INLINE ValuesAndIndices kthvalue(Operand x, Extent k, int axis, bool keepdim) {
  const detail::PublicCall call("kthvalue", x.where);
  const Where at = x.where;
  const Tensor rows = detail::as_rows(x, axis);
  axis = detail::axis_of(axis, rows, "kthvalue", at);
  detail::require_count_in_row("kthvalue", rows, axis, 1, k, at);
  const Tensor position =
      detail::part_of(detail::sorted_positions(rows, axis, false, at), axis, k - 1, 1, at);
  return detail::as_given(detail::elements_at(rows, position, axis, keepdim, at), x);
}

SINTER_INLINE ValuesAndIndices median(Operand x, int axis, bool keepdim) {
  const detail::PublicCall call("median", x.where);
  const Where at = x.where;
  const Tensor rows = detail::as_rows(x, axis);
  axis = detail::axis_of(axis, rows, "median", at);
  detail::require_middle("median", rows, axis, at);
  const Extent extent = rows.shape()[axis];
  const Tensor largest = argmax({rows, at}, axis, true);  // or the first NaN
  const Tensor middle = detail::part_of(detail::sorted_positions(rows, axis, false, at), axis,
                                        floor_div(extent - 1, 2), 1, at);
  const Tensor is_nan = isnan({take_along_axis({rows, at}, {largest, at}, axis), at});
  const Tensor position = where({is_nan, at}, {largest, at}, {middle, at});
  return detail::as_given(detail::elements_at(rows, position, axis, keepdim, at), x);
}

SINTER_INLINE Tensor quantile(Operand x, double q, int axis, bool keepdim) {
  const detail::PublicCall call("quantile", x.where);
  const Where at = x.where;
  if (!detail::is_floating(x.type().dtype)) x = {detail::cast(x, f32), at};
  const Tensor rows = detail::as_rows(x, axis);
  axis = detail::axis_of(axis, rows, "quantile", at);
  detail::require_middle("quantile", rows, axis, at);
  detail::require_part(q, at);
  const Tensor sorted = sort({rows, at}, axis).values;
  const Tensor last = detail::size_value(rows.shape()[axis] - 1, f64, at);
  const Tensor position = mul({last, at}, {q, at}), below = floor({position, at});
  const Tensor above = minimum({add({below, at}, {1, at}), at}, {last, at});
  const auto element = [&](const Tensor& index) {
    const Tensor list = reshape({detail::cast({index, at}, i64), at}, {1});
    return index_select({sorted, at}, axis, {list, at});
  };
  const Tensor weight =
      detail::cast({sub({position, at}, {below, at}), at}, detail::computed_in(rows.dtype()));
  const Tensor low = element(below), distance = sub({element(above), at}, {low, at});
  const Tensor between = add({low, at}, {mul({distance, at}, {weight, at}), at});
  const Tensor largest = element(last);  // NaN, if there is one
  const Tensor is_nan = isnan({largest, at});
  const Tensor result =
      detail::cast({where({is_nan, at}, {largest, at}, {between, at}), at}, rows.dtype());
  if (x.shape().empty()) return reshape({result, at}, {});
  return keepdim ? result : squeeze({result, at}, axis);
}

SINTER_INLINE Tensor quantile(Operand x, double q) {
  const detail::PublicCall call("quantile", x.where);
  const Tensor flat = reshape(x, {-1});
  return quantile({flat, x.where}, q, 0);
}

SINTER_INLINE Tensor median(Operand x) {
  const detail::PublicCall call("median", x.where);
  const Tensor flat = reshape(x, {-1});
  return median({flat, x.where}, 0).values;
}

}  // namespace sinter::inline SINTER_ABI
