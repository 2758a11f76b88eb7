#pragma once
// Expressions of functions: of the primitive ones, and what other headers write theirs with.

#include <utility>  // std::move

#include <sinter/config.hpp>
#include <sinter/trace/ops/elementwise/primitive.hpp>
#include <sinter/trace/ops/typed/tensor.hpp>

namespace sinter::inline SINTER_ABI {

namespace detail::typed {

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

}  // namespace detail::typed

namespace detail {

template <Tensor (*function)(Operand), Takes takes, Gives gives = Gives::same>
using Unary = typed::Composite<function, takes, gives>;
template <Tensor (*function)(Operand, Operand), Takes takes, Gives gives = Gives::same>
using Binary = typed::Composite<function, takes, gives>;
template <Tensor (*function)(Operand, Operand, Operand), Takes takes>
using Ternary = typed::Composite<function, takes, Gives::same>;

/// The dtype of a function of floating numbers.
template <Expression E>
inline constexpr DType floating_type = computed_by(Takes::floating, E::type);

/// A tensor that is not part of an expression: its function has parameters or is not elementwise.
template <DType dtype, auto dims>
auto recorded_at_once(const Tensor& value, Where at) {
  return typename TypeOf<dtype, dims>::type(value, at);
}

}  // namespace detail

auto neg(detail::Expression auto x, Where at = Where::current()) {
  return detail::build<detail::typed::Primitive<detail::Op::neg>>(at, std::move(x));
}
auto abs(detail::Expression auto x, Where at = Where::current()) {
  return detail::build<detail::typed::Primitive<detail::Op::abs>>(at, std::move(x));
}
auto sign(detail::Expression auto x, Where at = Where::current()) {
  return detail::build<detail::typed::Primitive<detail::Op::sign>>(at, std::move(x));
}
auto exp(detail::Expression auto x, Where at = Where::current()) {
  return detail::build<detail::typed::Primitive<detail::Op::exp>>(at, std::move(x));
}
auto expm1(detail::Expression auto x, Where at = Where::current()) {
  return detail::build<detail::typed::Primitive<detail::Op::expm1>>(at, std::move(x));
}
auto log(detail::Expression auto x, Where at = Where::current()) {
  return detail::build<detail::typed::Primitive<detail::Op::log>>(at, std::move(x));
}
auto log1p(detail::Expression auto x, Where at = Where::current()) {
  return detail::build<detail::typed::Primitive<detail::Op::log1p>>(at, std::move(x));
}
auto sin(detail::Expression auto x, Where at = Where::current()) {
  return detail::build<detail::typed::Primitive<detail::Op::sin>>(at, std::move(x));
}
auto cos(detail::Expression auto x, Where at = Where::current()) {
  return detail::build<detail::typed::Primitive<detail::Op::cos>>(at, std::move(x));
}
auto tanh(detail::Expression auto x, Where at = Where::current()) {
  return detail::build<detail::typed::Primitive<detail::Op::tanh>>(at, std::move(x));
}
auto atan(detail::Expression auto x, Where at = Where::current()) {
  return detail::build<detail::typed::Primitive<detail::Op::atan>>(at, std::move(x));
}
auto erf(detail::Expression auto x, Where at = Where::current()) {
  return detail::build<detail::typed::Primitive<detail::Op::erf>>(at, std::move(x));
}
auto sqrt(detail::Expression auto x, Where at = Where::current()) {
  return detail::build<detail::typed::Primitive<detail::Op::sqrt>>(at, std::move(x));
}

template <class X, class Y>
requires detail::TypedOperands<X, Y>
auto minimum(const X& x, const Y& y, Where at = Where::current()) {
  return detail::build<detail::typed::Primitive<detail::Op::minimum>>(at, x, y);
}
template <class X, class Y>
requires detail::TypedOperands<X, Y>
auto maximum(const X& x, const Y& y, Where at = Where::current()) {
  return detail::build<detail::typed::Primitive<detail::Op::maximum>>(at, x, y);
}
template <class X, class Y>
requires detail::TypedOperands<X, Y>
auto floor_divide(const X& x, const Y& y, Where at = Where::current()) {
  return detail::build<detail::typed::Primitive<detail::Op::floor_divide>>(at, x, y);
}
template <class X, class Y>
requires detail::TypedOperands<X, Y>
auto remainder(const X& x, const Y& y, Where at = Where::current()) {
  return detail::build<detail::typed::Primitive<detail::Op::remainder>>(at, x, y);
}
template <class X, class Y>
requires detail::TypedOperands<X, Y>
auto shift_left(const X& x, const Y& y, Where at = Where::current()) {
  return detail::build<detail::typed::Primitive<detail::Op::shift_left>>(at, x, y);
}
template <class X, class Y>
requires detail::TypedOperands<X, Y>
auto shift_right(const X& x, const Y& y, Where at = Where::current()) {
  return detail::build<detail::typed::Primitive<detail::Op::shift_right>>(at, x, y);
}
template <class X, class Y, class Z>
requires detail::TypedOperands<X, Y, Z>
auto where(const X& condition, const Y& x, const Z& y, Where at = Where::current()) {
  return detail::build<detail::typed::Select>(at, condition, x, y);
}

}  // namespace sinter::inline SINTER_ABI
