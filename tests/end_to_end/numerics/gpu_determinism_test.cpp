// test: deep emulator gpu
// A GPU repeats results bit for bit, as single launches or as a graph, and on each GPU.

#include <doctest/doctest.h>

#include <vector>

#include "cuda_emulator/gpus.hpp"
#include "determinism.hpp"
#include "gpu.hpp"

using namespace gpu;
using namespace repeated;

namespace {

Tensor train(nn::Linear& model, optim::AdamW& optimizer, const Tensor& x, const Tensor& y) {
  auto [loss, gradients] = value_and_grad(model, [&] { return mse_loss(gelu(model(x)), y); });
  optimizer.step(model, gradients);
  return loss;
}

constexpr Mode modes[]{Mode::standard, Mode::reduce_overhead};

}  // namespace

TEST_CASE("gpu determinism: results of launches, of graphs and of another GPU") {
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

TEST_CASE("gpu determinism: weights after some steps of training") {
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
