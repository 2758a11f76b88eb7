#pragma once
// The elementwise functions of typed tensors that are written in others.

#include <optional>  // std::optional
#include <utility>   // std::move

#include <sinter/config.hpp>
#include <sinter/trace/typed_elementwise.hpp>

namespace sinter::inline SINTER_ABI {

auto square(Expression auto x, Where at = Where::current()) {
  return build<detail::Unary<square, Takes::any>>(at, std::move(x));
}
auto reciprocal(Expression auto x, Where at = Where::current()) {
  return build<detail::Unary<reciprocal, Takes::floating>>(at, std::move(x));
}
auto rsqrt(Expression auto x, Where at = Where::current()) {
  return build<detail::Unary<rsqrt, Takes::floating>>(at, std::move(x));
}
auto exp2(Expression auto x, Where at = Where::current()) {
  return build<detail::Unary<exp2, Takes::floating>>(at, std::move(x));
}
auto log2(Expression auto x, Where at = Where::current()) {
  return build<detail::Unary<log2, Takes::floating>>(at, std::move(x));
}
auto log10(Expression auto x, Where at = Where::current()) {
  return build<detail::Unary<log10, Takes::floating>>(at, std::move(x));
}
auto tan(Expression auto x, Where at = Where::current()) {
  return build<detail::Unary<tan, Takes::floating>>(at, std::move(x));
}
auto asin(Expression auto x, Where at = Where::current()) {
  return build<detail::Unary<asin, Takes::floating>>(at, std::move(x));
}
auto acos(Expression auto x, Where at = Where::current()) {
  return build<detail::Unary<acos, Takes::floating>>(at, std::move(x));
}
auto sinh(Expression auto x, Where at = Where::current()) {
  return build<detail::Unary<sinh, Takes::floating>>(at, std::move(x));
}
auto cosh(Expression auto x, Where at = Where::current()) {
  return build<detail::Unary<cosh, Takes::floating>>(at, std::move(x));
}
auto asinh(Expression auto x, Where at = Where::current()) {
  return build<detail::Unary<asinh, Takes::floating>>(at, std::move(x));
}
auto acosh(Expression auto x, Where at = Where::current()) {
  return build<detail::Unary<acosh, Takes::floating>>(at, std::move(x));
}
auto atanh(Expression auto x, Where at = Where::current()) {
  return build<detail::Unary<atanh, Takes::floating>>(at, std::move(x));
}
template <class X, class Y>
requires TypedOperands<X, Y>
auto atan2(const X& x, const Y& y, Where at = Where::current()) {
  return build<detail::Binary<atan2, Takes::floating>>(at, x, y);
}
template <class X, class Y>
requires TypedOperands<X, Y>
auto hypot(const X& x, const Y& y, Where at = Where::current()) {
  return build<detail::Binary<hypot, Takes::floating>>(at, x, y);
}
template <class X, class Y>
requires TypedOperands<X, Y>
auto logaddexp(const X& x, const Y& y, Where at = Where::current()) {
  return build<detail::Binary<logaddexp, Takes::floating>>(at, x, y);
}
template <class X, class Y>
requires TypedOperands<X, Y>
auto copysign(const X& x, const Y& y, Where at = Where::current()) {
  return build<detail::Binary<copysign, Takes::floating>>(at, x, y);
}

auto floor(Expression auto x, Where at = Where::current()) {
  return build<detail::Unary<floor, Takes::any>>(at, std::move(x));
}
auto ceil(Expression auto x, Where at = Where::current()) {
  return build<detail::Unary<ceil, Takes::any>>(at, std::move(x));
}
auto trunc(Expression auto x, Where at = Where::current()) {
  return build<detail::Unary<trunc, Takes::any>>(at, std::move(x));
}
auto frac(Expression auto x, Where at = Where::current()) {
  return build<detail::Unary<frac, Takes::numbers>>(at, std::move(x));
}
template <Expression E>
auto round(const E& x, int decimals = 0, Where at = Where::current()) {
  return detail::recorded_at_once<E::type.dtype, E::dims>(round({x, at}, decimals), at);
}
template <class X, class Y>
requires TypedOperands<X, Y>
auto fmod(const X& x, const Y& y, Where at = Where::current()) {
  return build<detail::Binary<fmod, Takes::numbers>>(at, x, y);
}

auto isnan(Expression auto x, Where at = Where::current()) {
  return build<detail::Unary<isnan, Takes::any, Gives::boolean>>(at, std::move(x));
}
auto isinf(Expression auto x, Where at = Where::current()) {
  return build<detail::Unary<isinf, Takes::any, Gives::boolean>>(at, std::move(x));
}
auto isposinf(Expression auto x, Where at = Where::current()) {
  return build<detail::Unary<isposinf, Takes::any, Gives::boolean>>(at, std::move(x));
}
auto isneginf(Expression auto x, Where at = Where::current()) {
  return build<detail::Unary<isneginf, Takes::any, Gives::boolean>>(at, std::move(x));
}
auto isfinite(Expression auto x, Where at = Where::current()) {
  return build<detail::Unary<isfinite, Takes::any, Gives::boolean>>(at, std::move(x));
}
auto signbit(Expression auto x, Where at = Where::current()) {
  return build<detail::Unary<signbit, Takes::any, Gives::boolean>>(at, std::move(x));
}
auto logical_not(Expression auto x, Where at = Where::current()) {
  return build<detail::Unary<logical_not, Takes::any, Gives::boolean>>(at, std::move(x));
}
template <class X, class Y>
requires TypedOperands<X, Y>
auto logical_and(const X& x, const Y& y, Where at = Where::current()) {
  return build<detail::Binary<logical_and, Takes::any, Gives::boolean>>(at, x, y);
}
template <class X, class Y>
requires TypedOperands<X, Y>
auto logical_or(const X& x, const Y& y, Where at = Where::current()) {
  return build<detail::Binary<logical_or, Takes::any, Gives::boolean>>(at, x, y);
}
template <class X, class Y>
requires TypedOperands<X, Y>
auto logical_xor(const X& x, const Y& y, Where at = Where::current()) {
  return build<detail::Binary<logical_xor, Takes::any, Gives::boolean>>(at, x, y);
}
template <Expression E>
auto nan_to_num(const E& x, double nan = 0, std::optional<double> posinf = {},
                std::optional<double> neginf = {}, Where at = Where::current()) {
  return detail::recorded_at_once<E::type.dtype, E::dims>(nan_to_num({x, at}, nan, posinf, neginf),
                                                          at);
}

template <class X, class Y>
requires TypedOperands<X, Y>
auto clamp_min(const X& x, const Y& y, Where at = Where::current()) {
  return build<detail::Binary<clamp_min, Takes::any>>(at, x, y);
}
template <class X, class Y>
requires TypedOperands<X, Y>
auto clamp_max(const X& x, const Y& y, Where at = Where::current()) {
  return build<detail::Binary<clamp_max, Takes::any>>(at, x, y);
}
template <class X, class Y>
requires TypedOperands<X, Y>
auto fmin(const X& x, const Y& y, Where at = Where::current()) {
  return build<detail::Binary<fmin, Takes::any>>(at, x, y);
}
template <class X, class Y>
requires TypedOperands<X, Y>
auto fmax(const X& x, const Y& y, Where at = Where::current()) {
  return build<detail::Binary<fmax, Takes::any>>(at, x, y);
}
template <class X, class Y, class Z>
requires TypedOperands<X, Y, Z>
auto clamp(const X& x, const Y& min, const Z& max, Where at = Where::current()) {
  return build<detail::Ternary<clamp, Takes::any>>(at, x, min, max);
}
template <class X, class Y>
requires TypedOperands<X, Y>
auto clamp(const X& x, const Y& min, Where at = Where::current()) { return clamp_min(x, min, at); }
template <class X, class Y>
requires TypedOperands<X, Y>
auto clamp(const X& x, std::nullopt_t, const Y& max, Where at = Where::current()) {
  return clamp_max(x, max, at);
}
template <class X, class Y, class Z>
requires TypedOperands<X, Y, Z>
auto lerp(const X& x, const Y& end, const Z& weight, Where at = Where::current()) {
  return build<detail::Ternary<lerp, Takes::floating>>(at, x, end, weight);
}

}  // namespace sinter::inline SINTER_ABI
