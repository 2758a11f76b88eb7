// A GPU computes the same bits again, launch by launch or as a graph, whichever GPU it is.

#include <doctest/doctest.h>

#include <cstring>
#include <vector>

#include "cuda_emulator/gpus.hpp"
#include "gpu.hpp"

using namespace gpu;

namespace {

using Bits = std::vector<std::vector<unsigned char>>;

Bits bits_of(const std::vector<Tensor>& tensors) {
  Bits result;
  for (const Tensor& tensor : tensors) {
    const std::vector<double> numbers = elements(tensor);
    const auto* const first = reinterpret_cast<const unsigned char*>(numbers.data());
    result.emplace_back(first, first + numbers.size() * sizeof(double));
  }
  return result;
}

// A dozen kinds of kernels: rows, columns, sums of all, products, transposes, gathers, scans.
std::vector<Tensor> kernels(const Tensor& x, const Tensor& w, const Tensor& rows) {
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

// The same, and a sum of rows that meet, which is one in a fixed order.
std::vector<Tensor> strict_kernels(const Tensor& x, const Tensor& w, const Tensor& rows) {
  std::vector<Tensor> result = kernels(x, w, rows);
  const Tensor at = unsqueeze(rows, 1) + zeros_like(x).to(i64);
  result.push_back(scatter_add(zeros_like(x), 0, at, x));
  return result;
}

Tensor train(nn::Linear& model, optim::AdamW& optimizer, const Tensor& x, const Tensor& y) {
  auto [loss, gradients] = value_and_grad(model, [&] { return mse_loss(gelu(model(x)), y); });
  optimizer.step(model, gradients);
  return loss;
}

constexpr Mode modes[]{Mode::standard, Mode::reduce_overhead};

}  // namespace

TEST_CASE("gpu_same_bits: results of launches, of graphs and of another GPU") {
  SINTER_GPUS(machine, 2);
  const Tensor x = sample({45, 67}), w = sample({67, 20}, 0.1);
  std::vector<std::int64_t> at;
  for (int i = 0; i < 45; ++i) at.push_back(i * i % 7);
  for (const Numerics numerics : {Numerics::strict, Numerics::fast}) {
    const auto function = numerics == Numerics::strict ? strict_kernels : kernels;
    Bits expected;
    for (const Mode mode : modes) {
      const auto f = compile(function, {.mode = mode, .numerics = numerics});
      for (const Device device : {cuda(0), cuda(1), cuda(0)}) {
        const Bits found = bits_of(f(x.to(device), w.to(device), list(at).to(device)));
        if (expected.empty()) expected = found;
        REQUIRE(found.size() == expected.size());
        for (std::size_t i = 0; i < found.size(); ++i) {
          INFO("result ", i, " on ", to_string(device));
          CHECK(found[i] == expected[i]);
        }
      }
    }
  }
}

TEST_CASE("gpu_same_bits: weights after some steps of training") {
  SINTER_GPUS(machine, 1);
  const nn::Linear start(24, 18);
  const Tensor x = sample({40, 24}).to(cuda()), y = sample({40, 18}, 0.2).to(cuda());
  for (const Numerics numerics : {Numerics::strict, Numerics::fast}) {
    Bits expected;
    for (const Mode mode : modes) {
      const auto step = compile(train, {.mode = mode, .numerics = numerics});
      for (int again = 0; again < 2; ++again) {
        nn::Linear model = start;
        nn::to(model, cuda());
        optim::AdamW optimizer{.learning_rate = 1e-2f};
        std::vector<Tensor> results;
        for (int i = 0; i < 3; ++i) results.push_back(step(model, optimizer, x, y));
        nn::for_each_parameter(model, [&](const auto&, Tensor& v) { results.push_back(v); });
        const Bits found = bits_of(results);
        if (expected.empty()) expected = found;
        CHECK(found == expected);
      }
    }
  }
}
