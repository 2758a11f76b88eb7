#pragma once
// Clamping, minimum and maximum, and linear interpolation.

#include <optional>  // std::nullopt_t, std::optional

#include <sinter/config.hpp>
#include <sinter/trace/core/tensor.hpp>
#include <sinter/trace/ops/typed/elementwise.hpp>

namespace sinter::inline SINTER_ABI {

namespace detail {

/// The bounds of clamp(x, {.min = 0}).
struct Bounds {
  std::optional<Operand> min{}, max{};
};

}  // namespace detail

/// min(max(x, min), max); max if min > max. NaN elements stay NaN, and a NaN bound gives NaN.
///
/// Shapes   broadcast
/// Gradient x: g where min < x < max; a tensor bound: g where it is the result, half of it where x
///          equals the bound
/// Source   https://docs.pytorch.org/docs/stable/generated/torch.clamp.html
Tensor clamp(Operand x, Operand min, Operand max);
Tensor clamp(Operand x, Operand min);
Tensor clamp(Operand x, std::nullopt_t, Operand max);
/// Throws ValueError if there is no bound.
Tensor clamp(Operand x, detail::Bounds bounds);
Tensor clamp_min(Operand x, Operand min);
Tensor clamp_max(Operand x, Operand max);

/// Minimum and maximum that ignore NaN: if one operand is NaN, the other.
Tensor fmin(Operand lhs, Operand rhs);
Tensor fmax(Operand lhs, Operand rhs);

/// x + weight * (end - x); exactly `end` for a weight of 1.
Tensor lerp(Operand x, Operand end, Operand weight);

// The typed forms. Those without parameters are parts of expressions.

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

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/ops/elementwise/clamp.ipp>
#endif
