#pragma once
// The operators of tensors. They are for user code; inside sinter, call the functions and pass
// `where` on, so that an error names the user's line and never one of ours.

#include <utility>  // std::move

#include <sinter/trace/elementwise.hpp>

namespace sinter::inline SINTER_ABI {

inline Tensor operator+(Operand lhs, Operand rhs) { return add(std::move(lhs), std::move(rhs)); }
inline Tensor operator-(Operand lhs, Operand rhs) { return sub(std::move(lhs), std::move(rhs)); }
inline Tensor operator*(Operand lhs, Operand rhs) { return mul(std::move(lhs), std::move(rhs)); }
inline Tensor operator/(Operand lhs, Operand rhs) { return div(std::move(lhs), std::move(rhs)); }
inline Tensor operator%(Operand lhs, Operand rhs) {
  return remainder(std::move(lhs), std::move(rhs));
}
inline Tensor operator&(Operand lhs, Operand rhs) {
  return bitwise_and(std::move(lhs), std::move(rhs));
}
inline Tensor operator|(Operand lhs, Operand rhs) {
  return bitwise_or(std::move(lhs), std::move(rhs));
}
inline Tensor operator^(Operand lhs, Operand rhs) {
  return bitwise_xor(std::move(lhs), std::move(rhs));
}
inline Tensor operator==(Operand lhs, Operand rhs) { return eq(std::move(lhs), std::move(rhs)); }
inline Tensor operator!=(Operand lhs, Operand rhs) { return ne(std::move(lhs), std::move(rhs)); }
inline Tensor operator<(Operand lhs, Operand rhs) { return lt(std::move(lhs), std::move(rhs)); }
inline Tensor operator<=(Operand lhs, Operand rhs) { return le(std::move(lhs), std::move(rhs)); }
inline Tensor operator>(Operand lhs, Operand rhs) { return gt(std::move(lhs), std::move(rhs)); }
inline Tensor operator>=(Operand lhs, Operand rhs) { return ge(std::move(lhs), std::move(rhs)); }

// These take no Operand, which would fit a typed expression as well as its own operator does.
inline Tensor operator-(Located<Tensor> x) { return neg({x.value, x.where}); }
inline Tensor operator~(Located<Tensor> x) { return bitwise_not({x.value, x.where}); }
inline Tensor operator-(Located<Scalar> x) { return neg({x.value, x.where}); }

inline Tensor& Tensor::operator+=(Operand other) & {
  return *this = add({*this, other.where}, other);
}
inline Tensor& Tensor::operator-=(Operand other) & {
  return *this = sub({*this, other.where}, other);
}
inline Tensor& Tensor::operator*=(Operand other) & {
  return *this = mul({*this, other.where}, other);
}
inline Tensor& Tensor::operator/=(Operand other) & {
  return *this = div({*this, other.where}, other);
}

// The scalar is strong here, so that its dtype stays beside a number.
inline Scalar& Scalar::operator+=(Operand other) {
  return *this = Scalar(add({value_, other.where}, other), other.where);
}
inline Scalar& Scalar::operator-=(Operand other) {
  return *this = Scalar(sub({value_, other.where}, other), other.where);
}
inline Scalar& Scalar::operator*=(Operand other) {
  return *this = Scalar(mul({value_, other.where}, other), other.where);
}
inline Scalar& Scalar::operator/=(Operand other) {
  return *this = Scalar(div({value_, other.where}, other), other.where);
}

}  // namespace sinter::inline SINTER_ABI
