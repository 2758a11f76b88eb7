#pragma once

#include <algorithm>  // std::clamp
#include <numeric>    // std::iota
#include <utility>    // std::move

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/symbol/extent/proof.hpp>
#include <sinter/trace/core/record.hpp>
#include <sinter/trace/core/recorder.hpp>
#include <sinter/trace/ops/creation/create.hpp>
#include <sinter/trace/ops/elementwise/elementwise.hpp>
#include <sinter/trace/ops/index/gather.hpp>
#include <sinter/trace/ops/index/index.hpp>
#include <sinter/trace/ops/index/mask.hpp>
#include <sinter/trace/ops/index/selection.hpp>
#include <sinter/trace/ops/movement/movement.hpp>

namespace sinter::inline SINTER_ABI::detail {

SINTER_INLINE int axes_taken(const Index& index) {
  if (index.value.is<NewAxis>()) return 0;
  if (index.value.is<Ellipsis>()) return 0;
  const auto* const tensor = index.value.get_if<Tensor>();
  return tensor != nullptr && tensor->dtype(index.where) == boolean ? tensor->ndim() : 1;
}

SINTER_INLINE bool is_negative(Extent position, Where where) {
  if (position.is_number()) return position.number() < 0;
  if (proven_less_equal(0, position)) return false;
  Recorder* const recorder = current_recorder();
  return recorder != nullptr && recorder->decide(position, Relation::less, 0, where);
}

// A non-negative position; for a symbolic size, the recording assumes that the position is in
// range.
SINTER_INLINE Extent position_in(const Tensor& x, int axis, Extent position, std::string_view op,
                                 Where where) {
  const Extent extent = x.shape()[axis];
  const std::int64_t size = concrete({extent})[0].number();
  const std::int64_t number = concrete({position})[0].number();
  if (number < -size || number >= size) {
    throw IndexError({.op = op,
                      .what = "the index is outside of the axis",
                      .facts = {{"x", to_string(x)}, {"axis", text(axis)}, {"index", text(number)}},
                      .rule = text("-", size, " <= index < ", size),
                      .fix = "count from 0, or from the end with -1",
                      .where = where,
                      .see = "indexing"});
  }
  const bool from_end = is_negative(position, where);
  if (Recorder* const recorder = current_recorder()) {
    const Extent needed = from_end ? -position : position + 1;
    recorder->decide(extent, Relation::greater_equal, needed, where);
  }
  return from_end ? extent + position : position;
}

// A start or stop plus `more`, as a non-negative number clipped to the axis.
SINTER_INLINE Extent clipped(SliceEnd end, int more, Extent extent, Where where) {
  Extent position = end.value;
  if (same(position, Extent::max_number)) return extent;  // the end of the axis
  if (is_negative(position, where)) position = position + extent;
  return max(Extent(0), min(position + more, extent));
}

SINTER_INLINE AxisRange range_of(const Slice& slice, const Tensor& x, int axis, std::string_view op,
                                 Where where) {
  const Extent extent = x.shape()[axis];
  if (slice.step == 0) {
    throw ValueError({.op = op,
                      .what = "the step is 0",
                      .facts = {{"x", to_string(x)}, {"axis", text(axis)}},
                      .rule = "step != 0",
                      .fix = "leave the step out for 1; -1 goes backwards",
                      .where = where,
                      .see = "indexing"});
  }
  constexpr std::int64_t longest = Extent::max_number / 2;  // beyond every axis
  const std::int64_t step = std::clamp(slice.step, -longest, longest);
  AxisRange range{.step = step < 0 ? -step : step, .reversed = step < 0};
  Extent first = 0, last = extent;
  if (!range.reversed) {
    if (slice.start) first = clipped(*slice.start, 0, extent, where);
    if (slice.stop) last = clipped(*slice.stop, 0, extent, where);
  } else {  // reversed axis: element i is element extent - 1 - i of it
    if (slice.start) first = extent - clipped(*slice.start, 1, extent, where);
    if (slice.stop) last = extent - clipped(*slice.stop, 1, extent, where);
  }
  range.start = first;
  range.count = max(Extent(0), ceil_div(last - first, range.step));
  return range;
}

SINTER_INLINE void require_mask(const Tensor& x, int axis, const Tensor& mask, std::string_view op,
                                Where where) {
  bool fits = true;
  for (int i = 0; fits && i < mask.ndim(); ++i) {
    fits = equal_sizes(mask.shape()[i], x.shape()[axis + i], where);
  }
  if (fits) return;
  throw IndexError({.op = op,
                    .what = "the mask does not fit the axes that it stands for",
                    .facts = {{"x", to_string(x)}, {"mask", to_string(mask)}, {"axis", text(axis)}},
                    .rule = text("mask.shape is that of the axes of x from ", axis, " on"),
                    .fix = "expand the mask, or use where(mask, x, y), which broadcasts",
                    .where = where,
                    .see = "indexing"});
}

// Resolves the indices one by one.
class Selector {
 public:
  Selector(const Tensor& x, std::string_view op, Where where) : x_(x), op_(op) {
    result_.where = where;
  }

