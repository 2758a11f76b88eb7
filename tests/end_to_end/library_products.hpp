#pragma once
// Products on an emulated GPU that are large enough for a library, beside the eager backend.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include <doctest/doctest.h>
#include <sinter/compile/cache.hpp>
#include <sinter/sinter.hpp>

#include "cuda_emulator/emulator.hpp"

#define LIBRARY_TEST(...)           \
  const compiler::FreshCache fresh; \
  const emulator::Emulator machine { __VA_ARGS__ }

namespace library_products {

using namespace sinter;

/// Numbers between -1 and 1 that do not repeat along any axis of a few hundred.
inline Tensor sample(const Shape& shape, DType dtype = f32) {
  const std::int64_t count = numel(shape).value();
  std::vector<float> values;
  for (std::int64_t i = 0; i < count; ++i) {
    values.push_back(static_cast<float>(i * 37 % 1009) / 505.0f - 1.0f);
  }
  return reshape(from_vector(values, {count}), shape).to(dtype);
}

/// The largest difference of elements in terms of the largest element.
inline double difference(const Tensor& got, const Tensor& expected) {
  const std::vector<double> a = got.to(f64).to_vector<double>();
  const std::vector<double> b = expected.to(f64).to_vector<double>();
  REQUIRE(a.size() == b.size());
  double worst = 0, largest = 1e-30;
  for (std::size_t i = 0; i < a.size(); ++i) {
    worst = std::max(worst, std::isnan(a[i]) ? 1e30 : std::abs(a[i] - b[i]));
    largest = std::max(largest, std::abs(b[i]));
  }
  return worst / largest;
}

inline double tolerance(DType dtype) {
  return dtype == f64 ? 1e-12 : dtype == f32 ? 1e-5 : dtype == f16 ? 2e-3 : 2e-2;
}

/// How many products the library computes of what `f` does on a GPU, whose result has to be right.
template <class F, class... Args>
std::size_t products(const emulator::Emulator& machine, F f, const Args&... args) {
  const Tensor expected = compile(f, {.backend = Backend::eager})(args...);
  const std::size_t before = machine.products();
  const Tensor got = compile(f)(args.to(cuda())...);
  CHECK(got.device() == cuda());
  CHECK(got.dtype() == expected.dtype());
  CHECK(difference(got, expected) < tolerance(expected.dtype()));
  return machine.products() - before;
}

inline constexpr std::int64_t m = 144, k = 136, n = 152;

}  // namespace library_products
