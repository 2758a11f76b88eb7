#pragma once
// The operators of typed tensors: they build expressions and note their line.

#include <concepts>  // std::convertible_to
#include <cstddef>   // std::size_t
#include <utility>   // std::move

#include <sinter/config.hpp>
#include <sinter/symbol/dim.hpp>
#include <sinter/trace/ops/elementwise/primitive.hpp>

namespace sinter::inline SINTER_ABI {

namespace detail {

/// A TensorOf, or an expression of elementwise operations that is not recorded yet.
template <class T>
concept Expression = requires {
  T::type.dtype;
  T::dims.size();
  T::leaves;
}
&&std::convertible_to<T, Tensor>;

template <class T>
concept TypedOperand = Expression<T> || Number<T>;

/// Operands of which at least one is typed, and none is an untyped tensor.
template <class... T>
concept TypedOperands = (TypedOperand<T> && ...) && (Expression<T> || ...);

/// The maximum number of leaves of an expression. Beyond that its operands are recorded first;
/// otherwise its size would double with each statement that uses the previous one twice.
inline constexpr std::size_t max_leaves = 8;

/// `Function` of the operands, not yet recorded.
template <class Function, TypedOperand... Operands>
auto build(Where where, Operands... operands);

// The dtype in which an operation that takes `takes` computes.
constexpr DType computed_by(Takes takes, auto... operands) {
  OperandType type;
  ((type = promote(type, operands)), ...);
  return takes == Takes::floating && !is_floating(type.dtype) ? f32 : type.dtype;
}

template <class Lhs, class Rhs>
Where where_of(const Lhs& lhs, const Rhs& rhs) {
  if constexpr (Expression<Lhs>) return lhs.where();
  if constexpr (!Expression<Lhs>) return rhs.where();
}

}  // namespace detail

namespace detail::typed {

/// A primitive operation, as the function of an expression.
template <Op op>
struct Primitive {
  static constexpr Takes takes = info(op).takes;
  static constexpr Gives gives = info(op).gives;
  static constexpr DType dtype(auto... operands) { return detail::computed_by(takes, operands...); }
  static Tensor record(auto... operands) { return elementwise(op, operands...); }
};

/// The operators of the expression E. One operand is not deduced, so it may be converted, and the
/// conversion notes where the operator was written; the other one is deduced.
template <class E>
struct TypedOperators {
  friend auto operator-(Located<E> x) {
    return build<Primitive<Op::neg>>(x.where, std::move(x.value));
  }
  friend auto operator~(Located<E> x) {
    return build<Primitive<Op::bitwise_not>>(x.where, std::move(x.value));
  }

  friend auto operator+(Located<E> x, TypedOperand auto y) {
    return build<Primitive<Op::add>>(x.where, std::move(x.value), std::move(y));
  }
  friend auto operator-(Located<E> x, TypedOperand auto y) {
    return build<Primitive<Op::sub>>(x.where, std::move(x.value), std::move(y));
  }
  friend auto operator*(Located<E> x, TypedOperand auto y) {
    return build<Primitive<Op::mul>>(x.where, std::move(x.value), std::move(y));
  }
  friend auto operator/(Located<E> x, TypedOperand auto y) {
    return build<Primitive<Op::div>>(x.where, std::move(x.value), std::move(y));
  }
  friend auto operator%(Located<E> x, TypedOperand auto y) {
    return build<Primitive<Op::remainder>>(x.where, std::move(x.value), std::move(y));
  }
  friend auto operator&(Located<E> x, TypedOperand auto y) {
    return build<Primitive<Op::bitwise_and>>(x.where, std::move(x.value), std::move(y));
  }
  friend auto operator|(Located<E> x, TypedOperand auto y) {
    return build<Primitive<Op::bitwise_or>>(x.where, std::move(x.value), std::move(y));
  }
  friend auto operator^(Located<E> x, TypedOperand auto y) {
    return build<Primitive<Op::bitwise_xor>>(x.where, std::move(x.value), std::move(y));
  }
  friend auto operator<(Located<E> x, TypedOperand auto y) {
    return build<Primitive<Op::lt>>(x.where, std::move(x.value), std::move(y));
  }
  friend auto operator<=(Located<E> x, TypedOperand auto y) {
    return build<Primitive<Op::le>>(x.where, std::move(x.value), std::move(y));
  }
  friend auto operator>(Located<E> x, TypedOperand auto y) {
    return build<Primitive<Op::gt>>(x.where, std::move(x.value), std::move(y));
  }
  friend auto operator>=(Located<E> x, TypedOperand auto y) {
    return build<Primitive<Op::ge>>(x.where, std::move(x.value), std::move(y));
  }

  friend auto operator+(Number auto x, Located<E> y) {
    return build<Primitive<Op::add>>(y.where, x, std::move(y.value));
  }
  friend auto operator-(Number auto x, Located<E> y) {
    return build<Primitive<Op::sub>>(y.where, x, std::move(y.value));
  }
  friend auto operator*(Number auto x, Located<E> y) {
    return build<Primitive<Op::mul>>(y.where, x, std::move(y.value));
  }
  friend auto operator/(Number auto x, Located<E> y) {
    return build<Primitive<Op::div>>(y.where, x, std::move(y.value));
  }
  friend auto operator%(Number auto x, Located<E> y) {
    return build<Primitive<Op::remainder>>(y.where, x, std::move(y.value));
  }
  friend auto operator<(Number auto x, Located<E> y) {
    return build<Primitive<Op::lt>>(y.where, x, std::move(y.value));
  }
  friend auto operator<=(Number auto x, Located<E> y) {
    return build<Primitive<Op::le>>(y.where, x, std::move(y.value));
  }
  friend auto operator>(Number auto x, Located<E> y) {
    return build<Primitive<Op::gt>>(y.where, x, std::move(y.value));
  }
  friend auto operator>=(Number auto x, Located<E> y) {
    return build<Primitive<Op::ge>>(y.where, x, std::move(y.value));
  }
};

}  // namespace detail::typed

// The compiler also tries y == x for x == y, so that both operands have to be deduced.
template <class Lhs, class Rhs>
requires detail::TypedOperands<Lhs, Rhs>
auto operator==(const Lhs& lhs, const Rhs& rhs) {
  return detail::build<detail::typed::Primitive<detail::Op::eq>>(detail::where_of(lhs, rhs), lhs,
                                                                 rhs);
}
template <class Lhs, class Rhs>
requires detail::TypedOperands<Lhs, Rhs>
auto operator!=(const Lhs& lhs, const Rhs& rhs) {
  return detail::build<detail::typed::Primitive<detail::Op::ne>>(detail::where_of(lhs, rhs), lhs,
                                                                 rhs);
}

}  // namespace sinter::inline SINTER_ABI
