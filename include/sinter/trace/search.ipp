#pragma once

#include <sinter/trace/cast.hpp>
#include <sinter/trace/create.hpp>
#include <sinter/trace/elementwise.hpp>
#include <sinter/trace/gather.hpp>
#include <sinter/trace/mask.hpp>
#include <sinter/trace/movement.hpp>
#include <sinter/trace/recorder.hpp>
#include <sinter/trace/reduce.hpp>
#include <sinter/trace/row.hpp>
#include <sinter/trace/search.hpp>

namespace sinter::inline SINTER_ABI {

// How many elements are in front of each value: those that are not behind it. That they ascend is
// not used, so that the count is one loop and nothing is read at a position that is found in it.
SINTER_INLINE Tensor searchsorted(Operand sorted, Operand values, bool right) {
  const Where at = sorted.where;
  const Tensor rows = sorted.tensor(), wanted = values.tensor();
  bool fits = rows.ndim(at) == 1 || (rows.ndim() > 1 && rows.ndim() == wanted.ndim());
  for (int axis = 0; fits && axis + 1 < rows.ndim(); ++axis) {
    fits = equal_sizes(rows.shape()[axis], wanted.shape()[axis], at);
  }
  if (!fits) {
    throw ShapeError({.op = "searchsorted",
                      .what = "the values do not fit the sorted rows",
                      .facts = {{"sorted", to_string(sorted)}, {"values", to_string(values)}},
                      .rule = "sorted is of rank 1, or all its axes but the last are those of the "
                              "values",
                      .fix = "expand the rows to the leading axes of the values",
                      .where = at});
  }
  const Tensor each = unsqueeze({wanted, at}, -1);
  const Tensor row = rows.ndim() == 1 ? rows : unsqueeze({rows, at}, -2);
  const Tensor is_behind = right ? gt({row, at}, {each, at}) : ge({row, at}, {each, at});
  return sum({logical_not({is_behind, at}), at}, -1);
}

SINTER_INLINE Tensor bucketize(Operand x, Operand boundaries, bool right) {
  if (boundaries.shape().size() != 1) {
    throw ShapeError({.op = "bucketize",
                      .what = "the boundaries are not of rank 1",
                      .facts = {{"boundaries", to_string(boundaries)}},
                      .rule = "boundaries.ndim() == 1",
                      .fix = "searchsorted(boundaries, x), which takes a row for each row of x",
                      .where = x.where});
  }
  return searchsorted({boundaries.tensor(), x.where}, {x.tensor(), x.where}, right);
}

namespace detail {

SINTER_INLINE Tensor count_weights(const Operand& x, const Operand& weights, Extent minlength) {
  const Where at = x.where;
  const Tensor list = as_indices(x, "bincount");
  if (list.ndim() != 1) {
    throw ShapeError({.op = "bincount",
                      .what = "x is not of rank 1",
                      .facts = {{"x", to_string(x)}},
                      .rule = "x.ndim() == 1",
                      .fix = "flatten(x)",
                      .where = at});
  }
  Extent length = minlength;
  if (!same(list.shape()[0], Extent(0))) {
    length = max(length, Extent(max({list, at}).item<std::int64_t>(at) + 1));
  }
  // A negative element is none, where a negative index would count from the end.
  const Tensor before = sub({list, at}, {length, at});
  const Tensor indices = sinter::where({lt({list, at}, {0, at}), at}, {before, at}, {list, at});
  const DType dtype = weights.is_number() ? i64 : weights.type().dtype;
  return index_add({zeros({length}, dtype, at), at}, 0, {indices, at}, weights);
}

}  // namespace detail

SINTER_INLINE Tensor bincount(Operand x, Extent minlength) {
  return detail::count_weights(x, {1, x.where}, minlength);
}

SINTER_INLINE Tensor bincount(Operand x, const Tensor& weights, Extent minlength) {
  return detail::count_weights(x, {weights, x.where}, minlength);
}

SINTER_INLINE Tensor unique(Operand x) {
  const Where at = x.where;
  const Tensor flat = reshape(x, {-1});
  const Extent count = flat.shape()[0];
  if (same(count, Extent(0))) return flat;
  const Tensor sorted = sort({flat, at}).values;
  const Tensor positions = arange(count, at);
  const Tensor before = maximum({sub({positions, at}, {1, at}), at}, {0, at});
  const Tensor differs = ne({sorted, at}, {index_select({sorted, at}, 0, {before, at}), at});
  const Tensor is_first = eq({positions, at}, {0, at});
  return masked_select({sorted, at}, {logical_or({is_first, at}, {differs, at}), at});
}

}  // namespace sinter::inline SINTER_ABI
