#pragma once

#include <string>  // std::string

#include <sinter/base/container/vector.hpp>
#include <sinter/trace/core/record.hpp>
#include <sinter/trace/core/recorder.hpp>
#include <sinter/trace/ops/creation/create.hpp>
#include <sinter/trace/ops/movement/concatenate.hpp>
#include <sinter/trace/ops/movement/movement.hpp>
#include <sinter/trace/ops/movement/rearrange.hpp>

namespace sinter::inline SINTER_ABI {

SINTER_INLINE Tensor roll(Operand x, std::int64_t shift, int axis) {
  const detail::PublicCall call("roll", x.where);
  const Tensor tensor = x.tensor();
  if (detail::axes_of(axis, tensor, "roll", x.where).empty()) return tensor;
  axis = detail::axis_of(axis, tensor, "roll", x.where);
  const Extent size = tensor.shape()[axis];
  if (detail::same(size, Extent(0)) || detail::same(size, Extent(1)) || shift == 0) return tensor;
  const Extent first = mod(Extent(shift), max(Extent(1), size));  // new position of element 0
  if (detail::same(first, Extent(0))) return tensor;
  return concatenate({{detail::part(tensor, axis, size - first, first, x.where), x.where},
                      {detail::part(tensor, axis, 0, size - first, x.where), x.where}},
                     axis);
}

SINTER_INLINE Tensor roll(Operand x, std::vector<std::int64_t> shifts, std::vector<int> axes) {
  const detail::PublicCall call("roll", x.where);
  if (shifts.size() != axes.size()) {
    throw ValueError({.op = "roll",
                      .what = "there is not one shift for each axis",
                      .facts = {{"shifts", detail::text(shifts)}, {"axes", detail::text(axes)}},
                      .rule = "as many shifts as axes",
                      .fix = "name one axis for each shift, or none to roll all elements",
                      .where = x.where,
                      .see = "axes"});
  }
  Tensor result = x.tensor();
  for (std::size_t i = 0; i < axes.size(); ++i) {
    result = roll({result, x.where}, shifts[i], axes[i]);
  }
  return result;
}

SINTER_INLINE Tensor roll(Operand x, std::int64_t shift) {
  const detail::PublicCall call("roll", x.where);
  const Shape shape = x.shape();
  return reshape({roll({reshape(x, {-1}), x.where}, shift, 0), x.where}, shape);
}

SINTER_INLINE Tensor unflatten(Operand x, int axis, Shape sizes) {
  const detail::PublicCall call("unflatten", x.where);
  const Tensor tensor = detail::as_rows(x, axis);
  axis = detail::axis_of(axis, tensor, "unflatten", x.where);
  const Extent extent = tensor.shape()[axis];
  Extent known = 1;
  int missing = -1;
  for (int i = 0; i < sizes.size(); ++i) {
    const bool is_missing = detail::is_minus_one(sizes[i]);
    if (is_missing && missing < 0)
      missing = i;
    else
      known *= sizes[i];
  }
  if (missing >= 0 && detail::divides(known, extent, x.where)) {
    sizes[missing] = floor_div(extent, known);
    known = extent;
  }
  if (sizes.empty() || !detail::equal_sizes(known, extent, x.where)) {
    throw ShapeError({.op = "unflatten",
                      .what = "the sizes do not make up the axis",
                      .facts = {{"x", to_string(tensor)},
                                {"axis", detail::text(axis)},
                                {"sizes", to_string(detail::concrete(sizes))}},
                      .rule = "the product of the sizes is the extent of the axis",
                      .fix = "let one size be -1, which is then computed",
                      .where = x.where,
                      .see = "reshape"});
  }
  Shape shape;
  for (int i = 0; i < tensor.ndim(); ++i) {
    if (i != axis) shape.push_back(tensor.shape()[i]);
    for (int j = 0; i == axis && j < sizes.size(); ++j) shape.push_back(sizes[j]);
  }
  return reshape(x, shape);
}

SINTER_INLINE Tensor ravel(Operand x) {
  const detail::PublicCall call("ravel", x.where);
  return reshape(x, {-1});
}

namespace detail {

SINTER_INLINE Tensor with_axes_moved(const Operand& x, const std::vector<int>& sources,
                                     const std::vector<int>& destinations, std::string_view op) {
  const Tensor tensor = x.tensor();
  if (sources.size() != destinations.size()) {
    throw ValueError({.op = op,
                      .what = "there is not one destination for each source",
                      .facts = {{"sources", text(sources)}, {"destinations", text(destinations)}},
                      .rule = "as many destinations as sources",
                      .fix = "name the axes that move, and where to",
                      .where = x.where,
                      .see = "axes"});
  }
  axes_of(sources, tensor, op, x.where), axes_of(destinations, tensor, op, x.where);
  if (tensor.ndim() == 0) return tensor;
  std::vector<int> order(static_cast<std::size_t>(tensor.ndim()), -1);
  Vector<bool> moved(order.size());
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const int from = axis_of(sources[i], tensor, op, x.where);
    order[static_cast<std::size_t>(axis_of(destinations[i], tensor, op, x.where))] = from;
    moved[static_cast<std::size_t>(from)] = true;
  }
  std::size_t next = 0;
  for (int& axis : order) {
    if (axis >= 0) continue;
    while (moved[next]) ++next;
    axis = static_cast<int>(next++);
  }
  return permute(x, order);
}

}  // namespace detail

