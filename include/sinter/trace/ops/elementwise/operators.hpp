#pragma once
// The operators of tensors. They are for user code; inside sinter, call the functions and pass
// `where` on, so that errors name the user's line.

#include <concepts>     // std::convertible_to, std::same_as
#include <type_traits>  // std::is_enum_v
#include <utility>      // std::move

#include <sinter/trace/ops/elementwise/elementwise.hpp>

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

namespace detail {

/// An operand of an elementwise comparison. Excludes sizes: two sizes compare to a bool.
struct Compared : Operand {
  template <class T>
  requires(!std::is_enum_v<T> && !std::same_as<T, Extent> && std::convertible_to<const T&, Operand>)
      Compared(const T& given, Where at = Where::current())
      : Operand(given, at) {}
  Compared(const Operand& operand) : Operand(operand) {}
};
/// An operand that is compared elementwise with a size: neither a size nor a number.
struct ComparedWithSize : Operand {
  template <class T>
  requires(!std::is_enum_v<T> && !std::same_as<T, Extent> && !Number<T> &&
           std::convertible_to<const T&, Operand>)
      ComparedWithSize(const T& given, Where at = Where::current())
      : Operand(given, at) {}
};

template <class T>
concept Size = std::same_as<T, Extent>;

}  // namespace detail

inline Tensor operator==(detail::Compared lhs, detail::Compared rhs) { return eq(lhs, rhs); }
inline Tensor operator!=(detail::Compared lhs, detail::Compared rhs) { return ne(lhs, rhs); }
inline Tensor operator<(detail::Compared lhs, detail::Compared rhs) { return lt(lhs, rhs); }
inline Tensor operator<=(detail::Compared lhs, detail::Compared rhs) { return le(lhs, rhs); }
inline Tensor operator>(detail::Compared lhs, detail::Compared rhs) { return gt(lhs, rhs); }
inline Tensor operator>=(detail::Compared lhs, detail::Compared rhs) { return ge(lhs, rhs); }

inline Tensor operator==(detail::ComparedWithSize lhs, const detail::Size auto& rhs) {
  return eq(lhs, {rhs, lhs.where});
}
inline Tensor operator!=(detail::ComparedWithSize lhs, const detail::Size auto& rhs) {
  return ne(lhs, {rhs, lhs.where});
}
inline Tensor operator<(detail::ComparedWithSize lhs, const detail::Size auto& rhs) {
  return lt(lhs, {rhs, lhs.where});
}
inline Tensor operator<=(detail::ComparedWithSize lhs, const detail::Size auto& rhs) {
  return le(lhs, {rhs, lhs.where});
}
inline Tensor operator>(detail::ComparedWithSize lhs, const detail::Size auto& rhs) {
  return gt(lhs, {rhs, lhs.where});
}
inline Tensor operator>=(detail::ComparedWithSize lhs, const detail::Size auto& rhs) {
  return ge(lhs, {rhs, lhs.where});
}

inline Tensor operator==(const detail::Size auto& lhs, detail::ComparedWithSize rhs) {
  return eq({lhs, rhs.where}, rhs);
}
inline Tensor operator!=(const detail::Size auto& lhs, detail::ComparedWithSize rhs) {
  return ne({lhs, rhs.where}, rhs);
}
inline Tensor operator<(const detail::Size auto& lhs, detail::ComparedWithSize rhs) {
  return lt({lhs, rhs.where}, rhs);
}
inline Tensor operator<=(const detail::Size auto& lhs, detail::ComparedWithSize rhs) {
  return le({lhs, rhs.where}, rhs);
}
inline Tensor operator>(const detail::Size auto& lhs, detail::ComparedWithSize rhs) {
  return gt({lhs, rhs.where}, rhs);
}
inline Tensor operator>=(const detail::Size auto& lhs, detail::ComparedWithSize rhs) {
  return ge({lhs, rhs.where}, rhs);
}

// These do not take Operand, which would be ambiguous with the operators of typed expressions.
inline Tensor operator-(detail::Located<Tensor> x) { return neg({x.value, x.where}); }
inline Tensor operator~(detail::Located<Tensor> x) { return bitwise_not({x.value, x.where}); }
inline Tensor operator-(detail::Located<Scalar> x) { return neg({x.value, x.where}); }

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

// Makes the scalar strong, so that a number does not change its dtype.
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
