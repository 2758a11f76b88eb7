#pragma once
// Functions with products for a library, and their errors, for tests of replays.

#include <doctest/doctest.h>

#include "cuda_graph.hpp"
#include "library_products.hpp"

namespace gpu_library_graph {

using library_products::k;
using library_products::m;
using library_products::n;
using library_products::tolerance;
using sinter::detail::CudaDriver;
using namespace gpu_graph;

inline Tensor numbers(const Shape& shape) { return library_products::sample(shape); }

inline double error(const Tensor& got, const Tensor& expected) {
  return library_products::difference(got.to(cpu()), expected);
}

// A kernel, a product of its result and an argument, and another kernel.
inline Tensor late(const Tensor& x, const Tensor& w) {
  return softmax(matmul(softmax(x, 1), w), 1);
}

// The product reads both arguments.
inline Tensor early(const Tensor& x, const Tensor& w) { return softmax(matmul(x, w), 1); }

}  // namespace gpu_library_graph
