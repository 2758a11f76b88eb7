#pragma once

#include <algorithm>    // std::find, std::min
#include <cmath>        // std::exp
#include <type_traits>  // std::is_floating_point_v

#include <sinter/base/error.hpp>
#include <sinter/runtime/interpreter/data_error.hpp>
#include <sinter/runtime/interpreter/elementwise.hpp>

namespace sinter::inline SINTER_ABI::detail::runtime::interpreter {

namespace detail {

// Integers are computed without sign, where overflow is defined to wrap.
template <class T>
struct WrappingOf {
  using Type = std::make_unsigned_t<T>;
};
template <>
struct WrappingOf<float> {
  using Type = float;
};
template <>
struct WrappingOf<double> {
  using Type = double;
};
template <class T>
using Wrapping = typename WrappingOf<T>::Type;

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
    if (y == -1)
      return static_cast<T>(0 - static_cast<Wrapping<T>>(x));  // also for the lowest number
    return static_cast<T>(x / y - (x % y != 0 && (x < 0) != (y < 0) ? 1 : 0));
  }
}

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

// The operands of an operation. `bits` is the width of the dtype, which shifts need.
template <class T>
struct Operands {
  const T* x;
  const T* y;  // null for unary operations
  std::int64_t size;
  int bits;
};

template <class T, class Result, class Function>
void map(const Operands<T>& operands, Result* to, const Function& function) {
  const T *const x = operands.x, *const y = operands.y;
  if constexpr (std::is_invocable_v<Function, T>) {
    for (std::int64_t i = 0; i < operands.size; ++i) to[i] = static_cast<Result>(function(x[i]));
  } else {
    for (std::int64_t i = 0; i < operands.size; ++i) {
      to[i] = static_cast<Result>(function(x[i], y[i]));
    }
  }
}

template <class T>
void compare(Op op, const Operands<T>& operands, bool* to) {
  switch (op) {
    case Op::eq:
      return map(operands, to, [](T x, T y) { return x == y; });
    case Op::ne:
      return map(operands, to, [](T x, T y) { return x != y; });
    case Op::lt:
      return map(operands, to, [](T x, T y) { return x < y; });
    case Op::le:
      return map(operands, to, [](T x, T y) { return x <= y; });
    case Op::gt:
      return map(operands, to, [](T x, T y) { return x > y; });
    default:
      return map(operands, to, [](T x, T y) { return x >= y; });
  }
}

// The functions of the C library.
template <class T>
void compute_function(Op op, const Operands<T>& operands, T* to) {
  switch (op) {
    case Op::exp:
      return map(operands, to, [](T x) { return std::exp(x); });
    case Op::expm1:
      return map(operands, to, [](T x) { return std::expm1(x); });
    case Op::log:
      return map(operands, to, [](T x) { return std::log(x); });
    case Op::log1p:
      return map(operands, to, [](T x) { return std::log1p(x); });
    case Op::sin:
      return map(operands, to, [](T x) { return std::sin(x); });
    case Op::cos:
      return map(operands, to, [](T x) { return std::cos(x); });
    case Op::tan:
      return map(operands, to, [](T x) { return std::tan(x); });
    case Op::tanh:
      return map(operands, to, [](T x) { return std::tanh(x); });
    case Op::atan:
      return map(operands, to, [](T x) { return std::atan(x); });
    case Op::erf:
      return map(operands, to, [](T x) { return std::erf(x); });
    case Op::sqrt:
      return map(operands, to, [](T x) { return std::sqrt(x); });
    case Op::floor:
      return map(operands, to, [](T x) { return std::floor(x); });
    case Op::div:
      return map(operands, to, [](T x, T y) { return x / y; });
    default:
      return map(operands, to, [](T x, T y) { return std::pow(x, y); });
  }
}

template <class T>
void compute_bits(Op op, const Operands<T>& operands, T* to) {
  const int bits = operands.bits;
  const auto inside = [bits](T by) { return by >= 0 && by < bits; };
  constexpr int sign = sizeof(T) * 8 - 1;
  switch (op) {
    case Op::bitwise_not:
      if (bits == 1) return map(operands, to, [](T x) { return x ^ 1; });
      return map(operands, to, [](T x) { return ~x; });
    case Op::bitwise_and:
      return map(operands, to, [](T x, T y) { return x & y; });
    case Op::bitwise_or:
      return map(operands, to, [](T x, T y) { return x | y; });
    case Op::bitwise_xor:
      return map(operands, to, [](T x, T y) { return x ^ y; });
    case Op::shift_left:
      return map(operands, to,
                 [&](T x, T y) { return inside(y) ? static_cast<Wrapping<T>>(x) << y : 0; });
    default:
      return map(operands, to, [&](T x, T y) { return x >> (inside(y) ? y : sign); });
  }
}

