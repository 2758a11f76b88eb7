#pragma once

#include <numeric>  // std::iota

#include <sinter/base/container/algorithm.hpp>
#include <sinter/symbol/extent/proof.hpp>
#include <sinter/trace/core/axis.hpp>
#include <sinter/trace/core/record.hpp>
#include <sinter/trace/core/recorder.hpp>
#include <sinter/trace/ops/movement/movement.hpp>

namespace sinter::inline SINTER_ABI {

namespace detail {

[[noreturn]] SINTER_INLINE void throw_reshape(const Tensor& x, const Shape& shape, Where where,
                                              std::string what, std::string fix) {
  const Extent from = numel(concrete(x.shape())), to = numel(concrete(shape));
  const bool has_rest = to.is_number() && to.number() < 0;  // a -1
  throw ShapeError(
      {.op = "reshape",
       .what = what,
       .facts = {{"x", to_string(x)},
                 {"shape", to_string(concrete(shape))},
                 {"sizes", has_rest ? text(from, " and ", -to, " * n") : text(from, " and ", to)}},
       .rule = "the products of the extents are equal; at most one extent is -1",
       .fix = fix,
       .where = where,
       .see = "reshape"});
}

SINTER_INLINE bool divides(Extent divisor, Extent size, Where where) {
  const std::int64_t number = concrete({divisor})[0].number();
  if (number < 1 || concrete({size})[0].number() % number != 0) return false;
  return proven_divisible(size, divisor) || equal_sizes(mod(size, divisor), 0, where);
}

// `shape` with the extent for its -1.
SINTER_INLINE Shape complete(const Tensor& x, Shape shape, Where where) {
  int missing = -1;
  Extent known = 1;
  for (int axis = 0; axis < shape.size(); ++axis) {
    if (!is_minus_one(shape[axis])) {
      known *= shape[axis];
    } else if (missing >= 0) {
      throw_reshape(x, shape, where, "more than one extent is -1",
                    "give all extents but one, or all of them");
    } else {
      missing = axis;
    }
  }
  if (missing < 0) return shape;
  const Extent size = x.numel();
  if (is_size(known, 0, where)) {
    throw_reshape(x, shape, where, "any extent fits -1, because another is 0",
                  "give all extents, or join axes with flatten(x, first, last)");
  }
  if (!divides(known, size, where)) {
    throw_reshape(x, shape, where, "the known extents do not divide the size",
                  text("choose other extents whose product divides ", concrete({size})[0]));
  }
  shape[missing] = floor_div(size, known);
  return shape;
}

inline std::vector<std::int64_t> all_of_rank(int rank) {
  std::vector<std::int64_t> result(static_cast<std::size_t>(rank));
  std::iota(result.begin(), result.end(), 0);
  return result;
}

[[noreturn]] SINTER_INLINE void throw_expand(const Tensor& x, const Shape& shape,
                                             std::string_view op, Where where) {
  throw ShapeError({.op = op,
                    .what = "the shape cannot be reached by repeating",
                    .facts = {{"x", to_string(x)}, {"shape", to_string(concrete(shape))}},
                    .rule = "from the last axis on, extents of x are 1 or those of the shape",
                    .fix = "unsqueeze the axis that is to be repeated; -1 keeps an extent",
                    .where = where,
                    .see = "broadcasting"});
}

// `x` with axes of extent 1 in front, so that it has `rank`.
SINTER_INLINE Tensor lift(const Tensor& x, int rank, Where where) {
  if (x.ndim() == rank) return x;
  Shape shape;
  for (int axis = x.ndim(); axis < rank; ++axis) shape.push_back(1);
  for (const Extent& extent : x.shape()) shape.push_back(extent);
  return record(Op::reshape, {x.dtype(), shape}, {x}, where);
}

}  // namespace detail

SINTER_INLINE Tensor reshape(Operand x, Shape shape) {
  const detail::PublicCall call("reshape", x.where);
  const Tensor tensor = x.tensor();
  if (call.is_outermost()) shape = detail::sizes_in_recording(shape, x.where);
  detail::require_countable({tensor.dtype(x.where), shape}, "reshape", x.where);
  const Shape completed = detail::complete(tensor, shape, x.where);
  const bool was_complete = detail::same(shape, completed);
  shape = completed;
  if (detail::same(shape, tensor.shape())) return tensor;
  if (was_complete && !detail::equal_sizes(numel(shape), tensor.numel(), x.where)) {
    detail::throw_reshape(tensor, shape, x.where, "sizes differ",
                          "let one extent be -1, which is then computed");
  }
  return detail::record(detail::Op::reshape, {tensor.dtype(), shape}, {tensor}, x.where);
}

SINTER_INLINE Tensor flatten(Operand x, int first, int last) {
  const detail::PublicCall call("flatten", x.where);
  const Tensor tensor = x.tensor();
  if (tensor.ndim(x.where) == 0) {
    detail::axes_of(first, tensor, "flatten", x.where),
        detail::axes_of(last, tensor, "flatten", x.where);
    return reshape(x, {1});
  }
  first = detail::axis_of(first, tensor, "flatten", x.where);
  last = detail::axis_of(last, tensor, "flatten", x.where);
  if (first > last) {
    throw ValueError({.op = "flatten",
                      .what = "the first axis comes after the last",
                      .facts = {{"x", to_string(tensor)},
                                {"first", detail::text(first)},
                                {"last", detail::text(last)}},
                      .rule = "first <= last",
                      .fix = "name the axes in order: flatten(x, 1) joins all from axis 1 on",
                      .where = x.where});
  }
  Shape shape;
  for (int axis = 0; axis < tensor.ndim(); ++axis) {
    if (axis > first && axis <= last) {
      shape[-1] = shape[-1] * tensor.shape()[axis];
    } else {
      shape.push_back(tensor.shape()[axis]);
    }
  }
  return reshape(x, shape);
}

SINTER_INLINE Tensor permute(Operand x, std::vector<int> axes) {
  const detail::PublicCall call("permute", x.where);
  const Tensor tensor = x.tensor();
  std::vector<std::int64_t> order;
  for (const int axis : axes) order.push_back(detail::axis_of(axis, tensor, "permute", x.where));
  std::vector<std::int64_t> sorted = order;
  detail::stable_sort(sorted);
  if (sorted != detail::all_of_rank(tensor.ndim(x.where))) {
    throw ValueError({.op = "permute",
                      .what = "the axes are not a permutation",
                      .facts = {{"x", to_string(tensor)}, {"axes", detail::text(axes)}},
                      .rule = "each axis of x is named once",
                      .fix = "use transpose to exchange two axes",
                      .where = x.where,
                      .see = "axes"});
  }
  if (order == sorted) return tensor;
  return detail::record({.op = detail::Op::permute, .attributes = {{"axes", order}}}, {tensor},
                        x.where);
}

namespace detail {

SINTER_INLINE Tensor as_rows(const Operand& x, int axis) {
  const bool is_number = x.shape().empty() && (axis == 0 || axis == -1);
  return is_number ? reshape(x, {1}) : x.tensor();
}

}  // namespace detail

SINTER_INLINE Tensor transpose(Operand x, int a, int b) {
  const detail::PublicCall call("transpose", x.where);
  const Tensor tensor = x.tensor();
  if (tensor.ndim(x.where) == 0) {  // accepts axes 0 and -1: nothing to exchange
    detail::axes_of(a, tensor, "transpose", x.where),
        detail::axes_of(b, tensor, "transpose", x.where);
    return tensor;
  }
  std::vector<int> axes(static_cast<std::size_t>(tensor.ndim(x.where)));
  std::iota(axes.begin(), axes.end(), 0);
  std::swap(axes[static_cast<std::size_t>(detail::axis_of(a, tensor, "transpose", x.where))],
            axes[static_cast<std::size_t>(detail::axis_of(b, tensor, "transpose", x.where))]);
  return permute(x, axes);
}

namespace detail {

SINTER_INLINE Tensor expand_for(std::string_view op, Operand x, Shape shape) {
  const Tensor tensor = x.tensor();
  if (tensor.ndim(x.where) > shape.size()) throw_expand(tensor, shape, op, x.where);
  const Tensor lifted = lift(tensor, shape.size(), x.where);
  Shape kept = lifted.shape();  // equal extents are written as in the requested shape
  for (int axis = 0; axis < shape.size(); ++axis) {
    const Extent from = lifted.shape()[axis];
    if (is_minus_one(shape[axis])) shape[axis] = from;
    if (same(from, Extent(1)) || same(from, shape[axis])) continue;
    const bool is_one = is_computed_one(from, x.where);
    const bool stays = !is_one && equal_sizes(from, shape[axis], x.where);
    if (!is_one && !stays && !fix_one(from, x.where)) throw_expand(tensor, shape, op, x.where);
    kept[axis] = stays ? shape[axis] : Extent(1);
  }
  if (same(lifted.shape(), shape)) return lifted;
  const bool keeps = same(lifted.shape(), kept);
  const Tensor part =
      keeps ? lifted : record(Op::reshape, {tensor.dtype(), kept}, {lifted}, x.where);
  if (same(kept, shape)) return part;
  return record(Op::expand, {tensor.dtype(), shape}, {part}, x.where);
}

SINTER_INLINE Tensor with_extent(const Tensor& x, int axis, Extent extent, Where where) {
  Shape shape = x.shape();
  shape[axis] = extent;
  return same(shape, x.shape()) ? x : expand({x, where}, shape);
}

}  // namespace detail

SINTER_INLINE Tensor expand(Operand x, Shape shape) {
  const detail::PublicCall call("expand", x.where);
  if (call.is_outermost()) shape = detail::sizes_in_recording(shape, x.where);
  return detail::expand_for("expand", x, shape);
}

SINTER_INLINE Tensor squeeze(Operand x, Axes axes) {
  const detail::PublicCall call("squeeze", x.where);
  const Tensor tensor = x.tensor();
  const auto dropped = detail::axes_of(axes, tensor, "squeeze", x.where);
  Shape shape;
  for (int axis = 0; axis < tensor.ndim(x.where); ++axis) {
    const Extent extent = tensor.shape()[axis];
    const bool named = detail::contains(dropped, axis);
    if (!named || !detail::is_size(extent, 1, x.where)) shape.push_back(extent);
  }
  if (shape.size() == tensor.ndim()) return tensor;
  return detail::record(detail::Op::reshape, {tensor.dtype(), shape}, {tensor}, x.where);
}

SINTER_INLINE Tensor unsqueeze(Operand x, int axis) {
  const detail::PublicCall call("unsqueeze", x.where);
  const Tensor tensor = x.tensor();
  const int rank = tensor.ndim(x.where) + 1;
  if (axis < -rank || axis >= rank) {
    throw IndexError({.op = "unsqueeze",
                      .what = "the result has no such axis",
                      .facts = {{"x", to_string(tensor)}, {"axis", detail::text(axis)}},
                      .rule = detail::text("-", rank, " <= axis < ", rank),
                      .fix = "count axes of the result from 0, or from the end with -1",
                      .where = x.where,
                      .see = "axes"});
  }
  Shape shape;
  for (int i = 0, from = 0; i < rank; ++i) {
    shape.push_back(i == (axis + rank) % rank ? Extent(1) : tensor.shape()[from++]);
  }
  return reshape(x, shape);
}

namespace detail {

SINTER_INLINE void require_widths(const Tensor& x,
                                  const std::vector<std::pair<Extent, Extent>>& widths,
                                  Where where) {
  if (widths.size() != static_cast<std::size_t>(x.ndim(where))) {
    throw ShapeError({.op = "pad",
                      .what = "there is not one pair of widths for each axis",
                      .facts = {{"x", to_string(x)}, {"pairs", text(widths.size())}},
                      .rule = "widths[i] = {before, after} for each axis i",
                      .fix = "write {0, 0} for axes that stay as they are",
                      .where = where});
  }
  for (const auto& [before, after] : widths) {
    if (!is_less(before, 0, where) && !is_less(after, 0, where)) continue;
    const Shape pair = concrete({before, after});
    throw ValueError({.op = "pad",
                      .what = "a width is negative",
                      .facts = {{"x", to_string(x)}, {"pair", text(pair[0], ", ", pair[1])}},
                      .rule = "widths are at least 0",
                      .fix = "slice the tensor to make it smaller",
                      .where = where});
  }
}

}  // namespace detail

SINTER_INLINE Tensor pad(Operand x, std::vector<std::pair<Extent, Extent>> widths, Operand value) {
  const detail::PublicCall call("pad", x.where);
  const Tensor tensor = x.tensor();
  detail::require_widths(tensor, widths, x.where);
  const auto* number = value.value.get_if<detail::Constant>();
  if (number == nullptr) {
    throw ValueError({.op = "pad",
                      .what = "the value is not a number",
                      .facts = {{"x", to_string(tensor)}, {"value", to_string(value)}},
                      .rule = "value is a number of the program",
                      .fix = "pad with 0 and add, or concatenate with expand(value, shape)",
                      .where = x.where});
  }
  Shape low, high;
  for (const auto& [before, after] : widths) {
    low.push_back(detail::size_in_recording(before, x.where));
    high.push_back(detail::size_in_recording(after, x.where));
  }
  return detail::record({.op = detail::Op::pad,
                         .attributes = {{"low", low},
                                        {"high", high},
                                        {"value", sinter::detail::cast(*number, tensor.dtype())}}},
                        {tensor}, x.where);
}

// Slices and flips.

namespace detail {

// True if `position` counts from the end. Does not ask for the sign of a symbol where it makes no
// difference: a negative position of at least extent - 2 is the first element either way.
SINTER_INLINE bool is_from_end(Extent position, Extent extent, Where where) {
  const bool is_last = !position.is_number() && proven_less_equal(extent - 2, position);
  return !is_last && is_less(position, 0, where);
}

// A position as in NumPy: negative ones count from the end, then it is clipped to the axis.
SINTER_INLINE Extent clip(Extent position, Extent extent, Where where) {
  if (is_from_end(position, extent, where)) position = position + extent;
  return max(Extent(0), min(position, extent));
}

}  // namespace detail

SINTER_INLINE Tensor slice(Operand x, int axis, Extent start, Extent stop, std::int64_t step) {
  const detail::PublicCall call("slice", x.where);
  const Tensor tensor = x.tensor();
  axis = detail::axis_of(axis, tensor, "slice", x.where);
  if (step < 1) {
    throw ValueError({.op = "slice",
                      .what = "the step is not positive",
                      .facts = {{"x", to_string(tensor)}, {"step", detail::text(step)}},
                      .rule = "step >= 1",
                      .fix = "flip the tensor along the axis first",
                      .where = x.where});
  }
  const Extent extent = tensor.shape()[axis];
  const Extent first = detail::clip(start, extent, x.where);
  const Extent last = detail::clip(stop, extent, x.where);
  Shape begin, shape = tensor.shape();
  std::vector<std::int64_t> steps(static_cast<std::size_t>(tensor.ndim()), 1);
  for (int i = 0; i < tensor.ndim(); ++i) begin.push_back(i == axis ? first : Extent(0));
  steps[static_cast<std::size_t>(axis)] = step;
  shape[axis] = max(Extent(0), ceil_div(last - first, step));
  if (detail::same(shape[axis], extent)) return tensor;
  return detail::record({.op = detail::Op::slice,
                         .attributes = {{"start", begin}, {"step", steps}},
                         .results = {{tensor.dtype(), shape}}},
                        {tensor}, x.where);
}

SINTER_INLINE Tensor flip(Operand x, Axes axes) {
  const detail::PublicCall call("flip", x.where);
  const Tensor tensor = x.tensor();
  const auto list = detail::axes_of(axes, tensor, "flip", x.where);
  if (list.empty()) return tensor;
  return detail::record({.op = detail::Op::flip, .attributes = {{"axes", list}}}, {tensor},
                        x.where);
}

}  // namespace sinter::inline SINTER_ABI
