// test: moved
// Promise 19: repeated modules compile once.

#include <doctest/doctest.h>

#include <algorithm>

#include "moved.hpp"
#include "promises/promises.hpp"

using namespace testing;
using sinter_test::by_device;

namespace {

struct Layer {
  nn::LayerNorm norm{8};
  nn::Linear up{8, 16}, down{16, 8};
  SINTER_MODULE(Layer, norm, up, down)
  Tensor forward(const Tensor& x) const { return x + down(gelu(up(norm(x)))); }
};

struct Model {
  std::vector<Layer> layers;
  SINTER_MODULE(Model, layers)
  Tensor forward(Tensor x) const {
    for (const Layer& layer : layers) x = layer(x);
    return x;
  }
};

// Layers that add a mask, which is computed from the input, and the same for all of them.
struct Masked {
  std::vector<nn::Linear> layers;
  SINTER_MODULE(Masked, layers)
  Tensor forward(Tensor x) const {
    const Tensor mask = where(x > 0.0f, 0.0f, -1.0f) * tanh(x);
    for (const nn::Linear& layer : layers) x = tanh(layer(x) + mask);
    return x;
  }
};

template <class M, class L>
M model_of(int depth, const L& layer) {
  return {.layers = std::vector<L>(static_cast<std::size_t>(depth), layer)};
}

Tensor train(Model& model, optim::SGD& optimizer, const Tensor& x) {
  auto [loss, gradients] = value_and_grad(model, [&] { return mean(square(model(x))); });
  optimizer.step(model, gradients);
  return loss;
}

// What one call of the whole model asks of the compiler, with caches that are empty.
struct Asked {
  std::int64_t runs = 0, kernels = 0;
  bool operator==(const Asked&) const = default;
};

template <class M>
Asked asked_by(const M& model, const Tensor& x) {
  const ScopedFreshCache fresh;
  const auto f = compile(model, {.fullgraph = true});
  CHECK(near_tensor(f(x), model(x), 1e-4));
  return {f.stats().compiler_runs, f.stats().kernels_compiled};
}

}  // namespace

TEST_CASE("promise 2.19: what the compiler is asked for does not grow with the layers") {
  const Tensor x = randn({4, 8});
  const Asked four = asked_by(model_of<Model>(4, Layer()), x);
  CHECK(four.kernels > 0);
  CHECK(four.runs <= four.kernels);
  CHECK(asked_by(model_of<Model>(by_device(64, 8), Layer()), x) == four);
  CHECK(asked_by(model_of<Model>(by_device(256, 24), Layer()), x) == four);
}

TEST_CASE("promise 2.19: with dynamic sizes as well") {
  const Tensor x = marked(randn({4, 8}));
  const Asked four = asked_by(model_of<Model>(4, Layer()), x);
  CHECK(asked_by(model_of<Model>(by_device(32, 8), Layer()), x) == four);
}

TEST_CASE("promise 2.19: values that all layers share leave the first like the others") {
  const Tensor x = randn({4, 8});
  const nn::Linear layer{8, 8};
  const Asked four = asked_by(model_of<Masked>(4, layer), x);
  CHECK(asked_by(model_of<Masked>(by_device(32, 8), layer), x) == four);
}

TEST_CASE("promise 2.19: compiled one by one, layers share what was compiled") {
  const ScopedFreshCache fresh;
  const int layers = by_device(64, 8);
  const Model model = model_of<Model>(layers, Layer());
  const Tensor x = randn({4, 8});
  Tensor h = x;
  std::vector<Asked> asked;
  for (const Layer& layer : model.layers) {
    const auto f = compile(layer);
    h = f(h);
    asked.push_back({f.stats().compiler_runs, f.stats().kernels_compiled});
  }
  CHECK(near_tensor(h, model(x), 1e-4));
  CHECK(asked[0].runs > 0);
  CHECK(asked[0].kernels < 8);
  CHECK(std::count(asked.begin() + 1, asked.end(), Asked()) == layers - 1);
}

TEST_CASE("promise 2.19: one compiled function serves all layers with one variant") {
  const auto f = compile([](const Layer& layer, const Tensor& x) { return layer(x); });
  const Model model = model_of<Model>(by_device(20, 6), Layer());
  const Tensor x = randn({4, 8});
  Tensor h = x;
  for (const Layer& layer : model.layers) h = f(layer, h);
  CHECK(near_tensor(h, model(x), 1e-4));
  CHECK(f.stats().variants == 1);
}

TEST_CASE("promise 2.19: a training step does not grow either") {
  const Tensor x = randn({4, 8});
  std::vector<Asked> asked;
  for (const int depth : {6, 12}) {
    const ScopedFreshCache fresh;
    Model model = model_of<Model>(depth, Layer());
    optim::SGD optimizer{.learning_rate = 0.01f};
    const auto step = compile(train);
    step(model, optimizer, x);
    asked.push_back({step.stats().compiler_runs, step.stats().kernels_compiled});
  }
  CHECK(asked[0] == asked[1]);
}
