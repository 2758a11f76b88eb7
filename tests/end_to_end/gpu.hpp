#pragma once
// Shared by tests on GPUs: tensors of known numbers, and the distance of two tensors.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <sinter/sinter.hpp>

#include "message_of.hpp"

namespace gpu {

using namespace sinter;
using namespace sinter::detail;

template <class T>
Tensor list(const std::vector<T>& values) {
  return from_vector(values, {static_cast<std::int64_t>(values.size())});
}

/// Numbers between -1 and 1 that do not repeat; they depend on `step`.
inline Tensor sample(const Shape& shape, double step = 0.37) {
  const std::int64_t count = numel(shape).value();
  std::vector<float> values;
  for (std::int64_t i = 0; i < count; ++i) {
    const double at = static_cast<double>(i) * (0.6180339887 + step);
    values.push_back(static_cast<float>(2 * (at - std::floor(at)) - 1));
  }
  return reshape(list(values), shape);
}

/// The elements of a tensor, wherever it is.
inline std::vector<double> elements(const Tensor& t) {
  if (t.dtype() == f64) return t.to_vector<double>();
  const std::vector<float> values = t.to(f32).to_vector<float>();
  return {values.begin(), values.end()};
}

/// The largest difference of elements; infinite if only one of two elements is NaN or infinite.
inline double difference(const std::vector<double>& got, const std::vector<double>& expected) {
  REQUIRE(got.size() == expected.size());
  double result = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const double a = got[i], b = expected[i];
    if (a == b || (std::isnan(a) && std::isnan(b))) continue;
    const double one = std::abs(a - b);
    result = std::max(result, std::isnan(one) ? std::numeric_limits<double>::infinity() : one);
  }
  return result;
}
inline double difference(const Tensor& got, const Tensor& expected) {
  return difference(elements(got), elements(expected));
}

/// The same, relative to the largest expected element.
inline double relative_difference(const Tensor& got, const Tensor& expected) {
  const std::vector<double> b = elements(expected);
  double largest = std::numeric_limits<double>::min();
  for (const double one : b) {
    if (std::isfinite(one)) largest = std::max(largest, std::abs(one));
  }
  return difference(elements(got), b) / largest;
}

using errors::message_of;

inline bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace gpu
