#pragma once

#include <cmath>  // HUGE_VAL

#include <sinter/trace/cast.hpp>
#include <sinter/trace/elementwise.hpp>
#include <sinter/trace/movement.hpp>
#include <sinter/trace/record.hpp>
#include <sinter/trace/reduce.hpp>
#include <sinter/trace/size_value.hpp>

namespace sinter::inline SINTER_ABI {

namespace detail {

// The reduced tensor with the axes it lost, if they are to be kept.
SINTER_INLINE Tensor keep_axes(const Tensor& reduced, const Tensor& x,
                               const std::vector<std::int64_t>& axes, bool keepdim, Where where) {
  if (!keepdim) return reduced;
  Shape shape = x.shape();
  for (const std::int64_t axis : axes) shape[static_cast<int>(axis)] = 1;
  return reshape({reduced, where}, shape);
}

SINTER_INLINE void require_elements(std::string_view op, const Tensor& x,
                                    const std::vector<std::int64_t>& axes, Where where) {
  for (const std::int64_t axis : axes) {
    if (!same(x.shape()[static_cast<int>(axis)], Extent(0))) continue;
    throw ValueError({.op = std::string(op),
                      .what = "there is nothing to choose from",
                      .facts = {{"x", to_string(x)}, {"axis", text(axis)}},
                      .rule = "the axes that are reduced have at least one element",
                      .fix = "leave out empty tensors, or concatenate an element first",
                      .where = where});
  }
}

SINTER_INLINE Tensor reduce(Op op, const Operand& x, const Axes& axes, bool keepdim) {
  const Tensor tensor = x.tensor();
  const auto list = axes_of(axes, tensor, info(op).name, x.where);
  const bool chooses = op == Op::max || op == Op::min || op == Op::argmax;
  if (chooses) require_elements(info(op).name, tensor, list, x.where);
  if (list.empty() && op != Op::argmax) return tensor;
  const Tensor result = record({.op = op, .attributes = {{"axes", list}}}, {tensor}, x.where);
  return keep_axes(result, tensor, list, keepdim, x.where);
}

SINTER_INLINE Operand as_sum(const Operand& x) {
  const DType dtype = x.type().dtype;
  return is_floating(dtype) ? x : Operand(cast(x, i64), x.where);
}

}  // namespace detail

SINTER_INLINE Tensor sum(Operand x, Axes axes, bool keepdim) {
  return detail::reduce(Op::sum, detail::as_sum(x), axes, keepdim);
}

SINTER_INLINE Tensor prod(Operand x, Axes axes, bool keepdim) {
  return detail::reduce(Op::prod, detail::as_sum(x), axes, keepdim);
}

SINTER_INLINE Tensor count_along(const Tensor& x, const Axes& axes, DType dtype, Where where) {
  Extent count = 1;
  for (const std::int64_t axis : axes_of(axes, x, "mean", where)) {
    count *= x.shape()[static_cast<int>(axis)];
  }
  return size_value(count, dtype, where);
}

SINTER_INLINE Tensor mean(Operand x, Axes axes, bool keepdim) {
  const DType dtype = x.type().dtype;
  if (!is_floating(dtype)) x = {cast(x, f32), x.where};
  const Tensor tensor = x.tensor();
  const Tensor count = count_along(tensor, axes, tensor.dtype(), x.where);
  return div({sum(x, axes, keepdim), x.where}, {count, x.where});
}

SINTER_INLINE Tensor max(Operand x, Axes axes, bool keepdim) {
  return detail::reduce(Op::max, x, axes, keepdim);
}

SINTER_INLINE Tensor min(Operand x, Axes axes, bool keepdim) {
  return detail::reduce(Op::min, x, axes, keepdim);
}

namespace detail {

SINTER_INLINE void require_position(std::string_view op, const Operand& x, const Axes& axis) {
  const Tensor tensor = x.tensor();
  const auto list = axes_of(axis, tensor, op, x.where);
  if (!axis.all() && list.size() != 1) {
    throw ValueError({.op = std::string(op),
                      .what = "a position is along one axis",
                      .facts = {{"x", to_string(tensor)}, {"axes", text(axis.list())}},
                      .rule = "one axis, or none for the flattened tensor",
                      .fix = "flatten the axes first",
                      .where = x.where,
                      .see = "axes"});
  }
  require_elements(op, tensor, list, x.where);
}

}  // namespace detail

SINTER_INLINE Tensor argmax(Operand x, Axes axis, bool keepdim) {
  detail::require_position("argmax", x, axis);
  if (!axis.all()) return detail::reduce(Op::argmax, x, axis, keepdim);
  const Tensor tensor = x.tensor();
  const Tensor flat = reshape(x, {-1});
  const Tensor result = detail::reduce(Op::argmax, {flat, x.where}, 0, false);
  return detail::keep_axes(result, tensor, axes_of(axis, tensor, "argmax", x.where), keepdim,
                           x.where);
}

// Integers in reverse order are ~x: the smallest one has no opposite.
SINTER_INLINE Tensor argmin(Operand x, Axes axis, bool keepdim) {
  detail::require_position("argmin", x, axis);
  const Tensor reversed = is_floating(x.type().dtype) ? neg(x) : bitwise_not(x);
  return argmax({reversed, x.where}, axis, keepdim);
}

SINTER_INLINE Tensor any(Operand x, Axes axes, bool keepdim) {
  axes_of(axes, x.tensor(), "any", x.where);
  const Tensor truth = ne(x, {0, x.where});
  return gt({sum({truth, x.where}, axes, keepdim), x.where}, {0, x.where});
}

SINTER_INLINE Tensor All::operator()(Operand x, Axes axes, bool keepdim) const {
  axes_of(axes, x.tensor(), "all", x.where);
  const Tensor untrue = eq(x, {0, x.where});
  return eq({sum({untrue, x.where}, axes, keepdim), x.where}, {0, x.where});
}

SINTER_INLINE Tensor var(Operand x, Axes axes, bool keepdim, int correction) {
  const Where at = x.where;
  axes_of(axes, x.tensor(), "var", at);
  const Tensor distance = sub(x, {mean(x, axes, true), at});
  const Tensor total = sum({square({distance, at}), at}, axes, keepdim);
  const Tensor count = count_along(x.tensor(), axes, total.dtype(), at);
  const Tensor degrees = maximum({sub({count, at}, {correction, at}), at}, {0, at});
  return div({total, at}, {degrees, at});
}

SINTER_INLINE Tensor logsumexp(Operand x, Axes axes, bool keepdim) {
  const Where at = x.where;
  const Tensor tensor = x.tensor();
  detail::require_elements("logsumexp", tensor, axes_of(axes, tensor, "logsumexp", at), at);
  const Tensor largest = max(x, axes, true);
  // Where all elements are infinite, subtracting the largest would give NaN.
  const Tensor is_finite = lt({abs({largest, at}), at}, {HUGE_VAL, at});
  const Tensor shift = sinter::where({is_finite, at}, {largest, at}, {0, at});
  const Tensor total = sum({exp({sub(x, {shift, at}), at}), at}, axes, true);
  const Tensor result = add({log({total, at}), at}, {shift, at});
  if (keepdim) return result;
  return squeeze({result, at}, axes);
}

}  // namespace sinter::inline SINTER_ABI
