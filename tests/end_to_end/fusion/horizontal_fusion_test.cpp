// test: moved
// Horizontal fusion: number of launches, and agreement of the results.

#include <doctest/doctest.h>

#include "jit/support.hpp"
#include "moved.hpp"

using namespace testing;
using sinter_test::are_kernels;
using sinter_test::by_device;

namespace {

struct Weights {
  std::vector<Tensor> list{};
  SINTER_MODULE(Weights, list)
};

// Many shapes: one element, none, odd sizes, and repeated shapes.
Shape shape_of(int i) {
  if (i % 7 == 3) return {1};
  if (i % 11 == 5) return {0, 4};
  if (i % 3 == 0) return {5 + i % 5};
  return {3 + i % 4, 5 + i % 6};
}

Weights weights_of(int count, std::int64_t rows = 1) {
  Weights result;
  for (int i = 0; i < count; ++i) {
    Shape shape = shape_of(i);
    if (i == 1) shape = {rows, 64};
    const Tensor x = arange(0, numel(shape).number(), 1, f32);
    result.list.push_back(sin(reshape(x + static_cast<float>(i), shape)));
  }
  return result;
}

Gradients gradients_of(const Weights& weights, Device device = current_device()) {
  std::vector<std::pair<std::string, Tensor>> list;
  for (const auto& [name, tensor] : nn::named_parameters(weights)) {
    list.emplace_back(name, cos(tensor * 3.0f).to(device));
  }
  return Gradients(std::move(list));
}

// Three steps with different learning rates, compiled and eager: the number of launches, and
// whether the weights agree.
template <class Optimizer>
void check(Optimizer optimizer, bool clips, std::int64_t launches, int count = 24,
           std::int64_t rows = 1) {
  const auto step = [clips](Weights& weights, Optimizer& state, Gradients gradients) {
    if (clips) clip_grad_norm(gradients, 1.0f);
    state.step(weights, gradients);
  };
  const Device device = current_device();
  const ScopedDevice host(cpu());  // eager steps need no compiler here
  Weights compiled = weights_of(count, rows), eager = weights_of(count, rows);
  nn::to(compiled, device);
  Optimizer other = optimizer;
  const Gradients gradients = gradients_of(eager, device), same = gradients_of(eager);
  const auto f = compile(step);
  const auto call = [&] {
    const ScopedDevice there(device);
    f(compiled, optimizer, gradients);
  };
  call();
  const void* const address = place(compiled.list[0]);
  for (int i = 0; i < 3; ++i) {
    if (i > 0) optimizer.learning_rate = other.learning_rate = 0.01f / static_cast<float>(i);
    if (i > 0) call();
    step(eager, other, same);
  }
  CHECK(f.stats().recompiles == 0);
  const std::int64_t found = f.stats().launches;
  CHECK(by_device(found == launches, found <= launches * count));  // at most one per parameter
  CHECK(f.stats().kernels == found);
  CHECK(place(compiled.list[0]) == address);
  for (int i = 0; i < count; ++i) {
    const auto at = static_cast<std::size_t>(i);
    CHECK(near_tensor(compiled.list[at], eager.list[at], 2e-6));
  }
}

}  // namespace

TEST_CASE("horizontal fusion: an optimizer's parameters of all shapes are one launch") {
  check(optim::AdamW{}, false, 1);
  check(optim::SGD{.momentum = 0.9}, false, 1);
  check(optim::Lion{}, false, 1);
  check(optim::RMSprop{}, false, 1);
}

TEST_CASE("horizontal fusion: one parameter and an independent scalar are also one launch") {
  Weights weights;
  weights.list.push_back(ones({64, 37}));
  optim::AdamW optimizer;
  const Gradients gradients = gradients_of(weights);
  const auto f = compile([](Weights& w, optim::AdamW& o, Gradients g) {
    o.step(w, g);
    return zeros({});
  });
  for (int i = 0; i < 2; ++i) f(weights, optimizer, gradients);
  CHECK(are_kernels(f.stats().kernels, 1));
}

TEST_CASE("horizontal fusion: with gradients clipped by their norm there are two") {
  check(optim::SGD{.momentum = 0.9}, true, 2, 24, 100);
  check(optim::Lion{}, true, 2, 24, 100);
  check(optim::AdamW{}, true, 2, 24, 100);
}

TEST_CASE(
    "horizontal fusion: 200 parameters of different shapes are one launch, and two if clipped" *
    doctest::test_suite("host: its launches of many texts")) {
  check(optim::AdamW{}, false, 1, 200, 100);
  check(optim::AdamW{}, true, 2, 200, 100);
  check(optim::SGD{}, true, 2, 200, 100);
  check(optim::Lion{}, true, 2, 200, 100);
}

TEST_CASE("horizontal fusion: all threads share large and small parameters" *
          doctest::test_suite("host: its threads")) {
  sinter::set_num_threads(3);
  check(optim::AdamW{}, false, 1, 12, 20000);
  sinter::set_num_threads(0);
}

TEST_CASE("horizontal fusion: 200 parameters need no more kernel texts than 20" *
          doctest::test_suite("host: its launches of many texts")) {
  std::size_t texts[2]{};
  for (const bool many : {false, true}) {
    Weights weights;
    for (int i = 0; i < (many ? 200 : 20); ++i) {
      weights.list.push_back(ones({3 + i % 13, 5}));
    }
    optim::AdamW optimizer;
    const Gradients gradients = gradients_of(weights);
    const auto f = compile([](Weights& w, optim::AdamW& o, Gradients g) { o.step(w, g); });
    f(weights, optimizer, gradients);
    CHECK(f.stats().kernels == 1);
    REQUIRE(f.explain().kernels.size() == 1);
    texts[many] = f.explain().kernels[0].source.size();
  }
  CHECK(texts[0] == texts[1]);
}

TEST_CASE("horizontal fusion: three products of one input are one launch") {
  const Tensor x = randn({24, 32}), q = randn({32, 32}), k = randn({32, 32}), v = randn({32, 32});
  const auto project = [](const Tensor& input, const Tensor& a, const Tensor& b, const Tensor& c) {
    return std::tuple(matmul(input, a), matmul(input, b), matmul(input, c));
  };
  const auto f = compile(project);
  const auto [a, b, c] = f(x, q, k, v);
  CHECK(are_kernels(f.stats().launches, 1));
  CHECK(near_tensor(a, matmul(x, q), 1e-4));
  CHECK(near_tensor(b, matmul(x, k), 1e-4));
  CHECK(near_tensor(c, matmul(x, v), 1e-4));
}