SINTER_INLINE Tensor moveaxis(Operand x, int source, int destination) {
  const detail::PublicCall call("moveaxis", x.where);
  return detail::with_axes_moved(x, {source}, {destination}, "moveaxis");
}
SINTER_INLINE Tensor moveaxis(Operand x, std::vector<int> sources, std::vector<int> destinations) {
  const detail::PublicCall call("moveaxis", x.where);
  return detail::with_axes_moved(x, sources, destinations, "moveaxis");
}
SINTER_INLINE Tensor movedim(Operand x, int source, int destination) {
  const detail::PublicCall call("movedim", x.where);
  return detail::with_axes_moved(x, {source}, {destination}, "movedim");
}
SINTER_INLINE Tensor movedim(Operand x, std::vector<int> sources, std::vector<int> destinations) {
  const detail::PublicCall call("movedim", x.where);
  return detail::with_axes_moved(x, sources, destinations, "movedim");
}
SINTER_INLINE Tensor swapaxes(Operand x, int a, int b) {
  const detail::PublicCall call("swapaxes", x.where);
  const Tensor tensor = x.tensor();
  detail::axes_of(a, tensor, "swapaxes", x.where), detail::axes_of(b, tensor, "swapaxes", x.where);
  return transpose(x, a, b);
}

SINTER_INLINE Tensor rot90(Operand x, std::int64_t times, std::pair<int, int> axes) {
  const detail::PublicCall call("rot90", x.where);
  const auto [from, to] = axes;
  detail::axes_of({from, to}, x.tensor(), "rot90", x.where);
  const std::int64_t quarter_turns = (times % 4 + 4) % 4;
  if (quarter_turns == 0) return x.tensor();
  if (quarter_turns == 2) return flip(x, {from, to});
  const Tensor flipped = flip(x, quarter_turns == 1 ? to : from);
  return transpose({flipped, x.where}, from, to);
}

SINTER_INLINE Tensor unfold(Operand x, int axis, std::int64_t size, std::int64_t step) {
  const detail::PublicCall call("unfold", x.where);
  if (x.shape().empty() && !detail::axes_of(axis, x.tensor(), "unfold", x.where).size()) {
    const Tensor windows = unfold({reshape(x, {1}), x.where}, 0, size, step);
    return reshape({windows, x.where}, {size});  // one window of one element
  }
  const Tensor tensor = x.tensor();
  axis = detail::axis_of(axis, tensor, "unfold", x.where);
  const Extent extent = tensor.shape()[axis];
  if (size < 0 || step < 1) {
    throw ValueError(
        {.op = "unfold",
         .what = size < 0 ? "the size is negative" : "the step is not positive",
         .facts = {{"x", to_string(tensor)}, {"size, step", detail::text(size, ", ", step)}},
         .rule = "size >= 0, step >= 1",
         .fix = "a step of 1 gives all windows, a step of size those that touch",
         .where = x.where});
  }
  if (detail::LocatedExtent{extent, x.where} < size) {
    throw ShapeError({.op = "unfold",
                      .what = "the window is larger than the axis",
                      .facts = {{"x", to_string(tensor)},
                                {"axis", detail::text(axis)},
                                {"size", detail::text(size)}},
                      .rule = "size is at most the extent of the axis",
                      .fix = "pad the axis, or take smaller windows",
                      .where = x.where});
  }
  Shape shape = tensor.shape();
  shape[axis] = floor_div(extent - size, step) + 1;
  shape.push_back(size, x.where);
  if (size == 0) return zeros(shape, tensor.dtype(), x.where);
  return detail::record({.op = detail::Op::unfold,
                         .attributes = {{"axis", detail::constant(axis)},
                                        {"size", detail::constant(size)},
                                        {"step", detail::constant(step)},
                                        {"dilation", detail::constant(1)}},
                         .results = {{tensor.dtype(), shape}}},
                        {tensor}, x.where);
}

}  // namespace sinter::inline SINTER_ABI
