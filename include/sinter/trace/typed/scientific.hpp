#pragma once
// Composite elementwise functions of typed tensors.

#include <optional>  // std::optional
#include <utility>   // std::move

#include <sinter/config.hpp>
#include <sinter/trace/typed/elementwise.hpp>

namespace sinter::inline SINTER_ABI {

auto square(detail::Expression auto x, Where at = Where::current()) {
  return detail::build<detail::Unary<square, detail::Takes::any>>(at, std::move(x));
}
auto reciprocal(detail::Expression auto x, Where at = Where::current()) {
  return detail::build<detail::Unary<reciprocal, detail::Takes::floating>>(at, std::move(x));
}
auto rsqrt(detail::Expression auto x, Where at = Where::current()) {
  return detail::build<detail::Unary<rsqrt, detail::Takes::floating>>(at, std::move(x));
}
auto exp2(detail::Expression auto x, Where at = Where::current()) {
  return detail::build<detail::Unary<exp2, detail::Takes::floating>>(at, std::move(x));
}
auto log2(detail::Expression auto x, Where at = Where::current()) {
  return detail::build<detail::Unary<log2, detail::Takes::floating>>(at, std::move(x));
}
auto log10(detail::Expression auto x, Where at = Where::current()) {
  return detail::build<detail::Unary<log10, detail::Takes::floating>>(at, std::move(x));
}
auto tan(detail::Expression auto x, Where at = Where::current()) {
  return detail::build<detail::Unary<tan, detail::Takes::floating>>(at, std::move(x));
}
auto asin(detail::Expression auto x, Where at = Where::current()) {
  return detail::build<detail::Unary<asin, detail::Takes::floating>>(at, std::move(x));
}
auto acos(detail::Expression auto x, Where at = Where::current()) {
  return detail::build<detail::Unary<acos, detail::Takes::floating>>(at, std::move(x));
}
auto sinh(detail::Expression auto x, Where at = Where::current()) {
  return detail::build<detail::Unary<sinh, detail::Takes::floating>>(at, std::move(x));
}
auto cosh(detail::Expression auto x, Where at = Where::current()) {
  return detail::build<detail::Unary<cosh, detail::Takes::floating>>(at, std::move(x));
}
auto asinh(detail::Expression auto x, Where at = Where::current()) {
  return detail::build<detail::Unary<asinh, detail::Takes::floating>>(at, std::move(x));
}
auto acosh(detail::Expression auto x, Where at = Where::current()) {
  return detail::build<detail::Unary<acosh, detail::Takes::floating>>(at, std::move(x));
}
auto atanh(detail::Expression auto x, Where at = Where::current()) {
  return detail::build<detail::Unary<atanh, detail::Takes::floating>>(at, std::move(x));
}
template <class X, class Y>
requires detail::TypedOperands<X, Y>
auto atan2(const X& x, const Y& y, Where at = Where::current()) {
  return detail::build<detail::Binary<atan2, detail::Takes::floating>>(at, x, y);
}
template <class X, class Y>
requires detail::TypedOperands<X, Y>
auto hypot(const X& x, const Y& y, Where at = Where::current()) {
  return detail::build<detail::Binary<hypot, detail::Takes::floating>>(at, x, y);
}
template <class X, class Y>
requires detail::TypedOperands<X, Y>
auto logaddexp(const X& x, const Y& y, Where at = Where::current()) {
  return detail::build<detail::Binary<logaddexp, detail::Takes::floating>>(at, x, y);
}
template <class X, class Y>
requires detail::TypedOperands<X, Y>
auto copysign(const X& x, const Y& y, Where at = Where::current()) {
  return detail::build<detail::Binary<copysign, detail::Takes::floating>>(at, x, y);
}

auto floor(detail::Expression auto x, Where at = Where::current()) {
  return detail::build<detail::Unary<floor, detail::Takes::any>>(at, std::move(x));
}
auto ceil(detail::Expression auto x, Where at = Where::current()) {
  return detail::build<detail::Unary<ceil, detail::Takes::any>>(at, std::move(x));
}
auto trunc(detail::Expression auto x, Where at = Where::current()) {
  return detail::build<detail::Unary<trunc, detail::Takes::any>>(at, std::move(x));
}
auto frac(detail::Expression auto x, Where at = Where::current()) {
  return detail::build<detail::Unary<frac, detail::Takes::numbers>>(at, std::move(x));
}
template <detail::Expression E>
auto round(const E& x, int decimals = 0, Where at = Where::current()) {
  return detail::recorded_at_once<E::type.dtype, E::dims>(round({x, at}, decimals), at);
}
template <class X, class Y>
requires detail::TypedOperands<X, Y>
auto fmod(const X& x, const Y& y, Where at = Where::current()) {
  return detail::build<detail::Binary<fmod, detail::Takes::numbers>>(at, x, y);
}

auto isnan(detail::Expression auto x, Where at = Where::current()) {
  return detail::build<detail::Unary<isnan, detail::Takes::any, detail::Gives::boolean>>(
      at, std::move(x));
}
auto isinf(detail::Expression auto x, Where at = Where::current()) {
  return detail::build<detail::Unary<isinf, detail::Takes::any, detail::Gives::boolean>>(
      at, std::move(x));
}
auto isposinf(detail::Expression auto x, Where at = Where::current()) {
  return detail::build<detail::Unary<isposinf, detail::Takes::any, detail::Gives::boolean>>(
      at, std::move(x));
}
auto isneginf(detail::Expression auto x, Where at = Where::current()) {
  return detail::build<detail::Unary<isneginf, detail::Takes::any, detail::Gives::boolean>>(
      at, std::move(x));
}
auto isfinite(detail::Expression auto x, Where at = Where::current()) {
  return detail::build<detail::Unary<isfinite, detail::Takes::any, detail::Gives::boolean>>(
      at, std::move(x));
}
auto signbit(detail::Expression auto x, Where at = Where::current()) {
  return detail::build<detail::Unary<signbit, detail::Takes::any, detail::Gives::boolean>>(
      at, std::move(x));
}
auto logical_not(detail::Expression auto x, Where at = Where::current()) {
  return detail::build<detail::Unary<logical_not, detail::Takes::any, detail::Gives::boolean>>(
      at, std::move(x));
}
template <class X, class Y>
requires detail::TypedOperands<X, Y>
auto logical_and(const X& x, const Y& y, Where at = Where::current()) {
  return detail::build<detail::Binary<logical_and, detail::Takes::any, detail::Gives::boolean>>(
      at, x, y);
}
template <class X, class Y>
requires detail::TypedOperands<X, Y>
auto logical_or(const X& x, const Y& y, Where at = Where::current()) {
  return detail::build<detail::Binary<logical_or, detail::Takes::any, detail::Gives::boolean>>(
      at, x, y);
}
template <class X, class Y>
requires detail::TypedOperands<X, Y>
auto logical_xor(const X& x, const Y& y, Where at = Where::current()) {
  return detail::build<detail::Binary<logical_xor, detail::Takes::any, detail::Gives::boolean>>(
      at, x, y);
}
template <detail::Expression E>
auto nan_to_num(const E& x, double nan = 0, std::optional<double> posinf = {},
                std::optional<double> neginf = {}, Where at = Where::current()) {
  return detail::recorded_at_once<E::type.dtype, E::dims>(nan_to_num({x, at}, nan, posinf, neginf),
                                                          at);
}

template <class X, class Y>
requires detail::TypedOperands<X, Y>
auto clamp_min(const X& x, const Y& y, Where at = Where::current()) {
  return detail::build<detail::Binary<clamp_min, detail::Takes::any>>(at, x, y);
}
template <class X, class Y>
requires detail::TypedOperands<X, Y>
auto clamp_max(const X& x, const Y& y, Where at = Where::current()) {
  return detail::build<detail::Binary<clamp_max, detail::Takes::any>>(at, x, y);
}
template <class X, class Y>
requires detail::TypedOperands<X, Y>
auto fmin(const X& x, const Y& y, Where at = Where::current()) {
  return detail::build<detail::Binary<fmin, detail::Takes::any>>(at, x, y);
}
template <class X, class Y>
requires detail::TypedOperands<X, Y>
auto fmax(const X& x, const Y& y, Where at = Where::current()) {
  return detail::build<detail::Binary<fmax, detail::Takes::any>>(at, x, y);
}
template <class X, class Y, class Z>
requires detail::TypedOperands<X, Y, Z>
auto clamp(const X& x, const Y& min, const Z& max, Where at = Where::current()) {
  return detail::build<detail::Ternary<clamp, detail::Takes::any>>(at, x, min, max);
}
template <class X, class Y>
requires detail::TypedOperands<X, Y>
auto clamp(const X& x, const Y& min, Where at = Where::current()) { return clamp_min(x, min, at); }
template <class X, class Y>
requires detail::TypedOperands<X, Y>
auto clamp(const X& x, std::nullopt_t, const Y& max, Where at = Where::current()) {
  return clamp_max(x, max, at);
}
template <class X, class Y, class Z>
requires detail::TypedOperands<X, Y, Z>
auto lerp(const X& x, const Y& end, const Z& weight, Where at = Where::current()) {
  return detail::build<detail::Ternary<lerp, detail::Takes::floating>>(at, x, end, weight);
}

}  // namespace sinter::inline SINTER_ABI
