#pragma once

#include <numbers>  // std::numbers::sqrt2

#include <sinter/trace/activation.hpp>
#include <sinter/trace/cast.hpp>
#include <sinter/trace/elementwise.hpp>

namespace sinter::inline SINTER_ABI {

// As torch: the gradient at 0 is 0, and NaN stays.
SINTER_INLINE Tensor relu(Operand x) {
  const Where at = x.where;
  return where({le(x, {0, at}), at}, {0, at}, x);
}

SINTER_INLINE Tensor leaky_relu(Operand x, double negative_slope) {
  const Where at = x.where;
  return where({gt(x, {0, at}), at}, x, {mul(x, {negative_slope, at}), at});
}

// Below the limit exp(-x) would be infinite, and its gradient 0 * infinity.
SINTER_INLINE Tensor sigmoid(Operand x) {
  const Where at = x.where;
  const DType dtype = is_floating(x.type().dtype) ? x.type().dtype : f32;
  const Tensor wide = cast(x, computed_in(dtype));
  const double limit = dtype == f64 ? 709 : 88;
  const Tensor power = exp({minimum({neg({wide, at}), at}, {limit, at}), at});
  const Tensor quotient = div({1, at}, {add({power, at}, {1, at}), at});
  const Tensor is_below = lt({wide, at}, {-limit, at});
  return cast({where({is_below, at}, {0, at}, {quotient, at}), at}, dtype);
}

SINTER_INLINE Tensor silu(Operand x) { return mul(x, {sigmoid(x), x.where}); }

SINTER_INLINE Tensor softplus(Operand x) {
  const Where at = x.where;
  const Tensor decay = exp({neg({abs(x), at}), at});
  return add({maximum(x, {0, at}), at}, {log({add({decay, at}, {1, at}), at}), at});
}

SINTER_INLINE Tensor gelu(Operand x, Gelu form) {
  const Where at = x.where;
  const Tensor half = mul(x, {0.5, at});
  if (form == Gelu::exact) {
    const Tensor inner = erf({mul(x, {1 / std::numbers::sqrt2, at}), at});
    return mul({half, at}, {add({inner, at}, {1, at}), at});
  }
  const Tensor cube = mul({mul(x, x), at}, x);
  const Tensor inner = add(x, {mul({cube, at}, {0.044715, at}), at});
  const double scale = std::numbers::sqrt2 * std::numbers::inv_sqrtpi;
  const Tensor bend = tanh({mul({inner, at}, {scale, at}), at});
  return mul({half, at}, {add({bend, at}, {1, at}), at});
}

}  // namespace sinter::inline SINTER_ABI
