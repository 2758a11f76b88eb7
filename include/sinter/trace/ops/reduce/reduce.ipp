#pragma once

#include <cmath>  // HUGE_VAL

#include <sinter/trace/core/cast.hpp>
#include <sinter/trace/core/record.hpp>
#include <sinter/trace/core/recorder_scope.hpp>
#include <sinter/trace/core/size_value.hpp>
#include <sinter/trace/ops/elementwise/classify.hpp>
#include <sinter/trace/ops/elementwise/elementwise.hpp>
#include <sinter/trace/ops/movement/movement.hpp>
#include <sinter/trace/ops/reduce/reduce.hpp>

namespace sinter::inline SINTER_ABI {

namespace detail {

// Restores the reduced axes with extent 1 if `keepdim`.
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
    if (!is_less(x.shape()[static_cast<int>(axis)], 1, where)) continue;
    throw ValueError({.op = op,
                      .what = "there is nothing to choose from",
                      .facts = {{"x", to_string(x)}, {"axis", text(axis)}},
                      .rule = "the axes that are reduced have at least one element",
                      .fix = "leave out empty tensors, or concatenate an element first",
                      .where = where});
  }
}

SINTER_INLINE Tensor reduce_any(Op op, const Operand& x, const Axes& axes, bool keepdim) {
  const Tensor tensor = x.tensor();
  const auto list = axes_of(axes, tensor, info(op).name, x.where);
  if (list.empty() && op != Op::argmax) return tensor;
  const Tensor result = record({.op = op, .attributes = {{"axes", list}}}, {tensor}, x.where);
  return keep_axes(result, tensor, list, keepdim, x.where);
}

SINTER_INLINE Tensor reduce(Op op, const Operand& x, const Axes& axes, bool keepdim) {
  const bool chooses = op == Op::max || op == Op::min || op == Op::argmax;
  if (chooses) {
    const Tensor tensor = x.tensor();
    const std::string_view name = info(op).name;
    require_elements(name, tensor, axes_of(axes, tensor, name, x.where), x.where);
  }
  return reduce_any(op, x, axes, keepdim);
}

SINTER_INLINE Tensor largest(const Operand& x, const Axes& axes) {
  return reduce_any(Op::max, x, axes, true);
}

SINTER_INLINE Operand as_sum(const Operand& x) {
  const DType dtype = x.type().dtype;
  return is_floating(dtype) ? x : Operand(cast(x, i64), x.where);
}

// `compute(x)` with integers and 16-bit dtypes converted to f32.
template <class F>
Tensor through_f32(const Operand& x, F compute) {
  const DType dtype = x.type().dtype;
  if (dtype == f32 || dtype == f64) return compute(x);
  const Tensor result = compute(Operand(cast(x, f32), x.where));
  return is_floating(dtype) ? cast({result, x.where}, dtype) : result;
}

// The square root with gradient 0 at 0.
SINTER_INLINE Tensor root(const Tensor& x, Where where) {
  const Tensor is_zero = eq({x, where}, {0, where});
  const Tensor positive = sinter::where({is_zero, where}, {1, where}, {x, where});
  return sinter::where({is_zero, where}, {0, where}, {sqrt({positive, where}), where});
}

}  // namespace detail

SINTER_INLINE Tensor sum(Operand x, Axes axes, bool keepdim) {
  return detail::reduce(detail::Op::sum, detail::as_sum(x), axes, keepdim);
}

SINTER_INLINE Tensor prod(Operand x, Axes axes, bool keepdim) {
  return detail::reduce(detail::Op::prod, detail::as_sum(x), axes, keepdim);
}

namespace detail {

SINTER_INLINE Extent extent_along(const Tensor& x, const Axes& axes, Where where) {
  Extent count = 1;
  for (const std::int64_t axis : axes_of(axes, x, "mean", where)) {
    count *= x.shape()[static_cast<int>(axis)];
  }
  return count;
}

// A number becomes a constant of the other operand's shape.
SINTER_INLINE Operand count_of(const Tensor& x, const Axes& axes, Where where) {
  const Extent count = extent_along(x, axes, where);
  if (count.is_number()) return {count.number(), where};
  return {size_value(count, x.dtype(), where), where};
}

SINTER_INLINE Tensor count_along(const Tensor& x, const Axes& axes, DType dtype, Where where) {
  const PublicCall call("count_along", where);
  return size_value(detail::extent_along(x, axes, where), dtype, where);
}

}  // namespace detail

