#pragma once

#include <array>  // std::array
#include <cmath>  // std::fabs, std::isnan

#include <sinter/base/error.hpp>
#include <sinter/trace/ops/elementwise/clamp.hpp>
#include <sinter/trace/ops/elementwise/term.hpp>

namespace sinter::inline SINTER_ABI {

namespace detail {

using formula::Term;

// At a constant bound, x gets no gradient; with a tensor bound, x and the bound share it where they
// are equal. The primitives handle NaN.
SINTER_INLINE bool is_plain_number(const Operand& bound) {
  const Constant* const number = bound.value.get_if<Constant>();
  if (number != nullptr) return !std::isnan(cast(*number, f64).floating());
  return bound.value.is<Scalar>();
}

// Clips a bound to the range of the integer dtype of `x`.
SINTER_INLINE Operand reachable(const Operand& bound, const Operand& x) {
  const Constant* const number = bound.value.get_if<Constant>();
  const DType dtype = x.type().dtype;
  if (number == nullptr || !is_integer(number->dtype) || !is_integer(dtype)) return bound;
  const auto wanted = static_cast<double>(number->integer());
  return visit_dtype(dtype, [&]<class T>(T) -> Operand {
    if constexpr (std::is_integral_v<T> && sizeof(T) < sizeof(std::int64_t)) {
      return {static_cast<std::int64_t>(saturate<T>(wanted)), bound.where};
    } else {
      return bound;
    }
  });
}

}  // namespace detail

SINTER_INLINE Tensor clamp_min(Operand x, Operand min) {
  const detail::PublicCall call("clamp_min", x.where);
  min = detail::reachable(min, x);
  if (!detail::is_plain_number(min)) return maximum(x, min);
  return where({le(x, min), x.where}, min, x);
}
SINTER_INLINE Tensor clamp_max(Operand x, Operand max) {
  const detail::PublicCall call("clamp_max", x.where);
  max = detail::reachable(max, x);
  if (!detail::is_plain_number(max)) return minimum(x, max);
  return where({ge(x, max), x.where}, max, x);
}
SINTER_INLINE Tensor clamp(Operand x, Operand min, Operand max) {
  const detail::PublicCall call("clamp", x.where);
  const Operand operands[]{x, min, max};
  detail::broadcast_shapes("clamp", operands);
  return clamp_max({clamp_min(x, min), x.where}, max);
}
SINTER_INLINE Tensor clamp(Operand x, Operand min) {
  const detail::PublicCall call("clamp", x.where);
  return clamp_min(x, min);
}
SINTER_INLINE Tensor clamp(Operand x, std::nullopt_t, Operand max) {
  const detail::PublicCall call("clamp", x.where);
  return clamp_max(x, max);
}
SINTER_INLINE Tensor clamp(Operand x, detail::Bounds bounds) {
  const detail::PublicCall call("clamp", x.where);
  if (bounds.min && bounds.max) return clamp(x, *bounds.min, *bounds.max);
  if (bounds.min) return clamp_min(x, *bounds.min);
  if (bounds.max) return clamp_max(x, *bounds.max);
  throw ValueError({.op = "clamp",
                    .what = "there is no bound",
                    .facts = {{"x", to_string(x)}},
                    .rule = "min, max or both are given",
                    .fix = "clamp(x, {.min = 0})",
                    .where = x.where});
}

SINTER_INLINE Tensor fmin(Operand lhs, Operand rhs) {
  const detail::PublicCall call("fmin", lhs.where);
  const Tensor rest = where({ne(lhs, lhs), lhs.where}, rhs, {minimum(lhs, rhs), lhs.where});
  return where({ne(rhs, rhs), lhs.where}, lhs, {rest, lhs.where});
}
SINTER_INLINE Tensor fmax(Operand lhs, Operand rhs) {
  const detail::PublicCall call("fmax", lhs.where);
  const Tensor rest = where({ne(lhs, lhs), lhs.where}, rhs, {maximum(lhs, rhs), lhs.where});
  return where({ne(rhs, rhs), lhs.where}, lhs, {rest, lhs.where});
}

// Interpolates from the nearer end, as torch does.
SINTER_INLINE Tensor lerp(Operand x, Operand end, Operand weight) {
  const detail::PublicCall call("lerp", x.where);
  detail::require_broadcast("lerp", x, end);
  const detail::OperandType type =
      detail::promote(detail::promote(x.type(), end.type()), weight.type());
  const DType dtype = detail::formula::floating_result(type), wide = detail::computed_in(dtype);
  const detail::Term from = detail::formula::term_of(x, wide, x.where);
  const detail::Term to = detail::formula::term_of(end, wide, x.where), distance = to - from;
  const auto mixed = [&](const auto& share, const auto& rest) {
    return std::array{from + distance * share, to - distance * rest};
  };
  if (const detail::Constant* const number = weight.value.get_if<detail::Constant>()) {
    const double share = detail::cast(*number, f64).floating();
    return detail::cast(mixed(share, 1 - share)[std::fabs(share) < 0.5 ? 0 : 1], dtype);
  }
  const detail::Term share = detail::formula::term_of(weight, wide, x.where);
  const auto [near, far] = mixed(share, 1 - share);
  return detail::cast(choose(abs(share) < 0.5, near, far), dtype);
}

}  // namespace sinter::inline SINTER_ABI
