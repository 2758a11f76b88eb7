#pragma once

#include <algorithm>  // std::max
#include <cmath>      // std::abs, std::isnan

#include <sinter/debug/fault/comparison.hpp>

namespace sinter::inline SINTER_ABI::detail::debug {

SINTER_INLINE double tolerance_of(DType dtype) {
  if (!is_floating(dtype)) return 0;
  if (dtype == f64) return 1e-9;
  if (dtype == f32) return 3e-4;
  return dtype == f16 ? 4e-2 : 2e-1;
}

SINTER_INLINE std::string position_text(std::size_t flat, const Shape& shape) {
  std::vector<std::int64_t> result(static_cast<std::size_t>(shape.size()));
  for (std::size_t axis = result.size(); axis-- > 0;) {
    const auto size = static_cast<std::size_t>(shape[static_cast<int>(axis)].number());
    result[axis] = static_cast<std::int64_t>(flat % size);
    flat /= size;
  }
  return text(result);
}

namespace detail {

SINTER_INLINE double off_by(double a, double b) {
  if (a == b || (std::isnan(a) && std::isnan(b))) return 0;
  const double off = std::abs(a - b) / std::max({1.0, std::abs(a), std::abs(b)});
  return std::isfinite(off) ? off : 1e300;
}

template <class T>
std::string number_text(T value) {
  if constexpr (std::is_integral_v<T>) {
    return text(static_cast<std::int64_t>(value));
  } else if constexpr (std::is_same_v<T, double>) {
    return text(value);
  } else {
    return text(static_cast<float>(value));
  }
}

// Compares the elements of one output.
template <class T>
void compare_elements(const TensorType& type, std::size_t output, const Storage& got,
                      const Storage& expected, double tolerance, const Storage* precise,
                      Difference& result) {
  const T *const a = static_cast<const T*>(got.data()), *const b =
                                                            static_cast<const T*>(expected.data());
  for (std::size_t i = 0; i < got.bytes() / sizeof(T); ++i) {
    const auto x = static_cast<double>(a[i]), y = static_cast<double>(b[i]);
    const double off = off_by(x, y);
    if (off == 0) continue;
    double allowed = tolerance;
    if (precise != nullptr && is_floating(type.dtype)) {
      const double exact = static_cast<const double*>(precise->data())[i];
      allowed = std::max(allowed, 8 * off_by(y, exact));
    }
    result.largest = std::max(result.largest, off);
    if (off <= allowed || result.found) continue;
    result.found = true;
    result.output = output;
    result.element = position_text(i, type.shape);
    result.got = number_text(a[i]), result.expected = number_text(b[i]);
  }
}

}  // namespace detail

SINTER_INLINE Difference compare(Span<const TensorType> types, Span<const Storage> got,
                                 Span<const Storage> expected, double tolerance,
                                 Span<const Storage> precise) {
  Difference result;
  for (std::size_t i = 0; i < types.size(); ++i) {
    const double allowed = tolerance > 0 ? tolerance : tolerance_of(types[i].dtype);
    const Storage* const exact = i < precise.size() ? &precise[i] : nullptr;
    visit_dtype(types[i].dtype, [&]<class T>(T) {
      detail::compare_elements<T>(types[i], i, got[i], expected[i], allowed, exact, result);
    });
  }
  return result;
}

SINTER_INLINE std::string to_string(const Difference& difference) {
  if (!difference.found) return "no difference";
  return text("output ", difference.output, ", element ", difference.element, ": ", difference.got,
              " instead of ", difference.expected);
}

}  // namespace sinter::inline SINTER_ABI::detail::debug
