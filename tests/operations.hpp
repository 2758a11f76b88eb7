#pragma once
// What each elementwise operation gives, one number at a time, and what tests have to know of it.
// Written from the comments of op_table, not from the code that it checks.

#include <algorithm>
#include <array>
#include <cmath>
#include <type_traits>
#include <vector>

#include <sinter/base/constant.hpp>
#include <sinter/base/error.hpp>
#include <sinter/graph/op.hpp>

namespace operations {

using namespace sinter;
using namespace sinter::detail;

/// How large a result can be, of an operand that is at most `x`.
using Magnitude = double (*)(double x);
inline constexpr Magnitude as_operand = [](double x) { return x; };
inline constexpr Magnitude one = [](double) { return 1.0; };
inline constexpr Magnitude exponential = [](double x) { return std::exp(x); };
inline constexpr Magnitude unbounded = [](double) { return 1e9; };

struct Facts {
  double low = -2, high = 2;  ///< Between these it is smooth: derivatives agree with differences.
  Magnitude magnitude = as_operand;
  bool is_delicate = false;  ///< It jumps, or has a pole: random programs give it exact operands.
};

/// An operation of one floating operand.
struct Function {
  Op op;
  float (*of_float)(float);
  double (*of_double)(double);
  long double (*of_long_double)(long double);
  Facts facts;
};

template <class F>
constexpr Function function(Op op, F definition, Facts facts = {}) {
  return {op, definition, definition, definition, facts};
}

/// The table: definition, range, magnitude. In the order of op_table.
inline constexpr std::array functions{
    function(Op::neg, [](auto x) { return -x; }),
    function(Op::abs, [](auto x) { return std::abs(x); }),
    function(Op::sign, [](auto x) { return std::isnan(x) ? x : decltype(x)((x > 0) - (x < 0)); },
             {.magnitude = one, .is_delicate = true}),
    function(Op::exp, [](auto x) { return std::exp(x); }, {.magnitude = exponential}),
    function(Op::expm1, [](auto x) { return std::expm1(x); }, {.magnitude = exponential}),
    function(Op::log, [](auto x) { return std::log(x); },
             {.low = 0.3, .high = 3, .magnitude = unbounded, .is_delicate = true}),
    function(Op::log1p, [](auto x) { return std::log1p(x); },
             {.low = -0.7, .magnitude = unbounded, .is_delicate = true}),
    function(Op::sin, [](auto x) { return std::sin(x); }, {.magnitude = one}),
    function(Op::cos, [](auto x) { return std::cos(x); }, {.magnitude = one}),
    function(Op::tan, [](auto x) { return std::tan(x); },
             {.low = -1.2, .high = 1.2, .magnitude = unbounded, .is_delicate = true}),
    function(Op::tanh, [](auto x) { return std::tanh(x); }, {.magnitude = one}),
    function(Op::atan, [](auto x) { return std::atan(x); }),
    function(Op::erf, [](auto x) { return std::erf(x); }, {.magnitude = one}),
    function(Op::sqrt, [](auto x) { return std::sqrt(x); },
             {.low = 0.3, .high = 3, .is_delicate = true}),
    function(Op::floor, [](auto x) { return std::floor(x); }, {.is_delicate = true}),
};

/// Whether `op` has a row.
constexpr bool is_function_of_one(Op op) {
  return is_elementwise(op) && info(op).arity == 1 && info(op).takes != Takes::integral &&
         op != Op::cast;
}

/// The place of the row of `op`; the number of rows if it has none.
constexpr std::size_t place_of(Op op) {
  std::size_t result = 0;
  while (result < functions.size() && functions[result].op != op) ++result;
  return result;
}

/// The row of `op`; null if it has none.
inline const Function* find(Op op) {
  const std::size_t place = place_of(op);
  return place < functions.size() ? &functions[place] : nullptr;
}

static_assert(
    [] {
      for (std::size_t i = 0; i < op_count; ++i) {
        const Op op = static_cast<Op>(i);
        if (is_function_of_one(op) != (place_of(op) < functions.size())) return false;
      }
      return true;
    }(),
    "tests/operations.hpp: a row for each elementwise Op of one floating operand");

/// The operations of one operand that are for floating numbers alone: exp, tan, ...
inline std::vector<Op> floating_functions() {
  std::vector<Op> result;
  for (const Function& row : functions) {
    if (info(row.op).takes == Takes::floating) result.push_back(row.op);
  }
  return result;
}

/// The function `op` of one number, in the precision of C: float, double or long double.
template <class C>
C exact(Op op, C x) {
  const Function* const row = find(op);
  if (row == nullptr) throw InternalError(text("tests/operations.hpp: no row for ", op));
  if constexpr (std::is_same_v<C, float>) return row->of_float(x);
  if constexpr (std::is_same_v<C, double>) return row->of_double(x);
  if constexpr (std::is_same_v<C, long double>) return row->of_long_double(x);
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
      return exact(op, a);
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

}  // namespace operations
