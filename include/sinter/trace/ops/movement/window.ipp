#pragma once

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/trace/core/record.hpp>
#include <sinter/trace/core/recorder.hpp>
#include <sinter/trace/ops/movement/movement.hpp>
#include <sinter/trace/ops/movement/window.hpp>

namespace sinter::inline SINTER_ABI::detail {

SINTER_INLINE std::vector<std::int64_t> per_axis(const PerAxis& numbers, std::size_t axes,
                                                 std::int64_t least, std::string_view op,
                                                 std::string_view name, Where where) {
  std::vector<std::int64_t> list = numbers.list();
  if (list.size() == 1) list.resize(axes, list[0]);
  if (list.size() != axes) {
    throw ShapeError({.op = op,
                      .what = text("there is not one ", name, " for each spatial axis"),
                      .facts = {{std::string(name), text(list)}, {"axes", text(axes)}},
                      .rule = text("one number, or ", axes),
                      .fix = "write one number if all axes are alike",
                      .where = where});
  }
  const bool fits = all_of(list, [&](auto n) { return n >= least; });
  if (fits) return list;
  throw ValueError({.op = op,
                    .what = text("a ", name, " is too small"),
                    .facts = {{std::string(name), text(list)}},
                    .rule = text(name, " >= ", least),
                    .fix = text("write ", least, " for none"),
                    .where = where});
}

SINTER_INLINE bool at_least(Extent lhs, Extent rhs, Where where) {
  if (lhs.is_number() && rhs.is_number()) return lhs.number() >= rhs.number();
  return current_recorder()->decide(lhs, Relation::greater_equal, rhs, where);
}

SINTER_INLINE Extent settled(Extent extent, Where where) {
  const Recorder* const recorder = current_recorder();
  if (extent.is_number() || recorder == nullptr) return extent;
  const Extent known = recorder->resolve(extent);
  const bool is_fixed = recorder->with_fixed_sizes({known})[0].is_number();
  return is_fixed ? Extent(known.value(where)) : known;
}

SINTER_INLINE Shape resolved(const Shape& shape) {
  const Recorder* const recorder = current_recorder();
  return recorder == nullptr ? shape : recorder->resolve(shape);
}

SINTER_INLINE Extent window_count(WindowAxis& axis, Extent size, std::string_view op,
                                  const Operand& x) {
  const Extent padded = size + axis.low + axis.high;
  const Extent spare = axis.rounds_up ? axis.step - 1 : 0;
  if (!at_least(padded + spare, axis.reach(), x.where)) {
    throw ShapeError({.op = op,
                      .what = "the window is larger than the input",
                      .facts = {{"x", to_string(x)},
                                {"axis", to_string(concrete({size}))},
                                {"window", text(axis.reach())}},
                      .rule = "size + padding >= dilation * (kernel - 1) + 1",
                      .fix = "pad the input, or use a smaller kernel",
                      .where = x.where});
  }
  const Extent rest = padded - axis.reach();
  if (!axis.rounds_up || axis.step == 1) return floor_div(rest, axis.step) + 1;
  // The last window must start in the input or in the padding before it.
  const Extent starting_inside = floor_div(size + axis.low - 1, axis.step) + 1;
  return min(ceil_div(rest, axis.step) + 1, starting_inside);
}

// Windows along `axis` of the padded `x`, with a new last axis.
SINTER_INLINE Tensor unfolded_axis(const Tensor& x, int axis, const WindowAxis& window,
                                   Extent count, Where where) {
  Shape shape = x.shape();
  shape[axis] = count;
  if (window.size == 1 && window.step == 1) return unsqueeze({x, where}, -1);
  shape.push_back(window.size);
  return record({.op = Op::unfold,
                 .attributes = {{"axis", constant(axis)},
                                {"size", constant(window.size)},
                                {"step", constant(window.step)},
                                {"dilation", constant(window.dilation)}},
                 .results = {{x.dtype(), shape}}},
                {x}, where);
}

// Adjacent windows that do not overlap are a reshape, whose gradient is a reshape too.
SINTER_INLINE Tensor split_axis(const Tensor& x, int axis, const WindowAxis& window, Extent count,
                                Where where) {
  const Tensor whole = slice({x, where}, axis, 0, count * window.size);
  Shape shape;
  std::vector<int> order;
  for (int i = 0; i < x.ndim(); ++i) {
    shape.push_back(i == axis ? count : x.shape()[i]);
    if (i == axis) shape.push_back(window.size);
    order.push_back(i > axis ? i + 1 : i);
  }
  order.push_back(axis + 1);
  return permute({reshape({whole, where}, shape), where}, order);
}

SINTER_INLINE Tensor windows(const Tensor& x, Vector<WindowAxis> axes, Constant value,
                             std::string_view op, Where where) {
  const int first = x.ndim() - static_cast<int>(axes.size());
  std::vector<Extent> counts;
  std::vector<std::pair<Extent, Extent>> widths(static_cast<std::size_t>(first), {0, 0});
  bool pads = false;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const Extent size = x.shape()[first + static_cast<int>(i)];
    counts.push_back(window_count(axes[i], size, op, {x, where}));
    const Extent needed = (counts[i] - 1) * axes[i].step + axes[i].reach() - size - axes[i].low;
    const Extent high = axes[i].rounds_up ? max(Extent(axes[i].high), needed) : axes[i].high;
    widths.emplace_back(axes[i].low, high);
    pads = pads || axes[i].low != 0 || !same(high, Extent(0));
  }
  Tensor result = x;
  if (pads) {
    Shape low, high;
    for (const auto& [before, after] : widths) low.push_back(before), high.push_back(after);
    result = record({.op = Op::pad,
                     .attributes = {{"low", low},
                                    {"high", high},
                                    {"value", sinter::detail::cast(value, x.dtype())}}},
                    {x}, where);
  }
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const int axis = first + static_cast<int>(i);
    const bool tiles = axes[i].step == axes[i].size && axes[i].dilation == 1 && axes[i].size > 1;
    result = tiles && result.ndim() < window_rank
                 ? split_axis(result, axis, axes[i], counts[i], where)
                 : unfolded_axis(result, axis, axes[i], counts[i], where);
  }
  return result;
}

SINTER_INLINE Tensor spread_apart(const Tensor& x, int axis, std::int64_t step, Where where) {
  if (step == 1) return x;
  const Tensor apart = unsqueeze({x, where}, axis + 1);
  std::vector<std::pair<Extent, Extent>> widths(static_cast<std::size_t>(apart.ndim()), {0, 0});
  widths[static_cast<std::size_t>(axis) + 1].second = step - 1;
  Shape shape = x.shape();
  shape[axis] *= step;
  const Tensor whole = reshape({pad({apart, where}, widths), where}, shape);
  return slice({whole, where}, axis, 0, shape[axis] - (step - 1));
}

SINTER_INLINE Tensor with_batch_axis(const Operand& x, int axes, std::string_view op) {
  const Tensor tensor = x.tensor();
  const int rank = tensor.ndim(x.where);
  if (rank == axes + 2) return tensor;
  if (rank == axes + 1) return unsqueeze({tensor, x.where}, 0);
  throw ShapeError({.op = op,
                    .what = "the input has the wrong rank",
                    .facts = {{"x", to_string(x)}},
                    .rule = text("x is (batch, channels, ", axes, " spatial axes) or (channels, ",
                                 axes, " spatial axes)"),
                    .fix = "unsqueeze the axes that are missing",
                    .where = x.where});
}

}  // namespace sinter::inline SINTER_ABI::detail
