#pragma once
// Numbers in NumPy's array format, with aligned columns.

#include <algorithm>    // std::max
#include <charconv>     // std::to_chars
#include <cmath>        // std::isfinite
#include <cstdlib>      // std::strtof
#include <string>       // std::string
#include <type_traits>  // std::is_floating_point_v
#include <vector>       // std::vector

#include <sinter/base/half.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail {

/// The maximum number of decimals.
inline constexpr std::size_t print_precision = 8;

/// From this magnitude on, numbers have exponents.
template <class T>
inline constexpr double exponential_from = 1e8;
template <>
inline constexpr double exponential_from<float> = 1e6;
template <>
inline constexpr double exponential_from<half> = 1e3;
template <>
inline constexpr double exponential_from<bfloat16> = 1e2;

/// A floating number in decimal, without its exponent: "-12" and "5".
struct Decimal {
  std::string whole{}, fraction{};
};

/// The shortest decimal that identifies `x` in its type.
template <class T>
std::string shortest(T x, std::chars_format form) {
  char buffer[512];
  if constexpr (std::is_floating_point_v<T>) {
    return {buffer, std::to_chars(buffer, buffer + sizeof(buffer), x, form).ptr};
  } else {  // 16-bit types: adds digits until the value round-trips
    const auto wide = static_cast<float>(x);
    for (int digits = 0;; ++digits) {
      *std::to_chars(buffer, buffer + sizeof(buffer) - 1, wide, std::chars_format::scientific,
                     digits)
           .ptr = '\0';
      if (digits == 8 || static_cast<float>(T(std::strtof(buffer, nullptr))) == wide) break;
    }
    const float read = std::strtof(buffer, nullptr);
    return {buffer, std::to_chars(buffer, buffer + sizeof(buffer), read, form).ptr};
  }
}

template <class T>
auto printable(T x) {
  if constexpr (std::is_floating_point_v<T>) return x;
  if constexpr (!std::is_floating_point_v<T>) return static_cast<float>(x);
}

// The digits before and behind the point of `x` written in `form`, without an exponent.
template <class T>
Decimal decimal_of(T x, std::chars_format form) {
  std::string digits = shortest(x, form);
  digits = digits.substr(0, digits.find('e'));
  std::size_t point = digits.find('.');
  if (point != std::string::npos && digits.size() - point - 1 > print_precision) {
    char buffer[512];
    char* const end = buffer + sizeof(buffer);
    digits.assign(
        buffer,
        std::to_chars(buffer, end, printable(x), form, static_cast<int>(print_precision)).ptr);
    digits = digits.substr(0, digits.find('e'));
    point = digits.find('.');
  }
  Decimal result{.whole = digits.substr(0, point)};
  if (point != std::string::npos) result.fraction = digits.substr(point + 1);
  while (!result.fraction.empty() && result.fraction.back() == '0') result.fraction.pop_back();
  return result;
}

// "e-05"
template <class T>
std::string exponent_of(T x) {
  const std::string digits = shortest(x, std::chars_format::scientific);
  return digits.substr(digits.find('e'));
}

/// The common format of the floating elements shown, so that columns align.
template <class T>
class FloatFormat {
 public:
  explicit FloatFormat(const std::vector<T>& shown) {
    double largest = 0, smallest = HUGE_VAL;
    for (const T& x : shown) {
      const double size = std::fabs(static_cast<double>(detail::printable(x)));
      if (!std::isfinite(size) || size == 0) continue;
      largest = std::max(largest, size), smallest = std::min(smallest, size);
    }
    const bool varies = largest != 0 && (smallest < 1e-4 || largest / smallest > 1000);
    if (largest >= detail::exponential_from<T> || varies) form_ = std::chars_format::scientific;
    for (const T& x : shown) measure(x);
    for (const T& x : shown) {
      const std::size_t width = std::isfinite(detail::printable(x)) ? 0 : special(x).size();
      left_ = std::max(left_, width > tail() ? width - tail() : 0);
    }
  }

  std::string operator()(T x) const {
    if (!std::isfinite(detail::printable(x))) {
      const std::string word = special(x);
      return std::string(left_ + tail() - word.size(), ' ') + word;
    }
    if (form_ == std::chars_format::scientific) return exponential(x);
    detail::Decimal decimal = detail::decimal_of(x, form_);
    decimal.fraction.resize(right_, ' ');
    return std::string(left_ - decimal.whole.size(), ' ') + decimal.whole + "." + decimal.fraction;
  }

 private:
  static std::string special(T x) {
    if (std::isnan(detail::printable(x))) return "nan";
    return detail::printable(x) < 0 ? "-inf" : "inf";
  }
  void measure(T x) {
    if (!std::isfinite(detail::printable(x))) return;
    const detail::Decimal decimal = detail::decimal_of(x, form_);
    left_ = std::max(left_, decimal.whole.size());
    right_ = std::max(right_, decimal.fraction.size());
    if (form_ == std::chars_format::scientific) exponent_ = detail::exponent_of(x).size();
  }
  // All have the largest number of decimals that one of them needs.
  std::string exponential(T x) const {
    char buffer[64];
    std::string word(buffer, std::to_chars(buffer, buffer + sizeof(buffer), detail::printable(x),
                                           form_, static_cast<int>(right_))
                                 .ptr);
    if (right_ == 0) word.insert(word.find('e'), ".");
    const std::size_t point = word.find('.');
    return std::string(left_ - point, ' ') + word;
  }
  std::size_t tail() const { return 1 + right_ + exponent_; }

  std::chars_format form_ = std::chars_format::fixed;
  std::size_t left_ = 0, right_ = 0, exponent_ = 0;
};

/// The common format of the integers or booleans shown.
template <class T>
class PlainFormat {
 public:
  explicit PlainFormat(const std::vector<T>& shown) {
    for (const T& x : shown) width_ = std::max(width_, word(x).size());
  }
  std::string operator()(T x) const {
    const std::string result = word(x);
    return std::string(width_ - result.size(), ' ') + result;
  }
  static std::string word(T x) {
    if constexpr (std::is_same_v<T, bool>) return x ? "True" : "False";
    if constexpr (!std::is_same_v<T, bool>) return std::to_string(x);
  }

 private:
  std::size_t width_ = std::is_same_v<T, bool> ? 5 : 0;
};

/// The format of elements of type T.
template <class T>
using NumberFormat = std::conditional_t<std::is_integral_v<T>, PlainFormat<T>, FloatFormat<T>>;

/// One number by itself, as Python writes it: "1.0", "1e-05", "True".
template <class T>
std::string format_one(T x) {
  if constexpr (std::is_integral_v<T>) {
    return PlainFormat<T>::word(x);
  } else {
    const double size = std::fabs(static_cast<double>(detail::printable(x)));
    if (std::isnan(size)) return "nan";
    if (std::isinf(size)) return detail::printable(x) < 0 ? "-inf" : "inf";
    const bool exponential = size != 0 && (size < 1e-4 || size >= 1e16);
    if (exponential) return detail::shortest(x, std::chars_format::scientific);
    const std::string digits = detail::shortest(x, std::chars_format::fixed);
    return digits.find('.') == std::string::npos ? digits + ".0" : digits;
  }
}

}  // namespace sinter::inline SINTER_ABI::detail
