#pragma once
// Shared by tests that repeated computations give the same bits.

#include <vector>

#include <sinter/sinter.hpp>

namespace repeated {

using namespace sinter;
using namespace sinter::detail;

using Bits = std::vector<std::vector<unsigned char>>;

inline Bits bits_of(const std::vector<Tensor>& tensors) {
  Bits result;
  for (const Tensor& tensor : tensors) {
    const std::vector<double> numbers = tensor.to(cpu()).to(f64).to_vector<double>();
    const auto* const first = reinterpret_cast<const unsigned char*>(numbers.data());
    result.emplace_back(first, first + numbers.size() * sizeof(double));
  }
  return result;
}

// A dozen kinds of kernels: rows, columns, sums of all, products, transposes, gathers, scans.
inline std::vector<Tensor> kernels(const Tensor& x, const Tensor& w, const Tensor& rows) {
  const Tensor hidden = gelu(matmul(x, w)), weights = softmax(x, -1);
  return {hidden,
          weights,
          softmax(x, 0),
          sum(exp(x) * 0.37f, 0),
          sum(x * x, 1),
          sum(sin(x)),
          mean(tanh(hidden)),
          transpose(x, 0, 1) * 1.5f,
          index_select(x, 0, rows) + x,
          cumsum(x, 1),
          argmax(x, 1),
          matmul(weights, transpose(x, 0, 1)),
          layer_norm(x, {x.size(1)})};
}

// The same, and a scatter_add of rows with equal indices, which has a fixed order.
inline std::vector<Tensor> strict_kernels(const Tensor& x, const Tensor& w, const Tensor& rows) {
  std::vector<Tensor> result = kernels(x, w, rows);
  const Tensor at = unsqueeze(rows, 1) + zeros_like(x).to(i64);
  result.push_back(scatter_add(zeros_like(x), 0, at, x));
  return result;
}

}  // namespace repeated
