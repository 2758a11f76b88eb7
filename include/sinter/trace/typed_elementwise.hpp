#pragma once
// The elementwise functions of typed tensors: they build expressions.

#include <utility>  // std::move

#include <sinter/config.hpp>
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

namespace detail {

template <Tensor (*function)(Operand), Takes takes, Gives gives = Gives::same>
using Unary = Composite<function, takes, gives>;
template <Tensor (*function)(Operand, Operand), Takes takes, Gives gives = Gives::same>
using Binary = Composite<function, takes, gives>;
template <Tensor (*function)(Operand, Operand, Operand), Takes takes>
using Ternary = Composite<function, takes, Gives::same>;

/// The dtype of a function of floating numbers.
template <Expression E>
inline constexpr DType floating_type = computed_by(Takes::floating, E::type);

/// A tensor that is no part of an expression: what computes it has parameters, or is no elementwise
/// operation.
template <DType dtype, auto dims>
auto recorded_at_once(const Tensor& value, Where at) {
  return typename TypeOf<dtype, dims>::type(value, at);
}

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
auto expm1(Expression auto x, Where at = Where::current()) {
  return build<Primitive<Op::expm1>>(at, std::move(x));
}
auto log(Expression auto x, Where at = Where::current()) {
  return build<Primitive<Op::log>>(at, std::move(x));
}
auto log1p(Expression auto x, Where at = Where::current()) {
  return build<Primitive<Op::log1p>>(at, std::move(x));
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
auto atan(Expression auto x, Where at = Where::current()) {
  return build<Primitive<Op::atan>>(at, std::move(x));
}
auto erf(Expression auto x, Where at = Where::current()) {
  return build<Primitive<Op::erf>>(at, std::move(x));
}
auto sqrt(Expression auto x, Where at = Where::current()) {
  return build<Primitive<Op::sqrt>>(at, std::move(x));
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
auto shift_left(const X& x, const Y& y, Where at = Where::current()) {
  return build<Primitive<Op::shift_left>>(at, x, y);
}
template <class X, class Y>
requires TypedOperands<X, Y>
auto shift_right(const X& x, const Y& y, Where at = Where::current()) {
  return build<Primitive<Op::shift_right>>(at, x, y);
}
template <class X, class Y>
requires TypedOperands<X, Y>
auto pow(const X& x, const Y& y, Where at = Where::current()) {
  constexpr DType dtype = Power::dtype(detail::Known<X>::type, detail::Known<Y>::type);
  if constexpr (Number<Y> && !is_floating(dtype)) {  // an exponent that is known takes few products
    return detail::recorded_at_once<dtype, X::dims>(pow({x, at}, {y, at}), at);
  } else {
    return build<Power>(at, x, y);
  }
}
template <class X, class Y, class Z>
requires TypedOperands<X, Y, Z>
auto where(const X& condition, const Y& x, const Z& y, Where at = Where::current()) {
  return build<Select>(at, condition, x, y);
}

}  // namespace sinter::inline SINTER_ABI
