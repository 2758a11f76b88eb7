#pragma once
// Parts of a tensor along an axis, and the reverse of it.

#include <sinter/trace/axis.hpp>
#include <sinter/trace/movement.hpp>
#include <sinter/trace/record.hpp>

namespace sinter::inline SINTER_ABI {

namespace detail {

// True if `position` counts from the end. A symbol's sign is not asked for where it makes no
// difference: one of at least extent - 2 that is negative is the first element either way.
SINTER_INLINE bool is_from_end(Extent position, Extent extent, Where where) {
  const bool is_last = !position.is_number() && proven_less_equal(extent - 2, position);
  return !is_last && is_less(position, 0, where);
}

// A position as NumPy reads it: from the end if negative, then kept inside of the axis.
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
