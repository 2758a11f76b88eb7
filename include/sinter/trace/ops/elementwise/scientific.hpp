#pragma once
// Powers, logarithms, trigonometric and hyperbolic functions.

#include <utility>  // std::move

#include <sinter/config.hpp>
#include <sinter/trace/core/tensor.hpp>
#include <sinter/trace/ops/elementwise/primitive.hpp>
#include <sinter/trace/ops/typed/elementwise.hpp>

namespace sinter::inline SINTER_ABI {

/// lhs to the power rhs.
///
/// DTypes   promoted; integers stay integers and wrap, as in torch
/// Throws   ValueError for integers to the power of a negative constant
Tensor pow(Operand base, Operand exponent);

Tensor square(Operand x);
Tensor reciprocal(Operand x);
Tensor rsqrt(Operand x);

/// 2 to the power x.
Tensor exp2(Operand x);
/// The logarithms to base 2 and 10; exact for powers of the base.
Tensor log2(Operand x);
Tensor log10(Operand x);
/// log(exp(lhs) + exp(rhs)), which does not overflow.
Tensor logaddexp(Operand lhs, Operand rhs);

inline Tensor tan(Operand x) { return detail::elementwise(detail::Op::tan, x); }
/// NaN outside of [-1, 1]. Gradient infinite at -1 and 1.
Tensor asin(Operand x);
Tensor acos(Operand x);
/// The angle of the point (x, y), from -pi to pi; the sign of 0 counts.
///
/// Gradient y: g * x / (x^2 + y^2), x: -g * y / (x^2 + y^2)
/// Source   IEEE 754-2019, 9.2.1
Tensor atan2(Operand y, Operand x);
/// sqrt(x^2 + y^2), which does not overflow.
Tensor hypot(Operand x, Operand y);

Tensor sinh(Operand x);
Tensor cosh(Operand x);
Tensor asinh(Operand x);
/// NaN below 1.
Tensor acosh(Operand x);
/// NaN outside of [-1, 1].
Tensor atanh(Operand x);

// The typed forms. Those without parameters are parts of expressions.

namespace detail::typed {

/// Of integers an integer; booleans count as i64.
struct Power {
  static constexpr Takes takes = Takes::any;
  static constexpr Gives gives = Gives::same;
  static constexpr DType dtype(OperandType base, OperandType exponent) {
    const DType promoted = detail::computed_by(takes, base, exponent);
    return promoted == boolean ? i64 : promoted;
  }
  static Tensor record(Operand base, Operand exponent) { return pow(base, exponent); }
};

}  // namespace detail::typed

template <class X, class Y>
requires detail::TypedOperands<X, Y>
auto pow(const X& x, const Y& y, Where at = Where::current()) {
  constexpr DType dtype =
      detail::typed::Power::dtype(detail::Known<X>::type, detail::Known<Y>::type);
  if constexpr (detail::Number<Y> &&
                !detail::is_floating(dtype)) {  // an exponent that is known takes few products
    return detail::recorded_at_once<dtype, X::dims>(pow({x, at}, {y, at}), at);
  } else {
    return detail::build<detail::typed::Power>(at, x, y);
  }
}
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
  return detail::build<detail::typed::Primitive<detail::Op::tan>>(at, std::move(x));
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

}  // namespace sinter::inline SINTER_ABI

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/ops/elementwise/scientific.ipp>
#endif