template <class T>
void compute_arithmetic(Op op, const Operands<T>& operands, T* to) {
  using W = Wrapping<T>;
  switch (op) {
    case Op::neg:
      if (std::is_floating_point_v<T>) return map(operands, to, [](T x) { return -W(x); });
      return map(operands, to, [](T x) { return W(0) - W(x); });
    case Op::abs:
      if constexpr (std::is_floating_point_v<T>) {
        return map(operands, to, [](T x) { return std::fabs(x); });
      } else {
        return map(operands, to, [](T x) { return x < 0 ? W(0) - W(x) : W(x); });
      }
    case Op::sign:
      return map(operands, to, [](T x) { return x != x ? x : T((x > 0) - (x < 0)); });
    case Op::add:
      return map(operands, to, [](T x, T y) { return W(x) + W(y); });
    case Op::sub:
      return map(operands, to, [](T x, T y) { return W(x) - W(y); });
    case Op::mul:
      return map(operands, to, [](T x, T y) { return W(x) * W(y); });
    case Op::minimum:
      return map(operands, to, [](T x, T y) { return x < y || x != x ? x : y; });
    case Op::maximum:
      return map(operands, to, [](T x, T y) { return x > y || x != x ? x : y; });
    case Op::floor_divide:
      return map(operands, to, [](T x, T y) { return floor_divide(x, y); });
    case Op::remainder:
      return map(operands, to, [](T x, T y) { return remainder(x, y); });
    default:
      if constexpr (std::is_floating_point_v<T>) {
        return compute_function(op, operands, to);
      } else {
        return compute_bits(op, operands, to);
      }
  }
}

// Runs an operation chunk by chunk.
template <class T>
void compute(Op op, std::span<const Array> operands, const Array& result, Where where) {
  const DType dtype = operands[0].dtype;
  const bool divides = (op == Op::floor_divide || op == Op::remainder) && !is_floating(dtype);
  const bool direct = info(dtype).size == sizeof(T) && result.dtype == dtype;
  const int bits = dtype == boolean ? 1 : static_cast<int>(info(dtype).size * 8);
  Reader xs(operands[0]), ys(operands.back());
  alignas(64) T buffer[chunk];
  const std::int64_t total = count(result.shape);
  for (std::int64_t done = 0; done < total; done += chunk) {
    const std::int64_t size = std::min(chunk, total - done);
    const T* const x = xs.next<T>(size);
    const Operands<T> chunks{x, operands.size() == 2 ? ys.next<T>(size) : nullptr, size, bits};
    std::byte* const to = result.data() + done * static_cast<std::int64_t>(info(result.dtype).size);
    if (divides) {
      const T* const zero = std::find(chunks.y, chunks.y + size, T(0));
      if (zero != chunks.y + size) {
        throw_division_by_zero(op, dtype, done + (zero - chunks.y), where);
      }
    }
    if (info(op).gives == Gives::boolean) {
      compare(op, chunks, reinterpret_cast<bool*>(to));
    } else if (op == Op::cast) {
      store(result.dtype, x, size, to);
    } else {
      T* const computed = direct ? reinterpret_cast<T*>(to) : buffer;
      compute_arithmetic(op, chunks, computed);
      if (!direct) store(result.dtype, computed, size, to);
    }
  }
}

SINTER_INLINE void select(const Array& condition, const Array& x, const Array& y,
                          const Array& result) {
  Reader conditions(condition), xs(x), ys(y);
  const auto element = static_cast<std::int64_t>(info(result.dtype).size);
  const std::int64_t total = count(result.shape);
  visit_size(element, [&]<class T>(T) {
    for (std::int64_t done = 0; done < total; done += chunk) {
      const std::int64_t size = std::min(chunk, total - done);
      const bool* const holds = static_cast<const bool*>(conditions.raw(size));
      const T* const yes = static_cast<const T*>(xs.raw(size));
      const T* const no = static_cast<const T*>(ys.raw(size));
      T* const to = reinterpret_cast<T*>(result.data() + done * element);
      for (std::int64_t i = 0; i < size; ++i) to[i] = holds[i] ? yes[i] : no[i];
    }
  });
}

}  // namespace detail

SINTER_INLINE Array elementwise(Op op, std::span<const Array> operands, DType dtype, Where where) {
  const Array result = make_dense(dtype, operands.back().shape, where);
  if (op == Op::select) {
    detail::select(operands[0], operands[1], operands[2], result);
  } else {
    visit_computed(operands[0].dtype,
                   [&]<class T>(T) { detail::compute<T>(op, operands, result, where); });
  }
  return result;
}

}  // namespace sinter::inline SINTER_ABI::detail::runtime::interpreter
