#pragma once

#include <algorithm>  // std::max, std::min
#include <bit>        // std::bit_width
#include <cstdint>    // std::int64_t
#include <utility>    // std::pair
#include <vector>     // std::vector

#include <sinter/symbol/extent/interval.hpp>
#include <sinter/symbol/extent/proof.hpp>
#include <sinter/trace/core/cast.hpp>
#include <sinter/trace/core/recorder.hpp>
#include <sinter/trace/ops/creation/create.hpp>
#include <sinter/trace/ops/elementwise/elementwise.hpp>
#include <sinter/trace/ops/index/gather.hpp>
#include <sinter/trace/ops/index/mask.hpp>
#include <sinter/trace/ops/movement/movement.hpp>
#include <sinter/trace/ops/movement/window.hpp>
#include <sinter/trace/ops/reduce/reduce.hpp>
#include <sinter/trace/ops/sort/search.hpp>
#include <sinter/trace/ops/sort/sort.hpp>

namespace sinter::inline SINTER_ABI {

namespace detail {

SINTER_INLINE void require_search_rows(const Operand& sorted, const Operand& values) {
  const Shape rows = sorted.tensor().shape(), wanted = values.shape();
  bool fits = rows.size() == 1 || (rows.size() > 1 && rows.size() == wanted.size());
  for (int axis = 0; fits && axis + 1 < rows.size(); ++axis) {
    fits = equal_sizes(rows[axis], wanted[axis], sorted.where);
  }
  if (fits) return;
  throw ShapeError({.op = "searchsorted",
                    .what = "the values do not fit the sorted rows",
                    .facts = {{"sorted", to_string(sorted)}, {"values", to_string(values)}},
                    .rule = "sorted is of rank 1, or all its axes but the last are those of the "
                            "values",
                    .fix = "expand the rows to the leading axes of the values",
                    .where = sorted.where});
}

// The number of halvings until a row of `extent` elements is empty. An unbounded symbolic extent
// counts as 2^48 elements: no address space holds more.
SINTER_INLINE int halvings(Extent extent) {
  constexpr std::int64_t most = std::int64_t{1} << 48;
  const std::int64_t longest = std::min(most, std::max<std::int64_t>(0, bounds(extent).max));
  return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(longest)));
}

// The flattened rows of a search, and the offset of the row for each value.
struct SearchRows {
  Tensor flat, start;
  Extent extent;
};

SINTER_INLINE SearchRows search_rows(Tensor rows, Extent extent, const Shape& values, Where where) {
  if (!proven_less(0, extent)) {  // an element to read in rows that may be empty
    std::vector<std::pair<Extent, Extent>> widths(static_cast<std::size_t>(rows.ndim()), {0, 0});
    widths.back().second = 1;
    rows = pad({rows, where}, widths, {0, where});
    extent = extent + 1;
  }
  Tensor number = full({}, {0, where}, i64);
  for (int axis = 0; axis + 1 < rows.ndim(); ++axis) {
    const Tensor along = positions_along(values, axis, where);
    number = add({mul({number, where}, {values[axis], where}), where}, {along, where});
  }
  return {reshape({rows, where}, {-1}), mul({number, where}, {extent, where}), extent};
}

}  // namespace detail

// An unrolled binary search, so that it fuses with its neighbours. It reads the same elements as
// torch's: unsorted rows, or rows with NaN inside, give torch's positions too.
SINTER_INLINE Tensor searchsorted(Operand sorted, Operand values, bool right) {
  const detail::PublicCall call("searchsorted", sorted.where);
  const Where at = sorted.where;
  const Tensor wanted = values.tensor();
  detail::require_search_rows(sorted, values);
  const Extent count = detail::settled(sorted.shape()[-1], at);
  const detail::SearchRows rows = detail::search_rows(sorted.tensor(), count, wanted.shape(), at);
  Tensor low = zeros(wanted.shape(), i64, at);
  Tensor high = full(wanted.shape(), {count, at}, i64);
  for (int step = detail::halvings(count); step > 0; --step) {
    const Tensor middle = shift_right({add({low, at}, {high, at}), at}, {1, at});
    const Tensor inside = minimum({middle, at}, {rows.extent - 1, at});
    const Tensor place = add({rows.start, at}, {inside, at});
    const Tensor element = detail::gather_at(rows.flat, 0, place, at);
    const Tensor is_behind =
        right ? gt({element, at}, {wanted, at}) : ge({element, at}, {wanted, at});
    const Tensor goes_on =
        logical_and({lt({low, at}, {high, at}), at}, {logical_not({is_behind, at}), at});
    high = where({goes_on, at}, {high, at}, {middle, at});
    low = where({goes_on, at}, {add({middle, at}, {1, at}), at}, {low, at});
  }
  return low;
}

