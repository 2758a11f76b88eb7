#pragma once

#include <cmath>   // HUGE_VAL
#include <limits>  // std::numeric_limits

#include <sinter/trace/core/cast.hpp>
#include <sinter/trace/ops/elementwise/classify.hpp>
#include <sinter/trace/ops/elementwise/term.hpp>

namespace sinter::inline SINTER_ABI {

namespace detail {

using formula::Term;

SINTER_INLINE bool is_floating_operand(const Operand& x) { return is_floating(x.type().dtype); }

// All false.
SINTER_INLINE Tensor nowhere(const Operand& x) { return ne(x, x); }

// The largest finite number of a floating dtype.
SINTER_INLINE double largest_of(DType dtype) {
  if (dtype == f16) return 65504;
  if (dtype == bf16) return 0x1.fep+127;
  return dtype == f32 ? std::numeric_limits<float>::max() : std::numeric_limits<double>::max();
}

SINTER_INLINE Term is_set(const Operand& x) { return Term(x) != 0; }

}  // namespace detail

SINTER_INLINE Tensor isnan(Operand x) {
  const detail::PublicCall call("isnan", x.where);
  return ne(x, x);
}

SINTER_INLINE Tensor isinf(Operand x) {
  const detail::PublicCall call("isinf", x.where);
  if (!detail::is_floating_operand(x)) return detail::nowhere(x);
  return (abs(detail::Term(x)) == HUGE_VAL).tensor();
}
SINTER_INLINE Tensor isposinf(Operand x) {
  const detail::PublicCall call("isposinf", x.where);
  return detail::is_floating_operand(x) ? eq(x, {HUGE_VAL, x.where}) : detail::nowhere(x);
}
SINTER_INLINE Tensor isneginf(Operand x) {
  const detail::PublicCall call("isneginf", x.where);
  return detail::is_floating_operand(x) ? eq(x, {-HUGE_VAL, x.where}) : detail::nowhere(x);
}
SINTER_INLINE Tensor isfinite(Operand x) {
  const detail::PublicCall call("isfinite", x.where);
  if (!detail::is_floating_operand(x)) return eq(x, x);
  return (abs(detail::Term(x)) < HUGE_VAL).tensor();
}

SINTER_INLINE Tensor signbit(Operand x) {
  const detail::PublicCall call("signbit", x.where);
  const detail::Term term(x);
  if (!detail::is_floating_operand(x)) {
    return x.type().dtype == boolean ? detail::nowhere(x) : (term < 0).tensor();
  }
  return ((term < 0) | ((term == 0) & (1 / term < 0))).tensor();
}

SINTER_INLINE Tensor copysign(Operand x, Operand y) {
  const detail::PublicCall call("copysign", x.where);
  return detail::formula::compute(x, y, [](const auto& size, const auto& sign) {
    const detail::Term is_negative{signbit(sign), sign.where};
    return choose(is_negative, -abs(size), abs(size));
  });
}

SINTER_INLINE Tensor nan_to_num(Operand x, double nan, std::optional<double> posinf,
                                std::optional<double> neginf) {
  const detail::PublicCall call("nan_to_num", x.where);
  if (!detail::is_floating_operand(x)) return x.tensor();
  const double largest = detail::largest_of(detail::formula::floating_result(x.type()));
  const detail::Term term(x), number = choose(term == term, term, nan);
  const detail::Term bounded = choose(number == HUGE_VAL, posinf.value_or(largest), number);
  return choose(bounded == -HUGE_VAL, neginf.value_or(-largest), bounded).tensor();
}

namespace detail {

SINTER_INLINE void require_tolerances(double rtol, double atol, Where where) {
  if (rtol >= 0 && atol >= 0) return;
  throw ValueError({.op = "isclose",
                    .what = "a tolerance is negative",
                    .facts = {{"rtol", text(rtol)}, {"atol", text(atol)}},
                    .rule = "rtol >= 0 and atol >= 0",
                    .fix = "write 0 for no tolerance",
                    .where = where});
}

}  // namespace detail

// Integers and booleans are compared in f32, as in torch, so that the difference does not wrap.
SINTER_INLINE Tensor isclose(Operand x, Operand y, double rtol, double atol, bool equal_nan) {
  const detail::PublicCall call("isclose", x.where);
  const Where at = x.where;
  detail::require_broadcast("isclose", x, y);
  detail::require_tolerances(rtol, atol, at);
  const bool is_exact = !detail::is_floating(detail::promote(x.type(), y.type()).dtype);
  const auto wide = [&](const Operand& one) {
    return is_exact ? detail::Term(detail::cast(one, f32), at) : detail::Term(one);
  };
  const detail::Term a(x), b{y}, from = wide(x), to = wide(y);
  const detail::Term finite{isfinite(y), at};
  const detail::Term near = (abs(from - to) <= atol + rtol * abs(to)) & finite;
  const detail::Term close = (a == b) | near;
  return (equal_nan ? close | ((a != a) & (b != b)) : close).tensor();
}

SINTER_INLINE Tensor logical_not(Operand x) {
  const detail::PublicCall call("logical_not", x.where);
  return eq(x, {0, x.where});
}
SINTER_INLINE Tensor logical_and(Operand lhs, Operand rhs) {
  const detail::PublicCall call("logical_and", lhs.where);
  return (detail::is_set(lhs) & detail::is_set(rhs)).tensor();
}
SINTER_INLINE Tensor logical_or(Operand lhs, Operand rhs) {
  const detail::PublicCall call("logical_or", lhs.where);
  return (detail::is_set(lhs) | detail::is_set(rhs)).tensor();
}
SINTER_INLINE Tensor logical_xor(Operand lhs, Operand rhs) {
  const detail::PublicCall call("logical_xor", lhs.where);
  return (detail::is_set(lhs) != detail::is_set(rhs)).tensor();
}

}  // namespace sinter::inline SINTER_ABI
