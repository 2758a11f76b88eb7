#pragma once
// The elementwise functions of typed tensors: they build expressions.

#include <utility>  // std::move

#include <sinter/config.hpp>
#include <sinter/trace/activation.hpp>
#include <sinter/trace/elementwise.hpp>
#include <sinter/trace/typed.hpp>

namespace sinter::inline SINTER_ABI {

/// A function that is written in others, as the function of an expression.
template <auto function, Takes takes_, Gives gives_>
struct Composite {
  static constexpr Takes takes = takes_;
  static constexpr Gives gives = gives_;
  static constexpr DType dtype(auto... operands) { return detail::computed_by(takes, operands...); }
  static Tensor record(auto... operands) { return function(operands...); }
};

/// x where the condition holds, else y.
struct Select {
  static constexpr Takes takes = Takes::any;
  static constexpr Gives gives = Gives::same;
  static constexpr DType dtype(OperandType, OperandType x, OperandType y) {
    return detail::computed_by(takes, x, y);
  }
  static Tensor record(Operand condition, Operand x, Operand y) { return where(condition, x, y); }
};

namespace detail {

template <Tensor (*function)(Operand), Takes takes, Gives gives = Gives::same>
using Unary = Composite<function, takes, gives>;
template <Tensor (*function)(Operand, Operand), Takes takes, Gives gives = Gives::same>
using Binary = Composite<function, takes, gives>;

}  // namespace detail

auto neg(Expression auto x, Where at = Where::current()) {
  return build<Primitive<Op::neg>>(at, std::move(x));
}
auto abs(Expression auto x, Where at = Where::current()) {
  return build<Primitive<Op::abs>>(at, std::move(x));
}
auto sign(Expression auto x, Where at = Where::current()) {
  return build<Primitive<Op::sign>>(at, std::move(x));
}
auto exp(Expression auto x, Where at = Where::current()) {
  return build<Primitive<Op::exp>>(at, std::move(x));
}
auto log(Expression auto x, Where at = Where::current()) {
  return build<Primitive<Op::log>>(at, std::move(x));
}
auto sin(Expression auto x, Where at = Where::current()) {
  return build<Primitive<Op::sin>>(at, std::move(x));
}
auto cos(Expression auto x, Where at = Where::current()) {
  return build<Primitive<Op::cos>>(at, std::move(x));
}
auto tanh(Expression auto x, Where at = Where::current()) {
  return build<Primitive<Op::tanh>>(at, std::move(x));
}
auto erf(Expression auto x, Where at = Where::current()) {
  return build<Primitive<Op::erf>>(at, std::move(x));
}
auto sqrt(Expression auto x, Where at = Where::current()) {
  return build<Primitive<Op::sqrt>>(at, std::move(x));
}
auto floor(Expression auto x, Where at = Where::current()) {
  return build<Primitive<Op::floor>>(at, std::move(x));
}
auto square(Expression auto x, Where at = Where::current()) {
  return build<detail::Unary<square, Takes::any>>(at, std::move(x));
}
auto reciprocal(Expression auto x, Where at = Where::current()) {
  return build<detail::Unary<reciprocal, Takes::floating>>(at, std::move(x));
}
auto rsqrt(Expression auto x, Where at = Where::current()) {
  return build<detail::Unary<rsqrt, Takes::floating>>(at, std::move(x));
}
auto isnan(Expression auto x, Where at = Where::current()) {
  return build<detail::Unary<isnan, Takes::any, Gives::boolean>>(at, std::move(x));
}
auto logical_not(Expression auto x, Where at = Where::current()) {
  return build<detail::Unary<logical_not, Takes::any, Gives::boolean>>(at, std::move(x));
}
auto relu(Expression auto x, Where at = Where::current()) {
  return build<detail::Unary<relu, Takes::numbers>>(at, std::move(x));
}
auto sigmoid(Expression auto x, Where at = Where::current()) {
  return build<detail::Unary<sigmoid, Takes::floating>>(at, std::move(x));
}
auto silu(Expression auto x, Where at = Where::current()) {
  return build<detail::Unary<silu, Takes::floating>>(at, std::move(x));
}
auto softplus(Expression auto x, Where at = Where::current()) {
  return build<detail::Unary<softplus, Takes::floating>>(at, std::move(x));
}

namespace detail {

inline Tensor gelu_exact(Operand x) { return gelu(x, Gelu::exact); }

}  // namespace detail

auto gelu(Expression auto x, Where at = Where::current()) {
  return build<detail::Unary<detail::gelu_exact, Takes::floating>>(at, std::move(x));
}

template <class X, class Y>
requires TypedOperands<X, Y>
auto minimum(const X& x, const Y& y, Where at = Where::current()) {
  return build<Primitive<Op::minimum>>(at, x, y);
}
template <class X, class Y>
requires TypedOperands<X, Y>
auto maximum(const X& x, const Y& y, Where at = Where::current()) {
  return build<Primitive<Op::maximum>>(at, x, y);
}
template <class X, class Y>
requires TypedOperands<X, Y>
auto pow(const X& x, const Y& y, Where at = Where::current()) {
  return build<Primitive<Op::pow>>(at, x, y);
}
template <class X, class Y>
requires TypedOperands<X, Y>
auto floor_divide(const X& x, const Y& y, Where at = Where::current()) {
  return build<Primitive<Op::floor_divide>>(at, x, y);
}
template <class X, class Y>
requires TypedOperands<X, Y>
auto remainder(const X& x, const Y& y, Where at = Where::current()) {
  return build<Primitive<Op::remainder>>(at, x, y);
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
template <class X, class Y, class Z>
requires TypedOperands<X, Y, Z>
auto where(const X& condition, const Y& x, const Z& y, Where at = Where::current()) {
  return build<Select>(at, condition, x, y);
}
template <class X, class Y, class Z>
requires TypedOperands<X, Y, Z>
auto clamp(const X& x, const Y& min, const Z& max, Where at = Where::current()) {
  return minimum(maximum(x, min, at), max, at);
}

}  // namespace sinter::inline SINTER_ABI
