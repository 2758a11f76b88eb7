#pragma once

#include <numbers>  // std::numbers::sqrt2

#include <sinter/base/error.hpp>
#include <sinter/trace/core/recorder_scope.hpp>
#include <sinter/trace/functional/activation.hpp>
#include <sinter/trace/ops/elementwise/elementwise.hpp>
#include <sinter/trace/ops/elementwise/term.hpp>
#include <sinter/trace/ops/movement/movement.hpp>

namespace sinter::inline SINTER_ABI {

namespace detail {

using formula::compute;
using formula::Term;

}  // namespace detail

// As in torch: the gradient at 0 is 0, and NaN is kept.
SINTER_INLINE Tensor relu(Operand x) {
  const detail::PublicCall call("relu", x.where);
  const Where at = x.where;
  return where({le(x, {0, at}), at}, {0, at}, x);
}

SINTER_INLINE Tensor leaky_relu(Operand x, double negative_slope) {
  const detail::PublicCall call("leaky_relu", x.where);
  const Where at = x.where;
  return where({gt(x, {0, at}), at}, x, {mul(x, {negative_slope, at}), at});
}

SINTER_INLINE Tensor prelu(Operand x, Operand weight) {
  const detail::PublicCall call("prelu", x.where);
  const Where at = x.where;
  Shape shape;
  const Shape of_x = x.shape(), given = weight.shape();
  if (given.size() == 1 && of_x.size() > 1 && !detail::same(given[0], Extent(1))) {
    for (int axis = 0; axis < of_x.size(); ++axis) {
      shape.push_back(axis == 1 ? given[0] : Extent(1));
    }
  }
  const Tensor slope = reshape(weight, shape);
  const Operand operands[]{x, {slope, at}};
  detail::broadcast_shapes("prelu", operands);
  return where({gt(x, {0, at}), at}, x, {mul(x, {slope, at}), at});
}

SINTER_INLINE Tensor hardtanh(Operand x, double min_val, double max_val) {
  const detail::PublicCall call("hardtanh", x.where);
  if (min_val > max_val) {
    throw ValueError(
        {.op = "hardtanh",
         .what = "min_val is above max_val",
         .facts = {{"min_val", detail::text(min_val)}, {"max_val", detail::text(max_val)}},
         .rule = "min_val <= max_val",
         .fix = "exchange the two",
         .where = x.where});
  }
  const auto bounded = [](const auto& term, auto low, auto high) {
    return choose(term <= low, low, choose(term >= high, high, term));
  };
  if (const DType dtype = x.type().dtype; !detail::is_floating(dtype)) {
    // Saturates a bound to the range of the dtype: no u8 element is below -1.
    const auto bound = [&](double number) {
      return sinter::detail::cast(detail::constant(number), dtype == boolean ? i64 : dtype)
          .integer();
    };
    return bounded(detail::Term(x), bound(min_val), bound(max_val)).tensor();
  }
  return detail::compute(x, [&](const auto& wide) { return bounded(wide, min_val, max_val); });
}
SINTER_INLINE Tensor relu6(Operand x) {
  const detail::PublicCall call("relu6", x.where);
  const detail::Term term(x);
  return choose(term <= 0, 0, choose(term >= 6, 6, term)).tensor();
}

namespace detail {

// scale * x where x > 0, else factor * (exp(rate * x) - 1).
SINTER_INLINE Tensor exponential_unit(const Operand& x, double scale, double factor, double rate) {
  return compute(x, [&](const Term& wide) {
    const Term above = wide > 0, below = choose(above, 0, wide);
    const Term line = scale == 1 ? wide : wide * scale;
    return choose(above, line, expm1(rate == 1 ? below : below * rate) * factor);
  });
}

}  // namespace detail

SINTER_INLINE Tensor elu(Operand x, double alpha) {
  const detail::PublicCall call("elu", x.where);
  return detail::exponential_unit(x, 1, alpha, 1);
}
SINTER_INLINE Tensor celu(Operand x, double alpha) {
  const detail::PublicCall call("celu", x.where);
  return detail::exponential_unit(x, 1, alpha, 1 / alpha);
}
SINTER_INLINE Tensor selu(Operand x) {
  const detail::PublicCall call("selu", x.where);
  constexpr double alpha = 1.6732632423543772848170429916717;
  constexpr double scale = 1.0507009873554804934193349852946;
  return detail::exponential_unit(x, scale, scale * alpha, 1);
}

namespace detail {

// Below the limit exp(-x) would be infinite, and its gradient 0 * infinity.
SINTER_INLINE Term logistic(const Term& x) {
  const double limit = x.type().dtype == f64 ? 709 : 88;
  const Term far = x < -limit, power = exp(choose(far, 0, -x));
  return choose(far, 0, 1 / (power + 1));
}

// log(1 + exp(x)), which is x above the threshold.
SINTER_INLINE Term soft_ramp(const Term& x, double threshold) {
  const Term far = x > threshold;
  return choose(far, x, log1p(exp(choose(far, 0, x))));
}

}  // namespace detail

SINTER_INLINE Tensor sigmoid(Operand x) {
  const detail::PublicCall call("sigmoid", x.where);
  return detail::compute(x, [](const auto& wide) { return detail::logistic(wide); });
}

SINTER_INLINE Tensor logsigmoid(Operand x) {
  const detail::PublicCall call("logsigmoid", x.where);
  return detail::compute(x, [](const auto& wide) {
    const auto below = wide < 0;  // abs and minimum would have no second derivative at 0
    return choose(below, wide, 0) - log1p(exp(choose(below, wide, -wide)));
  });
}

SINTER_INLINE Tensor logit(Operand x, std::optional<double> eps) {
  const detail::PublicCall call("logit", x.where);
  return detail::compute(x, [&](const detail::Term& wide) {
    if (!eps) return log(wide) - log1p(-wide);
    const double low = *eps, high = 1 - *eps;  // an eps above 0.5 exchanges them, as in torch
    const detail::Term kept = choose(wide < low, low, choose(wide > high, high, wide));
    return log(kept) - log1p(-kept);
  });
}

SINTER_INLINE Tensor hardsigmoid(Operand x) {
  const detail::PublicCall call("hardsigmoid", x.where);
  return detail::compute(x, [](const auto& wide) {
    return choose(wide <= -3, 0, choose(wide >= 3, 1, (wide + 3) / 6));
  });
}

SINTER_INLINE Tensor silu(Operand x) {
  const detail::PublicCall call("silu", x.where);
  return detail::compute(x, [](const auto& wide) { return wide * detail::logistic(wide); });
}

SINTER_INLINE Tensor hardswish(Operand x) {
  const detail::PublicCall call("hardswish", x.where);
  return detail::compute(x, [](const auto& wide) {
    const auto inner = choose((wide <= -3) | (wide >= 3), 0, wide);
    return choose(wide <= -3, 0, choose(wide >= 3, wide, inner * (inner + 3) / 6));
  });
}

SINTER_INLINE Tensor softplus(Operand x, double beta, double threshold) {
  const detail::PublicCall call("softplus", x.where);
  return detail::compute(x, [&](const auto& wide) {
    if (beta == 1) return detail::soft_ramp(wide, threshold);
    const detail::Term scaled = wide * beta;
    return choose(scaled > threshold, wide, detail::soft_ramp(scaled, threshold) / beta);
  });
}

SINTER_INLINE Tensor mish(Operand x) {
  const detail::PublicCall call("mish", x.where);
  return detail::compute(x,
                         [](const auto& wide) { return wide * tanh(detail::soft_ramp(wide, 20)); });
}

SINTER_INLINE Tensor softsign(Operand x) {
  const detail::PublicCall call("softsign", x.where);
  return detail::compute(x, [](const auto& wide) { return wide / (1 + abs(wide)); });
}
SINTER_INLINE Tensor tanhshrink(Operand x) {
  const detail::PublicCall call("tanhshrink", x.where);
  return detail::compute(x, [](const auto& wide) { return wide - tanh(wide); });
}
SINTER_INLINE Tensor softshrink(Operand x, double lambd) {
  const detail::PublicCall call("softshrink", x.where);
  return detail::compute(x, [&](const auto& wide) {
    return choose(wide > lambd, wide - lambd, choose(wide < -lambd, wide + lambd, wide * 0));
  });
}
SINTER_INLINE Tensor hardshrink(Operand x, double lambd) {
  const detail::PublicCall call("hardshrink", x.where);
  return detail::compute(
      x, [&](const auto& wide) { return choose((wide >= -lambd) & (wide <= lambd), 0, wide); });
}
SINTER_INLINE Tensor threshold(Operand x, double threshold, double value) {
  const detail::PublicCall call("threshold", x.where);
  if (!detail::is_floating(x.type().dtype)) {
    const detail::Term term(x);
    const auto limit = static_cast<std::int64_t>(threshold);
    return choose(term <= limit, static_cast<std::int64_t>(value), term).tensor();
  }
  return detail::compute(x,
                         [&](const auto& wide) { return choose(wide <= threshold, value, wide); });
}

SINTER_INLINE Tensor glu(Operand x, int axis) {
  const detail::PublicCall call("glu", x.where);
  const Tensor tensor = x.tensor();
  axis = detail::axis_of(axis, tensor, "glu", x.where);
  const Extent extent = tensor.shape()[axis], half = floor_div(extent, 2);
  if (!detail::equal_sizes(extent, half * 2, x.where)) {
    throw ShapeError({.op = "glu",
                      .what = "the axis cannot be split into two halves",
                      .facts = {{"x", to_string(tensor)}, {"axis", detail::text(axis)}},
                      .rule = "x.size(axis) is even",
                      .fix = "pad the axis, or leave an element out",
                      .where = x.where});
  }
  const Tensor gate = slice(x, axis, half, extent);
  return mul({slice(x, axis, 0, half), x.where}, {sigmoid({gate, x.where}), x.where});
}

namespace detail {

SINTER_INLINE Term gelu_by_erf(const Term& x) {
  return x * 0.5 * (erf(x * (1 / std::numbers::sqrt2)) + 1);
}
SINTER_INLINE Term gelu_by_tanh(const Term& x) {
  constexpr double scale = std::numbers::sqrt2 * std::numbers::inv_sqrtpi;
  return x * 0.5 * (tanh((x + x * x * x * 0.044715) * scale) + 1);
}

}  // namespace detail

SINTER_INLINE Tensor gelu(Operand x, Gelu form) {
  const detail::PublicCall call("gelu", x.where);
  detail::require_floating("gelu", x);
  return detail::compute(x, [&](const auto& wide) {
    return form == Gelu::exact ? detail::gelu_by_erf(wide) : detail::gelu_by_tanh(wide);
  });
}

}  // namespace sinter::inline SINTER_ABI
