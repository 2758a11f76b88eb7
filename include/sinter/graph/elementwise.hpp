#pragma once
// The definition of each elementwise operation on one element, in C++: what the interpreter and the
// folding of constants compute, and what kernels are compared with.

#include <cmath>        // std::exp
#include <cstdint>      // std::int64_t
#include <type_traits>  // std::is_floating_point_v, std::make_unsigned_t

#include <sinter/base/error.hpp>
#include <sinter/graph/op.hpp>

namespace sinter::inline SINTER_ABI::detail {

namespace definition {

template <class T>
T remainder(T x, T y) {
  if constexpr (std::is_floating_point_v<T>) {
    const T rest = std::fmod(x, y);
    return rest != 0 && (y < 0) != (rest < 0) ? rest + y : rest;
  } else {
    if (y == -1) return 0;  // x % y overflows for the lowest number
    const T rest = x % y;
    return rest != 0 && (y < 0) != (rest < 0) ? rest + y : rest;
  }
}

template <class T>
T floor_divide(T x, T y) {
  if constexpr (std::is_floating_point_v<T>) {  // like torch: consistent with remainder
    if (y == 0) return x / y;
    const T rest = std::fmod(x, y);
    const T quotient = (x - rest) / y - T(rest != 0 && (y < 0) != (rest < 0) ? 1 : 0);
    if (quotient == 0) return std::copysign(T(0), x / y);
    const T rounded = std::floor(quotient);
    return quotient - rounded > T(0.5) ? rounded + 1 : rounded;
  } else {
    using Wrapping = std::make_unsigned_t<T>;
    if (y == -1) return static_cast<T>(0 - static_cast<Wrapping>(x));  // also for the lowest number
    return static_cast<T>(x / y - (x % y != 0 && (x < 0) != (y < 0) ? 1 : 0));
  }
}

}  // namespace definition

/// Calls `visit` with the function `op`, a comparison, of two elements of type T.
template <class T, class Visit>
auto visit_comparison(Op op, const Visit& visit) {
  switch (op) {
    case Op::eq:
      return visit([](T x, T y) { return x == y; });
    case Op::ne:
      return visit([](T x, T y) { return x != y; });
    case Op::lt:
      return visit([](T x, T y) { return x < y; });
    case Op::le:
      return visit([](T x, T y) { return x <= y; });
    case Op::gt:
      return visit([](T x, T y) { return x > y; });
    case Op::ge:
      return visit([](T x, T y) { return x >= y; });
    default:
      throw InternalError(text("graph/elementwise.hpp: ", op, " is no comparison"));
  }
}

/// Calls `visit` with the function `op` of one element of type T, float or double.
template <class T, class Visit>
auto visit_floating_unary(Op op, const Visit& visit) {
  switch (op) {
    case Op::neg:
      return visit([](T x) { return -x; });
    case Op::abs:
      return visit([](T x) { return std::fabs(x); });
    case Op::sign:
      return visit([](T x) { return x != x ? x : T((x > 0) - (x < 0)); });
    case Op::exp:
      return visit([](T x) { return std::exp(x); });
    case Op::expm1:
      return visit([](T x) { return std::expm1(x); });
    case Op::log:
      return visit([](T x) { return std::log(x); });
    case Op::log1p:
      return visit([](T x) { return std::log1p(x); });
    case Op::sin:
      return visit([](T x) { return std::sin(x); });
    case Op::cos:
      return visit([](T x) { return std::cos(x); });
    case Op::tan:
      return visit([](T x) { return std::tan(x); });
    case Op::tanh:
      return visit([](T x) { return std::tanh(x); });
    case Op::atan:
      return visit([](T x) { return std::atan(x); });
    case Op::erf:
      return visit([](T x) { return std::erf(x); });
    case Op::sqrt:
      return visit([](T x) { return std::sqrt(x); });
    case Op::floor:
      return visit([](T x) { return std::floor(x); });
    default:
      throw InternalError(text("graph/elementwise.hpp: no definition of ", op));
  }
}

/// The same of two elements.
template <class T, class Visit>
auto visit_floating_binary(Op op, const Visit& visit) {
  switch (op) {
    case Op::add:
      return visit([](T x, T y) { return x + y; });
    case Op::sub:
      return visit([](T x, T y) { return x - y; });
    case Op::mul:
      return visit([](T x, T y) { return x * y; });
    case Op::div:
      return visit([](T x, T y) { return x / y; });
    case Op::floor_divide:
      return visit([](T x, T y) { return definition::floor_divide(x, y); });
    case Op::remainder:
      return visit([](T x, T y) { return definition::remainder(x, y); });
    case Op::pow:
      return visit([](T x, T y) { return std::pow(x, y); });
    case Op::minimum:
      return visit([](T x, T y) { return x < y || x != x ? x : y; });
    case Op::maximum:
      return visit([](T x, T y) { return x > y || x != x ? x : y; });
    default:
      throw InternalError(text("graph/elementwise.hpp: no definition of ", op));
  }
}

/// Calls `visit` with the function `op` of one element of type T, i32 or i64, which computes a
/// dtype of `bits` bits: 1 for booleans. Integers are computed without sign, where overflow is
/// defined to wrap; the caller narrows the result.
template <class T, class Visit>
auto visit_integral_unary(Op op, int bits, const Visit& visit) {
  using Wrapping = std::make_unsigned_t<T>;
  switch (op) {
    case Op::neg:
      return visit([](T x) { return Wrapping(0) - Wrapping(x); });
    case Op::abs:
      return visit([](T x) { return x < 0 ? Wrapping(0) - Wrapping(x) : Wrapping(x); });
    case Op::sign:
      return visit([](T x) { return (x > 0) - (x < 0); });
    case Op::bitwise_not:
      return visit([bits](T x) { return bits == 1 ? x ^ 1 : ~x; });
    default:
      throw InternalError(text("graph/elementwise.hpp: no definition of ", op, " for integers"));
  }
}

/// The same of two elements. A divisor is not 0. What is shifted by its width or more, or by a
/// negative number, is shifted out.
template <class T, class Visit>
auto visit_integral_binary(Op op, int bits, const Visit& visit) {
  using Wrapping = std::make_unsigned_t<T>;
  const auto is_inside = [bits](T by) { return by >= 0 && by < bits; };
  switch (op) {
    case Op::add:
      return visit([](T x, T y) { return Wrapping(x) + Wrapping(y); });
    case Op::sub:
      return visit([](T x, T y) { return Wrapping(x) - Wrapping(y); });
    case Op::mul:
      return visit([](T x, T y) { return Wrapping(x) * Wrapping(y); });
    case Op::floor_divide:
      return visit([](T x, T y) { return definition::floor_divide(x, y); });
    case Op::remainder:
      return visit([](T x, T y) { return definition::remainder(x, y); });
    case Op::minimum:
      return visit([](T x, T y) { return x < y ? x : y; });
    case Op::maximum:
      return visit([](T x, T y) { return x > y ? x : y; });
    case Op::bitwise_and:
      return visit([](T x, T y) { return x & y; });
    case Op::bitwise_or:
      return visit([](T x, T y) { return x | y; });
    case Op::bitwise_xor:
      return visit([](T x, T y) { return x ^ y; });
    case Op::shift_left:
      return visit([=](T x, T y) { return is_inside(y) ? Wrapping(x) << y : 0; });
    case Op::shift_right:
      return visit([=](T x, T y) { return x >> (is_inside(y) ? y : T(sizeof(T) * 8 - 1)); });
    default:
      throw InternalError(text("graph/elementwise.hpp: no definition of ", op, " for integers"));
  }
}

}  // namespace sinter::inline SINTER_ABI::detail
