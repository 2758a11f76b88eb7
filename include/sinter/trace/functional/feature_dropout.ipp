#pragma once

#include <cmath>  // std::sqrt

#include <sinter/trace/functional/feature_dropout.hpp>
#include <sinter/trace/ops/creation/create.hpp>
#include <sinter/trace/ops/creation/random.hpp>
#include <sinter/trace/ops/elementwise/elementwise.hpp>
#include <sinter/trace/ops/movement/window.hpp>

namespace sinter::inline SINTER_ABI {

namespace detail {

SINTER_INLINE Tensor drop_channels(std::string_view op, int axes, const Operand& x, double p) {
  with_batch_axis(x, axes, op);  // throws for another rank
  Shape shape = x.shape();
  for (int axis = -axes; axis < 0; ++axis) shape[axis] = 1;
  const Tensor kept = dropout({ones(shape, x.type().dtype, x.where), x.where}, p);
  return mul(x, {kept, x.where});
}

}  // namespace detail

SINTER_INLINE Tensor dropout1d(Operand x, double p) {
  const detail::PublicCall call("dropout1d", x.where);
  return detail::drop_channels("dropout1d", 1, x, p);
}
SINTER_INLINE Tensor dropout2d(Operand x, double p) {
  const detail::PublicCall call("dropout2d", x.where);
  return detail::drop_channels("dropout2d", 2, x, p);
}
SINTER_INLINE Tensor dropout3d(Operand x, double p) {
  const detail::PublicCall call("dropout3d", x.where);
  return detail::drop_channels("dropout3d", 3, x, p);
}

SINTER_INLINE Tensor alpha_dropout(Operand x, double p) {
  const detail::PublicCall call("alpha_dropout", x.where);
  const Where at = x.where;
  constexpr double limit = 1.7580993408473766;
  if (p == 0) return x.tensor();
  if (p == 1) return mul(x, {0, at});
  const Tensor dropped = dropout({ones(x.shape(), f32, at), at}, p);
  const Tensor keep = gt({dropped, at}, {0, at});
  const double scale = 1 / std::sqrt((limit * limit * p + 1) * (1 - p));
  const Tensor chosen = where({keep, at}, x, {-limit, at});
  return mul({add({chosen, at}, {limit * p, at}), at}, {scale, at});
}

}  // namespace sinter::inline SINTER_ABI
