// test: moved
// A model of many equal layers: what is compiled does not grow with their number.

#include <doctest/doctest.h>

#include <algorithm>

#include "jit/support.hpp"
#include "moved.hpp"

using namespace testing;
using sinter_test::by_device;

namespace {

struct Layer {
  nn::Linear linear1{10, 10}, linear2{10, 10};
  SINTER_MODULE(Layer, linear1, linear2)
  Tensor forward(const Tensor& x) const { return relu(linear2(sigmoid(relu(linear1(x))))); }
};

struct Model {
  nn::Linear linear{10, 10};
  std::vector<Layer> layers;
  SINTER_MODULE(Model, linear, layers)
  Tensor forward(const Tensor& x) const {
    Tensor h = linear(x);
    for (const Layer& layer : layers) h = layer(h);
    return h;
  }
};

Tensor loss_of(Model& model, optim::SGD& optimizer, const Tensor& x) {
  auto [loss, gradients] = value_and_grad(model, [&] { return mean(square(model(x))); });
  optimizer.step(model, gradients);
  return loss;
}

Model model_of(int depth) {
  return {.linear = {10, 10}, .layers = std::vector<Layer>(static_cast<std::size_t>(depth))};
}

}  // namespace

TEST_CASE("repeated layers: as many kernels are compiled for 4 layers as for 64 and 256") {
  const Tensor x = randn({10, 10});
  std::vector<std::int64_t> compiled, runs;
  for (const int depth : {4, by_device(64, 6), by_device(256, 9)}) {
    const ScopedFreshCache fresh;
    const Model model = model_of(depth);
    const auto f = compile(model, {.fullgraph = true});
    CHECK(near_tensor(f(x), model(x)));
    compiled.push_back(f.stats().kernels_compiled);
    runs.push_back(f.stats().compiler_runs);
  }
  CHECK(compiled[0] > 0);
  CHECK(compiled == std::vector(3, compiled[0]));
  CHECK(runs == std::vector(3, runs[0]));
}

TEST_CASE("repeated layers: also with a dynamic batch") {
  std::vector<std::int64_t> compiled;
  for (const int depth : {4, by_device(64, 6)}) {
    const ScopedFreshCache fresh;
    const Model model = model_of(depth);
    const auto f = compile(model);
    for (const int batch : {7, 1, 12}) {
      Tensor x = randn({batch, 10});
      mark_dynamic(x, 0);
      CHECK(near_tensor(f(x), model(x)));
    }
    CHECK(f.stats().recordings == 1);
    compiled.push_back(f.stats().kernels_compiled);
  }
  CHECK(compiled[0] == compiled[1]);
}

TEST_CASE("repeated layers: compiled one by one they share what the first one compiled") {
  const ScopedFreshCache fresh;
  const std::vector<Layer> layers(by_device(16u, 5u));
  Tensor h = randn({10, 10}), expected = h;
  std::vector<std::int64_t> runs;
  for (const Layer& layer : layers) {
    const auto f = compile(layer);
    h = f(h);
    expected = layer(expected);
    runs.push_back(f.stats().compiler_runs);
  }
  CHECK(runs[0] > 0);
  CHECK(std::count(runs.begin() + 1, runs.end(), 0) == by_device(15, 4));
  CHECK(near_tensor(h, expected));
}

TEST_CASE("repeated layers: a training step compiles no more kernels for 12 layers than for 6") {
  std::vector<std::int64_t> compiled;
  const Tensor x = randn({10, 10});
  for (const int depth : {6, 12}) {
    const ScopedFreshCache fresh;
    Model model = model_of(depth), eager_model = model;
    optim::SGD optimizer{.learning_rate = 0.1f}, eager_optimizer = optimizer;
    const auto step = compile(loss_of);
    const auto eager = compile(loss_of, {.backend = Backend::eager});
    for (int i = 0; i < 3; ++i) {
      CHECK(near_tensor(step(model, optimizer, x), eager(eager_model, eager_optimizer, x), 1e-4));
    }
    compiled.push_back(step.stats().kernels_compiled);
  }
  CHECK(compiled[0] == compiled[1]);
}
