#pragma once

#include <sinter/trace/context/autocast.hpp>
#include <sinter/trace/core/cast.hpp>
#include <sinter/trace/core/record.hpp>
#include <sinter/trace/core/recorder.hpp>
#include <sinter/trace/functional/norm/normalize.hpp>
#include <sinter/trace/ops/elementwise/elementwise.hpp>
#include <sinter/trace/ops/movement/movement.hpp>
#include <sinter/trace/ops/reduce/reduce.hpp>

namespace sinter::inline SINTER_ABI {

namespace detail {

// x minus its maximum along the axis, detached because its gradient cancels.
SINTER_INLINE Tensor shifted(const Operand& x, int axis) {
  if (same(x.shape()[axis], Extent(0))) return x.tensor();  // there is no maximum to subtract
  return sub(x, {detach({largest(x, axis), x.where}), x.where});
}

SINTER_INLINE Operand as_wide(const Operand& x) {
  const DType dtype = x.type().dtype;
  const DType wide = is_floating(dtype) ? computed_in(dtype) : f32;
  return wide == dtype && !x.is_number() ? x : Operand(cast(x, wide), x.where);
}

SINTER_INLINE Tensor as_narrow(const Tensor& result, const Operand& x) {
  const DType dtype = x.type().dtype;
  const bool is_short = is_floating(dtype) && computed_in(dtype) != dtype;
  return is_short && !autocast_dtype() ? cast({result, x.where}, dtype) : result;
}

// Throws unless x ends in the normalized shape, which is that of `weight` if there is one.
SINTER_INLINE int normalized_axes(const Operand& x, const Shape& shape,
                                  const std::optional<Operand>& weight, std::string_view op) {
  const Shape from = x.shape();
  bool fits = shape.size() <= from.size() && !shape.empty();
  for (int axis = 1; fits && axis <= shape.size(); ++axis) {
    fits = equal_sizes(from[-axis], shape[-axis], x.where);
  }
  if (fits) return shape.size();
  if (!weight) {
    throw ShapeError({.op = op,
                      .what = "x does not end in the normalized shape",
                      .facts = {{"x", to_string(x)}, {"shape", text(concrete(shape))}},
                      .rule = "x.shape ends in the normalized shape",
                      .fix = "pass the sizes of the last axes of x, or permute x",
                      .where = x.where,
                      .see = "norms"});
  }
  throw ShapeError({.op = op,
                    .what = "the weight does not fit the last axes",
                    .facts = {{"x", to_string(x)}, {"weight", to_string(*weight)}},
                    .rule = "x.shape ends in weight.shape",
                    .fix = "make the weight as long as the last axis of x, or permute x",
                    .where = x.where,
                    .see = "norms"});
}

// The same of a normalized shape, and of the weight, if there is one.
SINTER_INLINE int normalized_axes_of_both(const Operand& x, const Shape& shape,
                                          const std::optional<Operand>& weight,
                                          std::string_view op) {
  if (weight && weight->shape().size() != shape.size()) {
    throw ShapeError({.op = op,
                      .what = "the weight does not have the rank of the normalized axes",
                      .facts = {{"x", to_string(x)},
                                {"shape", to_string(concrete(shape))},
                                {"weight", to_string(*weight)}},
                      .rule = "weight and bias are of the normalized shape",
                      .fix = "reshape the weight",
                      .where = x.where,
                      .see = "norms"});
  }
  if (weight) normalized_axes(x, weight->shape(), weight, op);
  return normalized_axes(x, shape, std::nullopt, op);
}

SINTER_INLINE std::vector<int> last_axes(int count) {
  std::vector<int> result;
  for (int axis = -count; axis < 0; ++axis) result.push_back(axis);
  return result;
}

SINTER_INLINE Tensor standardized(const Operand& x, const std::vector<int>& axes, double eps) {
  const Where at = x.where;
  const Tensor centered = sub(x, {mean(x, axes, true), at});
  const Tensor variance = mean({square({centered, at}), at}, axes, true);
  const Tensor scale = rsqrt({add({variance, at}, {eps, at}), at});
  return mul({centered, at}, {scale, at});
}

// `wide` * weight, in the dtype of the result.
SINTER_INLINE Tensor scaled(const Operand& wide, const Operand& weight) {
  return mul(wide, {weight.is_number() ? weight.tensor() : as_wide(weight).tensor(), wide.where});
}

SINTER_INLINE Tensor root_normalized(const Operand& x, int axes, double eps) {
  const Where at = x.where;
  const Operand wide = as_wide(x);
  const Tensor power = mean({square(wide), at}, last_axes(axes), true);
  return mul(wide, {rsqrt({add({power, at}, {eps, at}), at}), at});
}

// True if `x` has rank 0, which counts as a row of one element along `axis`.
SINTER_INLINE bool is_row_of_one(const Operand& x, int axis) {
  return x.shape().empty() && (axis == 0 || axis == -1);
}

}  // namespace detail

SINTER_INLINE Tensor softmax(Operand x, int axis, std::optional<DType> dtype) {
  const detail::PublicCall call("softmax", x.where);
  const Where at = x.where;
  if (dtype) x = {detail::cast(x, *dtype), at};
  if (detail::is_row_of_one(x, axis)) return reshape({softmax({reshape(x, {1}), at}, 0), at}, {});
  axis = detail::axis_of(axis, x.tensor(), "softmax", at);
  const Tensor powers = exp({detail::shifted(detail::as_wide(x), axis), at});
  return detail::as_narrow(div({powers, at}, {sum({powers, at}, axis, true), at}), x);
}

SINTER_INLINE Tensor log_softmax(Operand x, int axis, std::optional<DType> dtype) {
  const detail::PublicCall call("log_softmax", x.where);
  const Where at = x.where;
  if (dtype) x = {detail::cast(x, *dtype), at};
  if (detail::is_row_of_one(x, axis)) {
    return reshape({log_softmax({reshape(x, {1}), at}, 0), at}, {});
  }
  axis = detail::axis_of(axis, x.tensor(), "log_softmax", at);
  const Tensor shifted = detail::shifted(detail::as_wide(x), axis);
  const Tensor total = sum({exp({shifted, at}), at}, axis, true);
  return detail::as_narrow(sub({shifted, at}, {log({total, at}), at}), x);
}

SINTER_INLINE Tensor softmin(Operand x, int axis, std::optional<DType> dtype) {
  const detail::PublicCall call("softmin", x.where);
  const Where at = x.where;
  if (dtype) x = {detail::cast(x, *dtype), at};
  if (!detail::is_row_of_one(x, axis)) detail::axis_of(axis, x.tensor(), "softmin", at);
  return softmax({neg(x), at}, axis);
}

namespace detail {

SINTER_INLINE Tensor layer_norm_over(Operand x, int axes, double eps) {
  const PublicCall call("layer_norm_over", x.where);
  const Operand wide = detail::as_wide(x);
  return detail::as_narrow(detail::standardized(wide, detail::last_axes(axes), eps), x);
}

}  // namespace detail

SINTER_INLINE Tensor layer_norm(Operand x, Operand weight, double eps) {
  const detail::PublicCall call("layer_norm", x.where);
  return layer_norm(x, weight.shape(), std::optional(weight), std::nullopt, eps);
}

SINTER_INLINE Tensor layer_norm(Operand x, Operand weight, Operand bias, double eps) {
  const detail::PublicCall call("layer_norm", x.where);
  return layer_norm(x, weight.shape(), std::optional(weight), std::optional(bias), eps);
}

SINTER_INLINE Tensor layer_norm(Operand x, Shape normalized_shape, std::optional<Operand> weight,
                                std::optional<Operand> bias, double eps) {
  const detail::PublicCall call("layer_norm", x.where);
  const Where at = x.where;
  const int axes = detail::normalized_axes_of_both(x, normalized_shape, weight, "layer_norm");
  if (bias) detail::require_broadcast("layer_norm", x, *bias);
  const Operand wide = detail::as_wide(x);
  Tensor result = detail::standardized(wide, detail::last_axes(axes), eps);
  if (weight) result = detail::scaled({result, at}, *weight);
  if (bias) result = add({result, at}, {detail::as_wide({bias->tensor(), at}).tensor(), at});
  return detail::as_narrow(result, x);
}

SINTER_INLINE Tensor rms_norm(Operand x, Operand weight, double eps) {
  const detail::PublicCall call("rms_norm", x.where);
  const int axes = detail::normalized_axes(x, weight.shape(), weight, "rms_norm");
  const Tensor normal = detail::root_normalized(x, axes, eps);
  return detail::as_narrow(detail::scaled({normal, x.where}, weight), x);
}

SINTER_INLINE Tensor layer_norm(Operand x, std::initializer_list<Extent> normalized_shape,
                                std::optional<Operand> weight, std::optional<Operand> bias,
                                double eps) {
  return layer_norm(x, Shape(normalized_shape, x.where), weight, bias, eps);
}

SINTER_INLINE Tensor rms_norm(Operand x, std::initializer_list<Extent> normalized_shape,
                              std::optional<Operand> weight, std::optional<double> eps) {
  return rms_norm(x, Shape(normalized_shape, x.where), weight, eps);
}

SINTER_INLINE Tensor rms_norm(Operand x, Shape normalized_shape, std::optional<Operand> weight,
                              std::optional<double> eps) {
  const detail::PublicCall call("rms_norm", x.where);
  const int axes = detail::normalized_axes_of_both(x, normalized_shape, weight, "rms_norm");
  const DType dtype = detail::as_wide(x).type().dtype;
  const double step = dtype == f64 ? 0x1p-52 : 0x1p-23;
  Tensor result = detail::root_normalized(x, axes, eps.value_or(step));
  if (weight) result = detail::scaled({result, x.where}, *weight);
  return detail::as_narrow(result, x);
}

}  // namespace sinter::inline SINTER_ABI
