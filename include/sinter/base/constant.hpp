#pragma once
// Number literals of the program, stored without loss.

#include <bit>          // std::bit_cast
#include <cstdint>      // std::uint64_t
#include <limits>       // std::numeric_limits
#include <string>       // std::string
#include <type_traits>  // std::is_arithmetic_v

#include <sinter/base/dtype.hpp>

namespace sinter::inline SINTER_ABI::detail {

/// A C++ number or bool that can be an operand next to a tensor: 2, 0.5f, true.
template <class T>
concept Number = std::is_arithmetic_v<T>;

/// 64 bits and the dtype that says how to read them: those of a double for floating dtypes, else
/// those of an integer. A double alone would round an i64.
struct Constant {
  DType dtype{};
  std::uint64_t bits{};

  constexpr double floating() const { return std::bit_cast<double>(bits); }
  constexpr std::int64_t integer() const { return static_cast<std::int64_t>(bits); }
  bool operator==(const Constant&) const = default;
};

/// `value` as an integer: truncated, out of range to the nearest, NaN to 0.
template <class To>
constexpr To saturate(double value) {
  using Limits = std::numeric_limits<To>;
  if (value != value) return 0;
  if (value <= static_cast<double>(Limits::min())) return Limits::min();
  if (value >= static_cast<double>(Limits::max())) return Limits::max();
  return static_cast<To>(value);
}

/// `value` as an element of `To`: floating to integer saturates, integers wrap.
template <class To, class From>
constexpr To convert_element(From value) {
  constexpr bool floating = std::is_floating_point_v<From> || std::is_same_v<From, half> ||
                            std::is_same_v<From, bfloat16>;
  if constexpr (std::is_same_v<To, bool>) {
    return value != From(0);
  } else if constexpr (std::is_same_v<To, half> || std::is_same_v<To, bfloat16>) {
    return To(static_cast<float>(value));
  } else if constexpr (std::is_integral_v<To> && floating) {
    return saturate<To>(static_cast<double>(value));
  } else {
    return static_cast<To>(value);
  }
}

/// `value` as an element of `dtype`, rounded to it.
Constant constant(double value, DType dtype);
Constant constant(std::int64_t value, DType dtype);
Constant constant(std::uint64_t value, DType dtype);
template <Number T>
Constant constant(T value, DType dtype) {
  if constexpr (std::is_floating_point_v<T>) {
    return constant(static_cast<double>(value), dtype);
  } else if constexpr (std::is_unsigned_v<T>) {
    return constant(static_cast<std::uint64_t>(value), dtype);
  } else {
    return constant(static_cast<std::int64_t>(value), dtype);
  }
}

/// The widest dtype of the kind of a C++ number.
template <Number T>
inline constexpr DType widest_dtype = std::is_same_v<T, bool> ? boolean
                                      : std::is_integral_v<T> ? i64
                                                              : f64;

/// `value` in the widest dtype of its kind.
template <Number T>
Constant constant(T value) {
  return constant(value, widest_dtype<T>);
}

/// The same number as an element of `dtype`.
Constant cast(const Constant& from, DType dtype);

/// The shortest decimal that reads back as the same number.
std::string to_string(const Constant& number);

}  // namespace sinter::inline SINTER_ABI::detail

#ifdef SINTER_DEFINITIONS
#include <sinter/base/constant.ipp>
#endif
