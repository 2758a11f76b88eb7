#pragma once

#include <sinter/trace/autocast.hpp>
#include <sinter/trace/elementwise.hpp>
#include <sinter/trace/normalize.hpp>
#include <sinter/trace/recorder.hpp>
#include <sinter/trace/reduce.hpp>
#include <sinter/trace/transform.hpp>

namespace sinter::inline SINTER_ABI {

namespace detail {

// x minus the largest along the axis, through which no gradient has to flow: it cancels.
SINTER_INLINE Tensor shifted(const Operand& x, int axis) {
  if (same(x.shape()[axis], Extent(0))) return x.tensor();  // there is no largest to subtract
  return sub(x, {detach({max(x, axis, true), x.where}), x.where});
}

SINTER_INLINE Operand as_floating(const Operand& x) {
  const DType dtype = x.type().dtype;
  const bool is_kept = is_floating(dtype) && !autocast_widens(dtype);
  return is_kept ? x : Operand(x.tensor().to(f32, x.where), x.where);
}

// The last axes of x have to be those of the weight.
SINTER_INLINE int normalized_axes(const Operand& x, const Operand& weight, std::string_view op) {
  const Shape from = x.shape(), shape = weight.shape();
  bool fits = shape.size() <= from.size() && !shape.empty();
  for (int axis = 1; fits && axis <= shape.size(); ++axis) {
    fits = equal_sizes(from[-axis], shape[-axis], x.where);
  }
  if (fits) return shape.size();
  throw ShapeError({.op = std::string(op),
                    .what = "the weight does not fit the last axes",
                    .facts = {{"x", to_string(x)}, {"weight", to_string(weight)}},
                    .rule = "x.shape ends in weight.shape",
                    .fix = "make the weight as long as the last axis of x, or permute x",
                    .where = x.where,
                    .see = "norms"});
}

}  // namespace detail

SINTER_INLINE Tensor softmax(Operand x, int axis) {
  const Where at = x.where;
  axis = axis_of(axis, x.tensor(), "softmax", at);
  const Tensor powers = exp({detail::shifted(detail::as_floating(x), axis), at});
  return div({powers, at}, {sum({powers, at}, axis, true), at});
}

SINTER_INLINE Tensor log_softmax(Operand x, int axis) {
  const Where at = x.where;
  axis = axis_of(axis, x.tensor(), "log_softmax", at);
  const Tensor shifted = detail::shifted(detail::as_floating(x), axis);
  const Tensor total = sum({exp({shifted, at}), at}, axis, true);
  return sub({shifted, at}, {log({total, at}), at});
}

SINTER_INLINE Tensor layer_norm_over(Operand x, int axes, double eps) {
  const Where at = x.where;
  x = detail::as_floating(x);
  std::vector<int> last;
  for (int axis = -axes; axis < 0; ++axis) last.push_back(axis);
  const Tensor centered = sub(x, {mean(x, last, true), at});
  const Tensor variance = mean({square({centered, at}), at}, last, true);
  const Tensor scale = rsqrt({add({variance, at}, {eps, at}), at});
  return mul({centered, at}, {scale, at});
}

SINTER_INLINE Tensor layer_norm(Operand x, Operand weight, double eps) {
  const int axes = detail::normalized_axes(x, weight, "layer_norm");
  return mul({layer_norm_over(x, axes, eps), x.where}, weight);
}

SINTER_INLINE Tensor layer_norm(Operand x, Operand weight, Operand bias, double eps) {
  return add({layer_norm(x, weight, eps), x.where}, bias);
}

SINTER_INLINE Tensor rms_norm(Operand x, Operand weight, double eps) {
  const Where at = x.where;
  if (autocast_dtype()) x = detail::as_floating(x);
  detail::normalized_axes(x, weight, "rms_norm");
  const Tensor power = mean({square(x), at}, -1, true);
  return mul({mul(x, {rsqrt({add({power, at}, {eps, at}), at}), at}), at}, weight);
}

}  // namespace sinter::inline SINTER_ABI
