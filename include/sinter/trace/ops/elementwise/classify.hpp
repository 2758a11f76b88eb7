#pragma once
// Predicates on elements: NaN, infinite, negative, close to another value.

#include <optional>  // std::optional
#include <utility>   // std::move

#include <sinter/config.hpp>
#include <sinter/trace/core/tensor.hpp>
#include <sinter/trace/ops/typed/elementwise.hpp>

namespace sinter::inline SINTER_ABI {

/// Boolean; for integers, never NaN or infinite.
Tensor isnan(Operand x);
Tensor isinf(Operand x);
Tensor isposinf(Operand x);
Tensor isneginf(Operand x);
Tensor isfinite(Operand x);
/// True for negative numbers and -0; false for NaN.
Tensor signbit(Operand x);
/// |x| with the sign of y. Gradient x: g or -g, and 0 where x is 0.
Tensor copysign(Operand x, Operand y);
/// x with NaN and the infinities replaced by numbers: by default 0 and the largest and lowest of
/// the dtype. Gradient 0 there.
Tensor nan_to_num(Operand x, double nan = 0, std::optional<double> posinf = {},
                  std::optional<double> neginf = {});
/// |x - y| <= atol + rtol * |y|. Boolean.
///
/// Throws   ValueError for a negative tolerance
/// Source   https://docs.pytorch.org/docs/stable/generated/torch.isclose.html
Tensor isclose(Operand x, Operand y, double rtol = 1e-5, double atol = 1e-8,
               bool equal_nan = false);

/// Logical operations: elements count as true unless they are 0. Boolean.
Tensor logical_not(Operand x);
Tensor logical_and(Operand lhs, Operand rhs);
Tensor logical_or(Operand lhs, Operand rhs);
Tensor logical_xor(Operand lhs, Operand rhs);

// The typed forms. Those without parameters are parts of expressions.

template <class X, class Y>
requires detail::TypedOperands<X, Y>
auto copysign(const X& x, const Y& y, Where at = Where::current()) {
  return detail::build<detail::Binary<copysign, detail::Takes::floating>>(at, x, y);
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

}  // namespace sinter::inline SINTER_ABI

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/ops/elementwise/classify.ipp>
#endif
