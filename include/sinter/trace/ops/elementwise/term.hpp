#pragma once
// A value in an internal formula, with the user's source line: formulas can use operators, and
// their errors still name that line.

#include <concepts>  // std::same_as

#include <sinter/config.hpp>
#include <sinter/trace/core/cast.hpp>
#include <sinter/trace/ops/elementwise/primitive.hpp>

namespace sinter::inline SINTER_ABI::detail::formula {

struct Term : Operand {
  explicit Term(const Operand& operand) : Operand(operand) {}
  Term(const Tensor& tensor, Where at) : Operand(tensor, at) {}
  Term(Number auto number, Where at) : Operand(number, at) {}
};

inline Term apply(Op op, const Term& x) { return {elementwise(op, x), x.where}; }
inline Term apply(Op op, const Term& lhs, const Term& rhs) {
  return {elementwise(op, lhs, rhs), lhs.where};
}
Term apply(Op op, const Term& lhs, Number auto rhs) { return apply(op, lhs, Term(rhs, lhs.where)); }
Term apply(Op op, Number auto lhs, const Term& rhs) { return apply(op, Term(lhs, rhs.where), rhs); }

/// Two terms, or a term and a number.
template <class Lhs, class Rhs>
concept Terms = (std::same_as<Lhs, Term> ||
                 Number<Lhs>)&&(std::same_as<Rhs, Term> ||
                                Number<Rhs>)&&!(Number<Lhs> && Number<Rhs>);

template <class Lhs, class Rhs>
requires Terms<Lhs, Rhs> Term operator+(const Lhs& lhs, const Rhs& rhs) {
  return apply(Op::add, lhs, rhs);
}
template <class Lhs, class Rhs>
requires Terms<Lhs, Rhs> Term operator-(const Lhs& lhs, const Rhs& rhs) {
  return apply(Op::sub, lhs, rhs);
}
template <class Lhs, class Rhs>
requires Terms<Lhs, Rhs> Term operator*(const Lhs& lhs, const Rhs& rhs) {
  return apply(Op::mul, lhs, rhs);
}
template <class Lhs, class Rhs>
requires Terms<Lhs, Rhs> Term operator/(const Lhs& lhs, const Rhs& rhs) {
  return apply(Op::div, lhs, rhs);
}
template <class Lhs, class Rhs>
requires Terms<Lhs, Rhs> Term operator<(const Lhs& lhs, const Rhs& rhs) {
  return apply(Op::lt, lhs, rhs);
}
template <class Lhs, class Rhs>
requires Terms<Lhs, Rhs> Term operator<=(const Lhs& lhs, const Rhs& rhs) {
  return apply(Op::le, lhs, rhs);
}
template <class Lhs, class Rhs>
requires Terms<Lhs, Rhs> Term operator>(const Lhs& lhs, const Rhs& rhs) {
  return apply(Op::gt, lhs, rhs);
}
template <class Lhs, class Rhs>
requires Terms<Lhs, Rhs> Term operator>=(const Lhs& lhs, const Rhs& rhs) {
  return apply(Op::ge, lhs, rhs);
}
template <class Lhs, class Rhs>
requires Terms<Lhs, Rhs> Term operator==(const Lhs& lhs, const Rhs& rhs) {
  return apply(Op::eq, lhs, rhs);
}
template <class Lhs, class Rhs>
requires Terms<Lhs, Rhs> Term operator!=(const Lhs& lhs, const Rhs& rhs) {
  return apply(Op::ne, lhs, rhs);
}
inline Term operator&(const Term& lhs, const Term& rhs) { return apply(Op::bitwise_and, lhs, rhs); }
inline Term operator|(const Term& lhs, const Term& rhs) { return apply(Op::bitwise_or, lhs, rhs); }
inline Term operator~(const Term& x) { return apply(Op::bitwise_not, x); }
inline Term operator-(const Term& x) { return apply(Op::neg, x); }

inline Term abs(const Term& x) { return apply(Op::abs, x); }
inline Term exp(const Term& x) { return apply(Op::exp, x); }
inline Term expm1(const Term& x) { return apply(Op::expm1, x); }
inline Term log(const Term& x) { return apply(Op::log, x); }
inline Term log1p(const Term& x) { return apply(Op::log1p, x); }
inline Term sin(const Term& x) { return apply(Op::sin, x); }
inline Term cos(const Term& x) { return apply(Op::cos, x); }
inline Term tanh(const Term& x) { return apply(Op::tanh, x); }
inline Term atan(const Term& x) { return apply(Op::atan, x); }
inline Term erf(const Term& x) { return apply(Op::erf, x); }
inline Term sqrt(const Term& x) { return apply(Op::sqrt, x); }
inline Term floor(const Term& x) { return apply(Op::floor, x); }

/// x where the condition holds, else y.
inline Term choose(const Term& condition, const Term& x, const Term& y) {
  return {where(condition, x, y), condition.where};
}
Term choose(const Term& condition, Number auto x, const Term& y) {
  return choose(condition, Term(x, condition.where), y);
}
Term choose(const Term& condition, const Term& x, Number auto y) {
  return choose(condition, x, Term(y, condition.where));
}

/// Selects one of two numbers, in f32.
Term choose(const Term& condition, Number auto x, Number auto y) {
  return choose(condition, Term(x, condition.where), Term(y, condition.where));
}
/// A constant in the dtype and shape of `x`.
inline Term number_like(const Term& x, double number) {
  return {convert({number, x.where}, {x.type().dtype, x.shape()}, x.where), x.where};
}

/// The floating result dtype for operands of this type: f32 for integers and for plain numbers.
constexpr DType floating_result(OperandType type) {
  return !is_floating(type.dtype) || (type.weak && type.dtype == f64) ? f32 : type.dtype;
}

/// An operand of a formula, converted to `dtype`.
inline Term term_of(const Operand& x, DType dtype, Where at) {
  return {convert(x, {dtype, x.shape()}, at), at};
}

/// `formula` of floating terms; for 16-bit dtypes it is computed in f32 and rounded once.
template <class Formula>
Tensor compute(const Operand& x, const Formula& formula) {
  const DType dtype = floating_result(x.type());
  return cast(formula(term_of(x, computed_in(dtype), x.where)), dtype);
}
template <class Formula>
Tensor compute(const Operand& x, const Operand& y, const Formula& formula) {
  const DType dtype = floating_result(promote(x.type(), y.type())), wide = computed_in(dtype);
  return cast(formula(term_of(x, wide, x.where), term_of(y, wide, x.where)), dtype);
}

}  // namespace sinter::inline SINTER_ABI::detail::formula