  void operator()(const Index& index, int left) {
    if (index.value.is<NewAxis>()) return keep(1);
    if (index.value.is<Ellipsis>()) return whole(left);
    if (index.value.is<All>()) return whole(1);
    if (const auto* const position = index.value.get_if<Extent>()) {
      const int axis = next_axis();
      result_.ranges.push_back(
          {.start = position_in(x_, axis, *position, op_, index.where), .count = 1});
    } else if (const auto* const slice = index.value.get_if<Slice>()) {
      result_.ranges.push_back(range_of(*slice, x_, next_axis(), op_, index.where));
      keep(result_.ranges.back().count);
    } else {
      take(index.value.get<Tensor>(), index.where);
    }
  }

  Selection finish() {
    whole(x_.ndim() - next_axis());
    return std::move(result_);
  }

 private:
  int next_axis() const { return static_cast<int>(result_.ranges.size()); }
  void keep(Extent extent) {
    result_.shape.push_back(extent, result_.where);
    ++left_;
  }
  void whole(int count) {
    for (int i = 0; i < count; ++i) {
      const Extent extent = x_.shape()[next_axis()];
      result_.ranges.push_back({.count = extent});
      keep(extent);
    }
  }
  void take(const Tensor& indices, Where where) {
    if (indices.dtype() == boolean) return take_mask(indices, where);
    const Tensor positions = as_indices({indices, where}, op_);
    if (indices.ndim() == 0) {
      result_.positions.push_back({result_.shape.size(), positions});
      whole(1);
      --left_;
    } else {
      result_.lists.push_back({left_, positions});
      whole(1);
    }
  }
  // A rank-0 mask selects along a new axis of extent 1.
  void take_mask(const Tensor& mask, Where where) {
    const int first = next_axis();
    require_mask(x_, first, mask, op_, where);
    Extent extent = 1;
    for (const Extent& each : mask.shape()) {
      extent *= each;
      result_.ranges.push_back({.count = each});
    }
    result_.lists.push_back({left_, positions_where(mask, where)});
    keep(extent);
  }