SINTER_INLINE Tensor mean(Operand x, Axes axes, bool keepdim) {
  const Where at = x.where;
  return detail::through_f32(x, [&](const Operand& floating) {
    const Tensor tensor = floating.tensor();
    return div({sum({tensor, at}, axes, keepdim), at}, detail::count_of(tensor, axes, at));
  });
}

SINTER_INLINE Tensor sum(Operand x, Axes axes, bool keepdim, DType dtype) {
  return detail::reduce(detail::Op::sum, {detail::cast(x, dtype), x.where}, axes, keepdim);
}
SINTER_INLINE Tensor prod(Operand x, Axes axes, bool keepdim, DType dtype) {
  return detail::reduce(detail::Op::prod, {detail::cast(x, dtype), x.where}, axes, keepdim);
}
SINTER_INLINE Tensor mean(Operand x, Axes axes, bool keepdim, DType dtype) {
  return mean({detail::cast(x, dtype), x.where}, axes, keepdim);
}

SINTER_INLINE Tensor nansum(Operand x, Axes axes, bool keepdim) {
  const Where at = x.where;
  if (!detail::is_floating(x.type().dtype)) return sum(x, axes, keepdim);
  return sum({where({isnan(x), at}, {0, at}, x), at}, axes, keepdim);
}

SINTER_INLINE Tensor nanmean(Operand x, Axes axes, bool keepdim) {
  const detail::PublicCall call("nanmean", x.where);
  const Where at = x.where;
  detail::axes_of(axes, x.tensor(), "nanmean", at);
  return detail::through_f32(x, [&](const Operand& floating) {
    const Tensor is_number = eq(floating, floating);
    const Tensor count = sum({is_number, at}, axes, keepdim);
    return div({nansum(floating, axes, keepdim), at}, {count, at});
  });
}

SINTER_INLINE Tensor max(Operand x, Axes axes, bool keepdim) {
  return detail::reduce(detail::Op::max, x, axes, keepdim);
}

SINTER_INLINE Tensor min(Operand x, Axes axes, bool keepdim) {
  return detail::reduce(detail::Op::min, x, axes, keepdim);
}

