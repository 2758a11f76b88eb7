#pragma once
// A reference for each elementwise operation, one number at a time: written from the table of
// operations, not from the code under test.

#include <algorithm>
#include <cmath>
#include <vector>

#include <sinter/base/constant.hpp>
#include <sinter/base/error.hpp>
#include <sinter/graph/op.hpp>

namespace kernels {

using namespace sinter;
using namespace sinter::detail;

inline double number(const Constant& c) {
  return is_floating(c.dtype) ? c.floating() : static_cast<double>(c.integer());
}

inline std::int64_t floor_division(std::int64_t a, std::int64_t b) {
  if (b == 0) return 0;
  if (b == -1) return static_cast<std::int64_t>(0 - static_cast<std::uint64_t>(a));
  return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

inline double floor_division(double a, double b) {
  if (b == 0) return a / b;
  const double rest = std::fmod(a, b);
  double quotient = (a - rest) / b;
  if (rest != 0 && (b < 0) != (rest < 0)) quotient -= 1;
  if (quotient == 0) return std::copysign(0.0, a / b);
  const double whole = std::floor(quotient);
  return quotient - whole > 0.5 ? whole + 1 : whole;
}

inline double floating_result(Op op, double a, double b) {
  switch (op) {
    case Op::neg:
      return -a;
    case Op::abs:
      return std::abs(a);
    case Op::sign:
      return a > 0 ? 1 : a < 0 ? -1 : a == 0 ? 0 : a;
    case Op::exp:
      return std::exp(a);
    case Op::expm1:
      return std::expm1(a);
    case Op::log:
      return std::log(a);
    case Op::log1p:
      return std::log1p(a);
    case Op::sin:
      return std::sin(a);
    case Op::cos:
      return std::cos(a);
    case Op::tan:
      return std::tan(a);
    case Op::tanh:
      return std::tanh(a);
    case Op::atan:
      return std::atan(a);
    case Op::erf:
      return std::erf(a);
    case Op::sqrt:
      return std::sqrt(a);
    case Op::floor:
      return std::floor(a);
    case Op::add:
      return a + b;
    case Op::sub:
      return a - b;
    case Op::mul:
      return a * b;
    case Op::div:
      return a / b;
    case Op::floor_divide:
      return floor_division(a, b);
    case Op::remainder: {
      const double rest = std::fmod(a, b);
      return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
    }
    case Op::pow:
      return std::pow(a, b);
    case Op::minimum:
      return std::isnan(a) || a < b ? a : b;
    case Op::maximum:
      return std::isnan(a) || a > b ? a : b;
    default:
      throw InternalError(text("evaluate: ", op));
  }
}

inline std::int64_t integer_result(Op op, std::int64_t a, std::int64_t b, int bits) {
  const auto wrapped = [](std::uint64_t x) { return static_cast<std::int64_t>(x); };
  const auto x = static_cast<std::uint64_t>(a), y = static_cast<std::uint64_t>(b);
  const bool defined = b >= 0 && b < bits;
  switch (op) {
    case Op::neg:
      return wrapped(0 - x);
    case Op::abs:
      return a < 0 ? wrapped(0 - x) : a;
    case Op::sign:
      return (a > 0) - (a < 0);
    case Op::bitwise_not:
      return bits == 1 ? !a : ~a;
    case Op::add:
      return bits == 1 ? a | b : wrapped(x + y);
    case Op::sub:
      return wrapped(x - y);
    case Op::mul:
      return wrapped(x * y);
    case Op::floor_divide:
      return floor_division(a, b);
    case Op::remainder:
      return b == 0 ? 0 : wrapped(x - y * static_cast<std::uint64_t>(floor_division(a, b)));
    case Op::minimum:
      return std::min(a, b);
    case Op::maximum:
      return std::max(a, b);
    case Op::bitwise_and:
      return a & b;
    case Op::bitwise_or:
      return a | b;
    case Op::bitwise_xor:
      return a ^ b;
    case Op::shift_left:
      return defined ? wrapped(x << b) : 0;
    case Op::shift_right:
      return defined ? a >> b : a < 0 ? -1 : 0;
    default:
      throw InternalError(text("evaluate: ", op));
  }
}

inline Constant result_of(Op op, DType dtype, const std::vector<Constant>& operands) {
  const Constant& a = operands[0];
  if (op == Op::cast) return cast(a, dtype);
  if (op == Op::select) return a.bits != 0 ? operands[1] : operands[2];
  const Constant& b = operands.size() > 1 ? operands[1] : a;
  const bool floating = is_floating(a.dtype);
  if (info(op).gives == Gives::boolean) {
    const auto compare = [&](auto x, auto y) {
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
    };
    return constant(
        floating ? compare(a.floating(), b.floating()) : compare(a.integer(), b.integer()),
        boolean);
  }
  if (floating) return constant(floating_result(op, a.floating(), b.floating()), dtype);
  const int bits = dtype == boolean ? 1 : static_cast<int>(8 * info(dtype).size);
  return constant(integer_result(op, a.integer(), b.integer(), bits), dtype);
}

}  // namespace kernels
