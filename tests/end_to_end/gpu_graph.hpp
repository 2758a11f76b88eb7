#pragma once
// What tests of replays on a GPU share.

#include <doctest/doctest.h>
#include <sinter/compile/cache.hpp>
#include <sinter/sinter.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "cuda_emulator/counted_driver.hpp"
#include "cuda_emulator/emulator.hpp"

#define GPU_TEST(machine, driver)   \
  const compiler::FreshCache fresh; \
  emulator::Emulator machine;       \
  emulator::CountedDriver driver

namespace gpu_graph {

using namespace sinter;
using Driver = CudaDriver;
inline const CompileOptions replayed{.mode = Mode::reduce_overhead};

template <class T>
Tensor list(const std::vector<T>& values) {
  return from_vector(values, {static_cast<std::int64_t>(values.size())});
}

inline Tensor sample(Shape shape, float step = 0.37f) {
  const std::int64_t count = numel(shape).value();
  std::vector<float> values;
  for (std::int64_t i = 0; i < count; ++i) {
    values.push_back(static_cast<float>(i % 17) * step - 2.0f);
  }
  return reshape(list(values), shape);
}

// The largest difference of elements, wherever the two are.
inline float difference(const Tensor& a, const Tensor& b) {
  const std::vector<float> first = a.to_vector<float>(), second = b.to_vector<float>();
  REQUIRE(first.size() == second.size());
  float result = 0;
  for (std::size_t i = 0; i < first.size(); ++i) {
    result = std::max(result, std::abs(first[i] - second[i]));
  }
  return result;
}

inline bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// Two sums and what is made of both: at least three kernels.
inline Tensor mixed(const Tensor& t) {
  return softmax(t, 1) * sum(t, 0) + exp(cumsum(t, 1) * 0.01f);
}

}  // namespace gpu_graph