  const Tensor& x_;
  std::string_view op_;
  Selection result_;
  int left_ = 0;  // axes without those of positions
};

SINTER_INLINE bool Selection::covers(const Shape& from) const {
  for (int axis = 0; axis < from.size(); ++axis) {
    const AxisRange& range = ranges[static_cast<std::size_t>(axis)];
    if (!same(range.count, from[axis])) return false;
  }
  return true;
}

SINTER_INLINE Selection select(const Tensor& x, Span<const Index> indices, std::string_view op,
                               Where where) {
  int taken = 0, ellipses = 0;
  for (const Index& index : indices) {
    taken += axes_taken(index);
    ellipses += index.value.is<Ellipsis>() ? 1 : 0;
  }
  const int left = x.ndim(where) - taken;
  if (left < 0 || ellipses > 1) {
    throw IndexError(
        {.op = op,
         .what = left < 0 ? "there are more indices than axes" : "there are two ellipses",
         .facts = {{"x", to_string(x)}, {"indices", text(taken)}},
         .rule = left < 0 ? text("at most ", x.ndim(), " indices besides newaxis and ellipsis")
                          : "at most one index is an ellipsis",
         .fix = left < 0 ? "leave out indices; unsqueeze x for more axes"
                         : "write all for each whole axis",
         .where = where,
         .see = "indexing"});
  }
  Selector selector(x, op, where);
  for (const Index& index : indices) selector(index, left);
  return selector.finish();
}

SINTER_INLINE std::vector<int> reversed_axes(const Selection& selection) {
  std::vector<int> result;
  for (std::size_t axis = 0; axis < selection.ranges.size(); ++axis) {
    if (selection.ranges[axis].reversed) result.push_back(static_cast<int>(axis));
  }
  return result;
}

SINTER_INLINE Tensor take_ranges(const Tensor& x, const Selection& selection) {
  const Where at = selection.where;
  Tensor part = flip({x, at}, reversed_axes(selection));
  Shape start, shape;
  std::vector<std::int64_t> steps;
  for (const AxisRange& range : selection.ranges) {
    start.push_back(range.start), shape.push_back(range.count), steps.push_back(range.step);
  }
  if (!same(shape, x.shape())) {
    part = record({.op = Op::slice,
                   .attributes = {{"start", start}, {"step", steps}},
                   .results = {{x.dtype(), shape}}},
                  {part}, at);
  }
  return reshape({part, at}, selection.shape);
}

// Embeds `part` in an axis of `extent`, with 0 outside of the range. A step is handled by padding
// along an inserted second axis.
SINTER_INLINE Tensor spread(Tensor part, int axis, const AxisRange& range, Extent extent,
                            Where where) {
  const auto widths = [](int rank, int at, Extent low, Extent high) {
    std::vector<std::pair<Extent, Extent>> result(static_cast<std::size_t>(rank), {0, 0});
    result[static_cast<std::size_t>(at)] = {low, high};
    return result;
  };
  Extent count = range.count;
  if (range.step != 1) {
    Shape shape = part.shape(), split;
    const bool is_full = part.ndim() == max_rank;  // then merge the axes on each side
    for (int i = 0; i < part.ndim(); ++i) {
      if (is_full && i != 0 && i != axis && i != axis + 1) {
        split[-1] = split[-1] * shape[i];
      } else {
        split.push_back(shape[i]);
      }
      if (i == axis) split.push_back(1);
    }
    const int added = is_full ? (axis == 0 ? 1 : 2) : axis + 1;
    part = pad({reshape({part, where}, split), where},
               widths(split.size(), added, 0, range.step - 1), {0, where});
    shape[axis] = count * range.step;
    part = reshape({part, where}, shape);
    count = min(shape[axis], extent - range.start);
    part = slice({part, where}, axis, 0, count);
  }
  if (same(count, extent)) return part;
  return pad({part, where}, widths(part.ndim(), axis, range.start, extent - range.start - count),
             {0, where});
}

SINTER_INLINE Tensor put_ranges(const Tensor& x, const Selection& selection, const Tensor& part) {
  const Where at = selection.where;
  Shape kept;
  for (const AxisRange& range : selection.ranges) kept.push_back(range.count);
  for (const Extent& extent : kept) {
    if (same(extent, Extent(0))) return x;
  }
  Tensor placed = reshape({part, at}, kept), covered = ones(kept, boolean, at);
  for (int axis = 0; axis < x.ndim(); ++axis) {
    const AxisRange& range = selection.ranges[static_cast<std::size_t>(axis)];
    placed = spread(placed, axis, range, x.shape()[axis], at);
    covered = spread(covered, axis, range, x.shape()[axis], at);
  }
  const std::vector<int> reversed = reversed_axes(selection);
  placed = flip({placed, at}, reversed);
  if (selection.covers(x.shape())) return placed;
  covered = flip({covered, at}, reversed);
  return sinter::where({covered, at}, {placed, at}, {x, at});
}

// Merges lists of positions along several axes to one list along one axis.

// The axis order in which the axes with lists are adjacent: in place if they are already, else
// moved to the front.
SINTER_INLINE std::vector<int> listed_order(int rank, const Vector<AxisIndices>& lists) {
  std::vector<int> order;
  const int first = lists.front().axis, count = static_cast<int>(lists.size());
  if (lists.back().axis - first == count - 1) {
    order.resize(static_cast<std::size_t>(rank));
    std::iota(order.begin(), order.end(), 0);
    return order;
  }
  for (const AxisIndices& list : lists) order.push_back(list.axis);
  for (int axis = 0; axis < rank; ++axis) {
    if (!contains(order, axis)) order.push_back(axis);
  }
  return order;
}

// The positions along the merged axes.
SINTER_INLINE Tensor merged_rows(const Shape& x, const Vector<AxisIndices>& lists,
                                 std::string_view op, Where where) {
  if (lists.size() == 1) return lists[0].indices;
  std::vector<Operand> operands;
  for (const AxisIndices& list : lists) operands.push_back({list.indices, where});
  const Shape shape = broadcast_shapes(op, operands);
  Tensor rows;
  for (const AxisIndices& list : lists) {
    const Tensor along = checked_indices(list.indices, x[list.axis], where);
    if (rows.defined()) {
      rows = add({mul({rows, where}, {x[list.axis], where}), where}, {along, where});
    } else {
      rows = along;
    }
  }
  return expand({rows, where}, shape);
}

SINTER_INLINE Merged merge_lists(const Shape& x, const Vector<AxisIndices>& lists,
                                 std::string_view op, Where where) {
  Merged result;
  result.order = listed_order(x.size(), lists);
  const auto position = find(result.order, lists.front().axis);
  result.axis = static_cast<int>(position - result.order.begin());
  result.rows = merged_rows(x, lists, op, where);
  const int last = result.axis + static_cast<int>(lists.size()) - 1;
  for (int i = 0; i < x.size(); ++i) {
    const Extent extent = x[result.order[static_cast<std::size_t>(i)]];
    result.permuted.push_back(extent);
    if (i > result.axis && i <= last) {
      result.merged[-1] = result.merged[-1] * extent;
    } else {
      result.merged.push_back(extent);
    }
  }
  result.result = replaced_axis(result.merged, result.axis, result.rows.shape(), where);
  return result;
}

SINTER_INLINE Tensor merge(const Tensor& x, const Merged& merged, Where where) {
  return reshape({permute({x, where}, merged.order), where}, merged.merged);
}

SINTER_INLINE Tensor unmerge(const Tensor& x, const Merged& merged, Where where) {
  std::vector<int> back(merged.order.size());
  for (std::size_t i = 0; i < back.size(); ++i) {
    back[static_cast<std::size_t>(merged.order[i])] = static_cast<int>(i);
  }
  return permute({reshape({x, where}, merged.permuted), where}, back);
}

}  // namespace sinter::inline SINTER_ABI::detail
