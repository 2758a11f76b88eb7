#pragma once
// The primitive elementwise operations: arithmetic, comparisons, bit operations, unary functions.

#include <string_view>  // std::string_view

#include <sinter/base/container/optional.hpp>
#include <sinter/base/container/span.hpp>
#include <sinter/config.hpp>
#include <sinter/trace/core/tensor.hpp>

namespace sinter::inline SINTER_ABI {

namespace detail {

/// Records `op` on the operands.
///
/// Shapes   broadcast as in NumPy
/// DTypes   promoted as in torch; operations on floating numbers take integers as f32
/// Throws   ShapeError if the shapes do not broadcast; DTypeError if `op` does not take the dtype
/// Source   https://numpy.org/doc/stable/user/basics.broadcasting.html
Tensor elementwise(Op op, const Operand& x);
Tensor elementwise(Op op, const Operand& lhs, const Operand& rhs);

/// The broadcast shape of the operands. Throws ShapeError in the name of `op`.
Shape broadcast_shapes(std::string_view op, Span<const Operand> operands);

/// The extent to which two extents broadcast; nothing if they do not. For symbolic sizes, the
/// recording assumes the answer.
Optional<Extent> meet(Extent a, Extent b, Where where);

/// Throws as broadcast_shapes does, in the name of a function that consists of several operations.
void require_broadcast(std::string_view op, const Operand& lhs, const Operand& rhs);

/// Throws DTypeError for integer tensors, where `op` does not convert them to f32; plain numbers
/// are allowed.
void require_floating(std::string_view op, const Operand& x);

/// `x` cast and broadcast to `type`.
Tensor convert(const Operand& x, const TensorType& type, Where where);

}  // namespace detail

inline Tensor add(Operand lhs, Operand rhs) {
  return detail::elementwise(detail::Op::add, lhs, rhs);
}
inline Tensor sub(Operand lhs, Operand rhs) {
  return detail::elementwise(detail::Op::sub, lhs, rhs);
}
inline Tensor mul(Operand lhs, Operand rhs) {
  return detail::elementwise(detail::Op::mul, lhs, rhs);
}
/// lhs / rhs; of integers, in f32.
inline Tensor div(Operand lhs, Operand rhs) {
  return detail::elementwise(detail::Op::div, lhs, rhs);
}
/// lhs / rhs rounded down, in the dtype of the operands.
inline Tensor floor_divide(Operand lhs, Operand rhs) {
  return detail::elementwise(detail::Op::floor_divide, lhs, rhs);
}
/// lhs - rhs * floor(lhs / rhs), which has the sign of rhs.
inline Tensor remainder(Operand lhs, Operand rhs) {
  return detail::elementwise(detail::Op::remainder, lhs, rhs);
}
/// The minimum; NaN if an operand is NaN.
inline Tensor minimum(Operand lhs, Operand rhs) {
  return detail::elementwise(detail::Op::minimum, lhs, rhs);
}
/// The maximum; NaN if an operand is NaN.
inline Tensor maximum(Operand lhs, Operand rhs) {
  return detail::elementwise(detail::Op::maximum, lhs, rhs);
}
inline Tensor bitwise_and(Operand lhs, Operand rhs) {
  return detail::elementwise(detail::Op::bitwise_and, lhs, rhs);
}
inline Tensor bitwise_or(Operand lhs, Operand rhs) {
  return detail::elementwise(detail::Op::bitwise_or, lhs, rhs);
}
inline Tensor bitwise_xor(Operand lhs, Operand rhs) {
  return detail::elementwise(detail::Op::bitwise_xor, lhs, rhs);
}
inline Tensor bitwise_not(Operand x) { return detail::elementwise(detail::Op::bitwise_not, x); }
inline Tensor shift_left(Operand lhs, Operand rhs) {
  return detail::elementwise(detail::Op::shift_left, lhs, rhs);
}
inline Tensor shift_right(Operand lhs, Operand rhs) {
  return detail::elementwise(detail::Op::shift_right, lhs, rhs);
}
inline Tensor eq(Operand lhs, Operand rhs) { return detail::elementwise(detail::Op::eq, lhs, rhs); }
inline Tensor ne(Operand lhs, Operand rhs) { return detail::elementwise(detail::Op::ne, lhs, rhs); }
inline Tensor lt(Operand lhs, Operand rhs) { return detail::elementwise(detail::Op::lt, lhs, rhs); }
inline Tensor le(Operand lhs, Operand rhs) { return detail::elementwise(detail::Op::le, lhs, rhs); }
inline Tensor gt(Operand lhs, Operand rhs) { return detail::elementwise(detail::Op::gt, lhs, rhs); }
inline Tensor ge(Operand lhs, Operand rhs) { return detail::elementwise(detail::Op::ge, lhs, rhs); }

inline Tensor neg(Operand x) { return detail::elementwise(detail::Op::neg, x); }
inline Tensor abs(Operand x) { return detail::elementwise(detail::Op::abs, x); }
/// -1, 0 or 1; NaN of NaN.
inline Tensor sign(Operand x) { return detail::elementwise(detail::Op::sign, x); }
inline Tensor exp(Operand x) { return detail::elementwise(detail::Op::exp, x); }
/// exp(x) - 1, accurate for small x.
inline Tensor expm1(Operand x) { return detail::elementwise(detail::Op::expm1, x); }
inline Tensor log(Operand x) { return detail::elementwise(detail::Op::log, x); }
/// log(1 + x), accurate for small x.
inline Tensor log1p(Operand x) { return detail::elementwise(detail::Op::log1p, x); }
inline Tensor sin(Operand x) { return detail::elementwise(detail::Op::sin, x); }
inline Tensor cos(Operand x) { return detail::elementwise(detail::Op::cos, x); }
inline Tensor tanh(Operand x) { return detail::elementwise(detail::Op::tanh, x); }
inline Tensor atan(Operand x) { return detail::elementwise(detail::Op::atan, x); }
inline Tensor erf(Operand x) { return detail::elementwise(detail::Op::erf, x); }
inline Tensor sqrt(Operand x) { return detail::elementwise(detail::Op::sqrt, x); }
/// x where `condition` is not 0, else y.
Tensor where(Operand condition, Operand x, Operand y);

}  // namespace sinter::inline SINTER_ABI

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/ops/elementwise/primitive.ipp>
#endif
