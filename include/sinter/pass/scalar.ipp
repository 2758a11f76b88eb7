#pragma once

#include <cmath>  // std::exp

#include <sinter/base/error.hpp>
#include <sinter/pass/scalar.hpp>

namespace sinter::inline SINTER_ABI::detail::pass {

namespace detail {

template <class T>
bool compare(Op op, T x, T y) {
  switch (op) {
    case Op::eq:
      return x == y;
    case Op::ne:
      return x != y;
    case Op::lt:
      return x < y;
    case Op::le:
      return x <= y;
    case Op::gt:
      return x > y;
    default:
      return x >= y;
  }
}

template <class T>
T floating_remainder(T x, T y) {
  const T rest = std::fmod(x, y);
  return rest != 0 && (y < 0) != (rest < 0) ? rest + y : rest;
}

// As torch: the quotient that the remainder belongs to.
template <class T>
T floating_floor_divide(T x, T y) {
  if (y == 0) return x / y;
  const T rest = std::fmod(x, y);
  const T quotient = (x - rest) / y - T(rest != 0 && (y < 0) != (rest < 0) ? 1 : 0);
  if (quotient == 0) return std::copysign(T(0), x / y);
  const T rounded = std::floor(quotient);
  return quotient - rounded > T(0.5) ? rounded + 1 : rounded;
}

template <class T>
T floating_unary(Op op, T x) {
  switch (op) {
    case Op::neg:
      return -x;
    case Op::abs:
      return std::fabs(x);
    case Op::sign:
      return x != x ? x : T((x > 0) - (x < 0));
    case Op::exp:
      return std::exp(x);
    case Op::expm1:
      return std::expm1(x);
    case Op::log:
      return std::log(x);
    case Op::log1p:
      return std::log1p(x);
    case Op::sin:
      return std::sin(x);
    case Op::cos:
      return std::cos(x);
    case Op::tan:
      return std::tan(x);
    case Op::tanh:
      return std::tanh(x);
    case Op::atan:
      return std::atan(x);
    case Op::erf:
      return std::erf(x);
    case Op::sqrt:
      return std::sqrt(x);
    case Op::floor:
      return std::floor(x);
    default:
      throw InternalError(text("no number for ", op));
  }
}

template <class T>
T floating_binary(Op op, T x, T y) {
  switch (op) {
    case Op::add:
      return x + y;
    case Op::sub:
      return x - y;
    case Op::mul:
      return x * y;
    case Op::div:
      return x / y;
    case Op::floor_divide:
      return floating_floor_divide(x, y);
    case Op::remainder:
      return floating_remainder(x, y);
    case Op::pow:
      return std::pow(x, y);
    case Op::minimum:
      return x < y || x != x ? x : y;
    case Op::maximum:
      return x > y || x != x ? x : y;
    default:
      throw InternalError(text("no number for ", op));
  }
}

SINTER_INLINE std::uint64_t integral_unary(Op op, std::int64_t x, DType dtype) {
  const auto wrapping = static_cast<std::uint64_t>(x);
  switch (op) {
    case Op::neg:
      return 0 - wrapping;
    case Op::abs:
      return x < 0 ? 0 - wrapping : wrapping;
    case Op::sign:
      return static_cast<std::uint64_t>((x > 0) - (x < 0));
    case Op::bitwise_not:
      return dtype == boolean ? wrapping ^ 1 : ~wrapping;
    default:
      throw InternalError(text("no number for ", op));
  }
}

// `y` is not 0. The quotient of the least number and -1 wraps.
SINTER_INLINE std::uint64_t integral_division(Op op, std::int64_t x, std::int64_t y) {
  if (y == -1) return op == Op::remainder ? 0 : 0 - static_cast<std::uint64_t>(x);
  const std::int64_t rest = x % y;
  const bool rounds_down = rest != 0 && (rest < 0) != (y < 0);
  if (op == Op::remainder) return static_cast<std::uint64_t>(rounds_down ? rest + y : rest);
  return static_cast<std::uint64_t>(x / y - (rounds_down ? 1 : 0));
}

// What is shifted by its width or more, or by a negative number, is shifted out.
SINTER_INLINE std::uint64_t shift(Op op, std::int64_t x, std::int64_t by, DType dtype) {
  const std::int64_t bits = dtype == boolean ? 1 : static_cast<std::int64_t>(8 * info(dtype).size);
  const bool inside = by >= 0 && by < bits;
  if (op == Op::shift_left) return inside ? static_cast<std::uint64_t>(x) << by : 0;
  return static_cast<std::uint64_t>(x >> (inside ? by : 63));
}

SINTER_INLINE std::uint64_t integral_binary(Op op, std::int64_t x, std::int64_t y, DType dtype) {
  const auto a = static_cast<std::uint64_t>(x), b = static_cast<std::uint64_t>(y);
  switch (op) {
    case Op::add:
      return a + b;
    case Op::sub:
      return a - b;
    case Op::mul:
      return a * b;
    case Op::floor_divide:
    case Op::remainder:
      return integral_division(op, x, y);
    case Op::minimum:
      return x < y ? a : b;
    case Op::maximum:
      return x > y ? a : b;
    case Op::bitwise_and:
      return a & b;
    case Op::bitwise_or:
      return a | b;
    case Op::bitwise_xor:
      return a ^ b;
    default:
      return shift(op, x, y, dtype);
  }
}

template <class T>
Constant compute_floating(Op op, std::span<const Constant> operands, DType result) {
  const T x = static_cast<T>(operands[0].floating());
  if (operands.size() == 1) return constant(floating_unary(op, x), result);
  const T y = static_cast<T>(operands[1].floating());
  if (info(op).gives == Gives::boolean) return constant(compare(op, x, y), boolean);
  return constant(floating_binary(op, x, y), result);
}

SINTER_INLINE Constant compute_integral(Op op, std::span<const Constant> operands, DType result) {
  const std::int64_t x = operands[0].integer(), y = operands.back().integer();
  if (info(op).gives == Gives::boolean) return constant(compare(op, x, y), boolean);
  const DType dtype = operands[0].dtype;
  const std::uint64_t wrapping =
      operands.size() == 1 ? integral_unary(op, x, dtype) : integral_binary(op, x, y, dtype);
  return constant(static_cast<std::int64_t>(wrapping), result);
}

}  // namespace detail

SINTER_INLINE std::optional<Constant> compute(Op op, std::span<const Constant> operands,
                                              DType result) {
  if (op == Op::cast) return cast(operands[0], result);
  if (op == Op::select) return operands[operands[0].integer() != 0 ? 1 : 2];
  const DType dtype = computed_in(operands[0].dtype);
  if (dtype == f64) return detail::compute_floating<double>(op, operands, result);
  if (dtype == f32) return detail::compute_floating<float>(op, operands, result);
  const bool divides = op == Op::floor_divide || op == Op::remainder;
  if (divides && operands[1].integer() == 0) return {};
  return detail::compute_integral(op, operands, result);
}

}  // namespace sinter::inline SINTER_ABI::detail::pass
