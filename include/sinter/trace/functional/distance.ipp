#pragma once

#include <cmath>  // std::isinf

#include <sinter/trace/core/cast.hpp>
#include <sinter/trace/functional/distance.hpp>
#include <sinter/trace/functional/norm/normalize.hpp>
#include <sinter/trace/ops/elementwise/elementwise.hpp>
#include <sinter/trace/ops/movement/movement.hpp>
#include <sinter/trace/ops/reduce/reduce.hpp>
#include <sinter/trace/transform/grad.hpp>

namespace sinter::inline SINTER_ABI {

namespace detail {

// At 0 the derivative of the root is infinite, and its product with the zero derivative of the
// power would be NaN.
SINTER_INLINE Tensor norm_along(const Operand& x, double p, int axis, bool keepdim) {
  const Where at = x.where;
  const Tensor distance = abs(x);
  if (std::isinf(p)) {
    return p > 0 ? sinter::max({distance, at}, axis, keepdim)
                 : sinter::min({distance, at}, axis, keepdim);
  }
  if (p == 0) {
    const Tensor counts = cast({ne(x, {0, at}), at}, distance.dtype());
    return sum({counts, at}, axis, keepdim);
  }
  if (p == 1) return sum({distance, at}, axis, keepdim);
  const Tensor powers = p == 2 ? square(x) : pow({distance, at}, {p, at});
  const Tensor total = sum({powers, at}, axis, keepdim);
  const Tensor is_zero = eq({total, at}, {0, at});
  const Tensor safe = where({is_zero, at}, {1, at}, {total, at});
  const Tensor root = p == 2 ? sqrt({safe, at}) : pow({safe, at}, {1 / p, at});
  return where({is_zero, at}, {0, at}, {root, at});
}

}  // namespace detail

SINTER_INLINE Tensor normalize(Operand x, double p, int axis, double eps) {
  const detail::PublicCall call("normalize", x.where);
  const Where at = x.where;
  detail::axes_of(axis, x.tensor(), "normalize", at);
  const Operand wide = detail::as_wide(x);
  const Tensor length = detail::norm_along(wide, p, axis, true);
  return detail::as_narrow(div(wide, {maximum({length, at}, {eps, at}), at}), x);
}

SINTER_INLINE Tensor cosine_similarity(Operand x, Operand y, int axis, double eps) {
  const detail::PublicCall call("cosine_similarity", x.where);
  const Where at = x.where;
  detail::require_broadcast("cosine_similarity", x, y);
  const Tensor product = mul(detail::as_wide(x), detail::as_wide(y));
  detail::axes_of(axis, product, "cosine_similarity", at);
  const Shape shape = product.shape();
  const auto length = [&](const Operand& vector) {
    const Tensor whole = expand({detail::as_wide(vector).tensor(), at}, shape);
    return maximum({detail::norm_along({whole, at}, 2, axis, false), at}, {eps, at});
  };
  const Tensor lengths = mul({length(x), at}, {length(y), at});
  return detail::as_narrow(div({sum({product, at}, axis), at}, {lengths, at}), x);
}

SINTER_INLINE Tensor pairwise_distance(Operand x, Operand y, double p, double eps, bool keepdim) {
  const detail::PublicCall call("pairwise_distance", x.where);
  const Where at = x.where;
  detail::require_broadcast("pairwise_distance", x, y);
  const Tensor difference = sub(detail::as_wide(x), detail::as_wide(y));
  const Tensor apart = add({difference, at}, {eps, at});
  return detail::as_narrow(detail::norm_along({apart, at}, p, -1, keepdim), x);
}

}  // namespace sinter::inline SINTER_ABI
