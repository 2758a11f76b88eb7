// Tolerances of the comparison with torch.

#include <algorithm>
#include <cmath>
#include <limits>

#include "cases.hpp"

namespace reference {

namespace {

template <class T>
std::string differing_whole(const T* found, const T* expected, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    if (found[i] == expected[i]) continue;
    return text("[", i, "] is ", static_cast<std::int64_t>(found[i]), ", torch gives ",
                static_cast<std::int64_t>(expected[i]));
  }
  return "";
}

// The distance to the next number, relative to 1, and the smallest number above 0.
struct Precision {
  double step, smallest;
};

Precision precision_of(DType dtype) {
  switch (dtype) {
    case f16:
      return {0x1p-10, 0x1p-24};
    case bf16:
      return {0x1p-7, 0x1p-126};
    case f32:
      return {0x1p-23, 0x1p-126};
    default:
      return {0x1p-52, 0x1p-1022};
  }
}

template <class T>
double largest(const T* numbers, std::size_t count) {
  double result = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const auto number = std::fabs(static_cast<double>(numbers[i]));
    if (std::isfinite(number)) result = std::max(result, number);
  }
  return result;
}

bool near(double found, double expected, double tolerance) {
  if (std::isnan(expected)) return std::isnan(found);
  if (std::isinf(expected) || std::isinf(found)) return found == expected;
  return std::fabs(found - expected) <= tolerance;
}

// A few roundings of the result; and of what it is a sum of, which f16 and bf16 add up in f32. The
// terms of a sum are at least as large as `least`.
template <class T>
std::string differing_floating(const T* found, const T* expected, std::size_t count, double length,
                               double accuracy, double least) {
  const Precision own = precision_of(dtype_of<T>);
  const Precision inner = precision_of(computed_in(dtype_of<T>));
  const double scale = std::max(largest(expected, count), least);
  const double of_sum = (length > 1 ? 4 * inner.step * length * scale : 0) + accuracy * scale;
  for (std::size_t i = 0; i < count; ++i) {
    const auto x = static_cast<double>(found[i]), y = static_cast<double>(expected[i]);
    const double tolerance = 4 * own.step * std::fabs(y) + of_sum + 2 * own.smallest;
    if (near(x, y, tolerance)) continue;
    return text("[", i, "] is ", x, ", torch gives ", y, ", tolerance ", tolerance);
  }
  return "";
}

std::string type_text(const Array& array) {
  std::string result = to_string(array.dtype);
  for (const std::int64_t size : array.sizes) result += text(" ", size);
  return result;
}

std::string type_text(const Tensor& tensor) {
  std::string result = to_string(tensor.dtype());
  for (const Extent size : tensor.shape()) result += text(" ", size.value());
  return result;
}

}  // namespace

std::string difference(const Case& item, const Array& expected, const Tensor& found,
                       bool is_gradient) {
  if (!found.defined()) return "it is undefined";
  if (type_text(found) != type_text(expected)) {
    return text("it is ", type_text(found), ", torch gives ", type_text(expected));
  }
  const auto count = static_cast<std::size_t>(found.numel().value());
  const double length = std::max(item.length, is_gradient ? 8.0 : 1.0);
  return visit_dtype(expected.dtype, [&]<class T>(T) -> std::string {
    const T* x = found.data<T>();
    const T* y = expected.tensor.data<T>();
    if constexpr (std::is_integral_v<T>) {
      return differing_whole(x, y, count);
    } else {
      return differing_floating(x, y, count, length, item.accuracy, is_gradient ? 1 : 0);
    }
  });
}

}  // namespace reference
