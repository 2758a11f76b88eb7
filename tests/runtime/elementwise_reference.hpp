#pragma once
// References of elementwise operations for single elements, written from their definitions.

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <sinter/graph/op.hpp>

#include "../operations.hpp"
#include "arrays.hpp"

namespace elementwise_reference {

using arrays::floating;
using sinter::detail::Op;

__extension__ using Wide = __int128;  // holds every sum, difference and product of 64-bit integers

// An integer as an element: it wraps, and every number but 0 is true.
template <class T>
T wrapped(Wide value) {
  if (std::is_same_v<T, bool>) return T(value != 0);
  return static_cast<T>(static_cast<std::uint64_t>(value));
}

inline Wide product(Wide a, Wide b) {
  return static_cast<Wide>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
}

// In [0, b) for positive b, in (b, 0] for negative b.
inline Wide modulo(Wide a, Wide b) { return (a % b + b) % b; }

inline Wide shifted(Op op, Wide a, Wide b, int bits) {
  if (b < 0 || b >= bits) return op == Op::shift_right && a < 0 ? -1 : 0;
  const Wide power = Wide{1} << static_cast<int>(b);
  return op == Op::shift_left ? product(a, power) : (a - modulo(a, power)) / power;
}

template <class T>
T integer_result(Op op, T x, T y) {
  const Wide a = x, b = y;
  const bool is_bool = std::is_same_v<T, bool>;
  switch (op) {
    case Op::neg:
      return wrapped<T>(-a);
    case Op::abs:
      return wrapped<T>(a < 0 ? -a : a);
    case Op::sign:
      return wrapped<T>(a < 0 ? -1 : a > 0 ? 1 : 0);
    case Op::bitwise_not:
      return wrapped<T>(is_bool ? 1 - a : -a - 1);
    case Op::add:
      return wrapped<T>(a + b);
    case Op::sub:
      return wrapped<T>(a - b);
    case Op::mul:
      return wrapped<T>(product(a, b));
    case Op::floor_divide:
      return wrapped<T>((a - modulo(a, b)) / b);
    case Op::remainder:
      return wrapped<T>(modulo(a, b));
    case Op::minimum:
      return wrapped<T>(a < b ? a : b);
    case Op::maximum:
      return wrapped<T>(a < b ? b : a);
    case Op::bitwise_and:
      return wrapped<T>(a & b);
    case Op::bitwise_or:
      return wrapped<T>(a | b);
    case Op::bitwise_xor:
      return wrapped<T>(a ^ b);
    default:
      return wrapped<T>(shifted(op, a, b, is_bool ? 1 : static_cast<int>(sizeof(T) * 8)));
  }
}

template <class C>
C remainder_result(C x, C y) {
  if (std::isnan(x) || std::isnan(y) || y == 0 || std::isinf(x)) return C(NAN);
  const C rest = std::fmod(x, y);
  return rest != 0 && std::signbit(rest) != std::signbit(y) ? rest + y : rest;
}

// For the type in which a floating dtype is computed.
template <class C>
C floating_result(Op op, C x, C y) {
  const bool any_nan = std::isnan(x) || std::isnan(y);
  switch (op) {
    case Op::add:
      return x + y;
    case Op::sub:
      return x - y;
    case Op::mul:
      return x * y;
    case Op::div:
      return x / y;
    case Op::pow:
      return std::pow(x, y);
    case Op::minimum:
      return any_nan ? C(NAN) : y < x ? y : x;
    case Op::maximum:
      return any_nan ? C(NAN) : x < y ? y : x;
    case Op::remainder:
      return remainder_result(x, y);
    default:
      return operations::exact(op, x);
  }
}

template <class T>
T expected(Op op, T x, T y) {
  if constexpr (!floating<T>) return integer_result(op, x, y);
  if constexpr (std::is_same_v<T, double>) return floating_result(op, x, y);
  if constexpr (floating<T> && !std::is_same_v<T, double>) {
    return T(floating_result<float>(op, static_cast<float>(x), static_cast<float>(y)));
  }
}

template <class T>
bool expected_comparison(Op op, T x, T y) {
  using C = std::conditional_t<floating<T>, double, std::int64_t>;
  const C a = static_cast<C>(x), b = static_cast<C>(y);
  switch (op) {
    case Op::eq:
      return a == b;
    case Op::ne:
      return a != b;
    case Op::lt:
      return a < b;
    case Op::le:
      return a <= b;
    case Op::gt:
      return a > b;
    default:
      return a >= b;
  }
}

}  // namespace elementwise_reference
