#pragma once
// The operators of tensors. They are for user code; inside sinter, call the functions and pass
// `where` on, so that an error names the user's line and never one of ours.

#include <sinter/trace/elementwise.hpp>

namespace sinter::inline SINTER_ABI {

inline Tensor operator+(Operand lhs, Operand rhs) { return add(lhs, rhs); }
inline Tensor operator-(Operand lhs, Operand rhs) { return sub(lhs, rhs); }
inline Tensor operator*(Operand lhs, Operand rhs) { return mul(lhs, rhs); }
inline Tensor operator/(Operand lhs, Operand rhs) { return div(lhs, rhs); }
inline Tensor operator%(Operand lhs, Operand rhs) { return remainder(lhs, rhs); }
inline Tensor operator&(Operand lhs, Operand rhs) { return bitwise_and(lhs, rhs); }
inline Tensor operator|(Operand lhs, Operand rhs) { return bitwise_or(lhs, rhs); }
inline Tensor operator^(Operand lhs, Operand rhs) { return bitwise_xor(lhs, rhs); }
inline Tensor operator==(Operand lhs, Operand rhs) { return eq(lhs, rhs); }
inline Tensor operator!=(Operand lhs, Operand rhs) { return ne(lhs, rhs); }
inline Tensor operator<(Operand lhs, Operand rhs) { return lt(lhs, rhs); }
inline Tensor operator<=(Operand lhs, Operand rhs) { return le(lhs, rhs); }
inline Tensor operator>(Operand lhs, Operand rhs) { return gt(lhs, rhs); }
inline Tensor operator>=(Operand lhs, Operand rhs) { return ge(lhs, rhs); }

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