namespace detail {

SINTER_INLINE void require_position(std::string_view op, const Operand& x, const Axes& axis) {
  const Tensor tensor = x.tensor();
  const auto list = axes_of(axis, tensor, op, x.where);
  if (!axis.all() && axis.list().size() != 1) {
    throw ValueError({.op = op,
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
  if (!axis.all() && !x.shape().empty()) return reduce(detail::Op::argmax, x, axis, keepdim);
  const Tensor tensor = x.tensor();
  const Tensor flat = reshape(x, {-1});
  const Tensor result = detail::reduce(detail::Op::argmax, {flat, x.where}, 0, false);
  return detail::keep_axes(result, tensor, detail::axes_of(axis, tensor, "argmax", x.where),
                           keepdim, x.where);
}

// ~x reverses the order of integers; -x does not, since the smallest integer has no negation.
SINTER_INLINE Tensor argmin(Operand x, Axes axis, bool keepdim) {
  detail::require_position("argmin", x, axis);
  const Tensor reversed = detail::is_floating(x.type().dtype) ? neg(x) : bitwise_not(x);
  return argmax({reversed, x.where}, axis, keepdim);
}

SINTER_INLINE Tensor any(Operand x, Axes axes, bool keepdim) {
  detail::axes_of(axes, x.tensor(), "any", x.where);
  const Tensor truth = ne(x, {0, x.where});
  return gt({sum({truth, x.where}, axes, keepdim), x.where}, {0, x.where});
}

SINTER_INLINE Tensor All::operator()(Operand x, Axes axes, bool keepdim) const {
  detail::axes_of(axes, x.tensor(), "all", x.where);
  const Tensor untrue = eq(x, {0, x.where});
  return eq({sum({untrue, x.where}, axes, keepdim), x.where}, {0, x.where});
}

SINTER_INLINE Tensor allclose(Operand x, Operand y, double rtol, double atol, bool equal_nan) {
  const detail::PublicCall call("allclose", x.where);
  const Where at = x.where;
  return all({isclose(x, y, rtol, atol, equal_nan), at});
}

SINTER_INLINE Tensor count_nonzero(Operand x, Axes axes, bool keepdim) {
  detail::axes_of(axes, x.tensor(), "count_nonzero", x.where);
  return sum({ne(x, {0, x.where}), x.where}, axes, keepdim);
}

SINTER_INLINE Tensor var(Operand x, Axes axes, bool keepdim, double correction) {
  const detail::PublicCall call("var", x.where);
  const Where at = x.where;
  detail::axes_of(axes, x.tensor(), "var", at);
  return detail::through_f32(x, [&](const Operand& floating) {
    const Tensor tensor = floating.tensor();
    const Tensor distance = sub({tensor, at}, {mean({tensor, at}, axes, true), at});
    const Tensor total = sum({square({distance, at}), at}, axes, keepdim);
    const Tensor count = detail::count_along(tensor, axes, total.dtype(), at);
    const Tensor degrees = maximum({sub({count, at}, {correction, at}), at}, {0, at});
    return div({total, at}, {degrees, at});
  });
}

SINTER_INLINE Tensor std(Operand x, Axes axes, bool keepdim, double correction) {
  const detail::PublicCall call("std", x.where);
  const Where at = x.where;
  detail::axes_of(axes, x.tensor(), "std", at);
  return detail::through_f32(x, [&](const Operand& floating) {
    return detail::root(var(floating, axes, keepdim, correction), at);
  });
}

namespace detail {

// sum(abs(x)^p)^(1/p). Zeros are not raised to a power, since its gradient may not exist there.
SINTER_INLINE Tensor power_norm(const Operand& x, double p, const Axes& axes, bool keepdim) {
  const Where at = x.where;
  const auto power = [at](const Tensor& base, double exponent, double of_zero) {
    const Tensor is_zero = eq({base, at}, {0, at});
    const Tensor positive = sinter::where({is_zero, at}, {1, at}, {base, at});
    return sinter::where({is_zero, at}, {of_zero, at}, {pow({positive, at}, {exponent, at}), at});
  };
  const Tensor powers = power(abs(x), p, p > 0 ? 0 : HUGE_VAL);
  return power(sum({powers, at}, axes, keepdim), 1 / p, 0);
}

}  // namespace detail

SINTER_INLINE Tensor norm(Operand x, double p, Axes axes, bool keepdim) {
  const detail::PublicCall call("norm", x.where);
  const Where at = x.where;
  const auto list = detail::axes_of(axes, x.tensor(), "norm", at);
  if (p < 0 || p == HUGE_VAL) detail::require_elements("norm", x.tensor(), list, at);
  return detail::through_f32(x, [&](const Operand& floating) {
    if (p == HUGE_VAL) return max({abs(floating), at}, axes, keepdim);
    if (p == -HUGE_VAL) return min({abs(floating), at}, axes, keepdim);
    if (p == 0) {
      const Tensor counted = detail::cast({ne(floating, {0, at}), at}, floating.type().dtype);
      return sum({counted, at}, axes, keepdim);
    }
    if (p == 1) return sum({abs(floating), at}, axes, keepdim);
    if (p != 2) return detail::power_norm(floating, p, axes, keepdim);
    return detail::root(sum({square(floating), at}, axes, keepdim), at);
  });
}

namespace detail {

// The largest element, detached because its gradient cancels. 0 where it is infinite, since
// subtracting it would give NaN.
SINTER_INLINE Tensor finite_largest(const Operand& x, const Axes& axes) {
  const Where at = x.where;
  const Tensor shift = detach({largest(x, axes), at});
  const Tensor is_finite = lt({abs({shift, at}), at}, {HUGE_VAL, at});
  return sinter::where({is_finite, at}, {shift, at}, {0, at});
}

}  // namespace detail

SINTER_INLINE Tensor logsumexp(Operand x, Axes axes, bool keepdim) {
  const detail::PublicCall call("logsumexp", x.where);
  const Where at = x.where;
  const auto list = detail::axes_of(axes, x.tensor(), "logsumexp", at);
  const Shape shape = x.shape();
  for (const std::int64_t axis : list) {
    if (!detail::same(shape[static_cast<int>(axis)], Extent(0))) continue;
    return detail::through_f32(x, [&](const Operand& floating) {  // there is no maximum
      return log({sum({exp(floating), at}, axes, keepdim), at});
    });
  }
  return detail::through_f32(x, [&](const Operand& floating) {
    const Tensor shift = detail::finite_largest(floating, axes);
    const Tensor total = sum({exp({sub(floating, {shift, at}), at}), at}, axes, true);
    const Tensor result = add({log({total, at}), at}, {shift, at});
    return keepdim ? result : squeeze({result, at}, axes);
  });
}

}  // namespace sinter::inline SINTER_ABI