SINTER_INLINE Tensor bucketize(Operand x, Operand boundaries, bool right) {
  const detail::PublicCall call("bucketize", x.where);
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

SINTER_INLINE void require_counted(const Operand& x, const Operand& weights, Extent minlength) {
  const Shape shape = x.shape();
  Report report{.op = "bincount", .facts = {{"x", to_string(x)}}, .where = x.where};
  if (shape.size() != 1) {
    report.what = "x is not of rank 1";
    report.rule = "x.ndim() == 1";
    report.fix = "flatten(x)";
    throw ShapeError(report);
  }
  const Shape given = weights.shape();
  const bool fits = given.size() == 1 && equal_sizes(given[0], shape[0], x.where);
  if (!weights.is_number() && !fits) {
    report.facts.emplace_back("weights", to_string(weights));
    report.what = "there is not one weight for each element";
    report.rule = "weights.shape == x.shape";
    report.fix = "expand the weights to the shape of x";
    throw ShapeError(report);
  }
  if (minlength.is_number() && minlength.number() < 0) {
    report.facts.emplace_back("minlength", to_string(minlength));
    report.what = "minlength is negative";
    report.rule = "minlength >= 0";
    report.fix = "leave it out to count up to the largest element";
    throw ValueError(report);
  }
}

// Weights are summed in f64, except f32 weights.
SINTER_INLINE DType counted_dtype(const Operand& weights) {
  if (weights.is_number()) return i64;
  return weights.type().dtype == f32 ? f32 : f64;
}

SINTER_INLINE Tensor count_weights(const Operand& x, const Operand& weights, Extent minlength) {
  const Where at = x.where;
  require_counted(x, weights, minlength);
  const Tensor list = as_indices(x, "bincount");
  Extent length = minlength;
  if (!is_size(list.shape()[0], 0, at)) {
    length = max(length, Extent(sinter::max({list, at}).item<std::int64_t>(at) + 1));
  }
  // Negative elements are errors here; as indices they would count from the end.
  const Tensor before = sub({list, at}, {length, at});
  const Tensor indices = sinter::where({lt({list, at}, {0, at}), at}, {before, at}, {list, at});
  const Tensor start = zeros({length}, counted_dtype(weights), at);
  return index_add({start, at}, 0, {indices, at}, weights);
}

}  // namespace detail

SINTER_INLINE Tensor bincount(Operand x, Extent minlength) {
  const detail::PublicCall call("bincount", x.where);
  return detail::count_weights(x, {1, x.where}, minlength);
}

SINTER_INLINE Tensor bincount(Operand x, const Tensor& weights, Extent minlength) {
  const detail::PublicCall call("bincount", x.where);
  return detail::count_weights(x, {weights, x.where}, minlength);
}

SINTER_INLINE Tensor unique(Operand x) {
  const detail::PublicCall call("unique", x.where);
  const Where at = x.where;
  const Tensor flat = reshape(x, {-1});
  const Extent count = flat.shape()[0];
  if (detail::is_size(count, 0, at)) return flat;
  const Tensor sorted = sort({flat, at}).values;
  const Tensor positions = arange(count, at);
  const Tensor before = maximum({sub({positions, at}, {1, at}), at}, {0, at});
  const Tensor differs = ne({sorted, at}, {index_select({sorted, at}, 0, {before, at}), at});
  const Tensor is_first = eq({positions, at}, {0, at});
  return masked_select({sorted, at}, {logical_or({is_first, at}, {differs, at}), at});
}

}  // namespace sinter::inline SINTER_ABI
