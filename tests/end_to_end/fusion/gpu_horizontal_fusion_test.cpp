// test: deep emulator gpu
// Horizontal fusion on a GPU: number of launches, and agreement of the results.

#include <doctest/doctest.h>

#include "cuda_graph.hpp"

using namespace gpu_graph;

namespace {

struct Weights {
  std::vector<Tensor> list{};
  SINTER_MODULE(Weights, list)
};

// Many shapes: one element, none, odd sizes, repeated shapes, and one of many blocks.
Shape shape_of(int i) {
  if (i == 2) return {3000};
  if (i == 10) return {1};
  if (i % 11 == 5) return {0, 4};
  if (i % 3 == 0) return {5 + i % 5};
  return {3 + i % 4, 5 + i % 6};
}

Weights weights_of(int count, DType dtype, Device device) {
  Weights result;
  for (int i = 0; i < count; ++i) {
    result.list.push_back(sample(shape_of(i), 0.1 * i).to(dtype).to(device));
  }
  return result;
}

Gradients gradients_of(const Weights& weights, double by) {
  std::vector<std::pair<std::string, Tensor>> list;
  for (const auto& [name, tensor] : nn::named_parameters(weights)) {
    const Tensor here = sample(tensor.shape(), by + static_cast<double>(list.size()));
    list.emplace_back(name, here.to(tensor.dtype()).to(tensor.device()));
  }
  return Gradients(std::move(list));
}

// Three steps, each with its own learning rate and gradients.
template <class Optimizer>
Weights trained(Optimizer optimizer, int count, DType dtype, Device device,
                const CompileOptions& options, std::int64_t launches) {
  Weights weights = weights_of(count, dtype, device);
  const auto step =
      compile([](Weights& w, Optimizer& o, const Gradients& g) { o.step(w, g); }, options);
  std::vector<Gradients> held;  // so that every call has its own memory
  for (int i = 0; i < 3; ++i) {
    if (i > 0) optimizer.learning_rate = 0.01f / static_cast<float>(i);
    held.push_back(gradients_of(weights, i));
    step(weights, optimizer, held.back());
  }
  CHECK(step.stats().recompiles == 0);
  CHECK(step.stats().launches == launches);
  CHECK(step.stats().kernels == launches);
  return weights;
}

template <class Optimizer>
void check(const Optimizer& optimizer, DType dtype, const CompileOptions& options,
           std::int64_t launches, int count = 24) {
  const Weights here = trained(optimizer, count, dtype, cpu(), options, 1);
  const Weights there = trained(optimizer, count, dtype, cuda(), options, launches);
  for (std::size_t i = 0; i < here.list.size(); ++i) {
    CHECK(difference(there.list[i], here.list[i]) <= (dtype == f32 ? 2e-6 : 0.01));
  }
}

struct Chain {
  std::vector<nn::Linear> layers{{12, 12}, {12, 12}, {12, 12}, {12, 12}, {12, 12}, {12, 12}};
  SINTER_MODULE(Chain, layers)
};

}  // namespace

TEST_CASE("gpu horizontal fusion: an optimizer's parameters of all shapes are one launch") {
  GPU_TEST(machine, driver);
  for (const DType dtype : {f32, bf16}) {
    check(optim::AdamW{}, dtype, {}, 2);  // the learning rate, and the update
    check(optim::SGD{.momentum = 0.9}, dtype, {}, 1);
  }
  CHECK(machine.graph_launches() == 0);
}

TEST_CASE(
    "gpu horizontal fusion: the graph has one node for the updates, which is patched when "
    "gradients move") {
  GPU_TEST(machine, driver);
  check(optim::SGD{.momentum = 0.9}, f32, replayed, 1);
  CHECK(machine.graph_launches() == 3);
  CHECK(driver.edges().size() == 1);
  CHECK(driver.calls<&Driver::instantiate_graph>() == 1);
  CHECK(driver.calls<&Driver::set_kernel_node>() == 2);  // the gradients of each call
}

TEST_CASE(
    "gpu horizontal fusion: an optimizer's parameters are one launch, however many they are") {
  GPU_TEST(machine, driver);
  check(optim::AdamW{}, f32, {}, 2, 200);
  check(optim::AdamW{}, f32, replayed, 2, 200);
}

TEST_CASE(
    "gpu horizontal fusion: kernels beyond the limits of an old driver are launched separately") {
  EMULATED_TEST(machine, driver);
  machine.set_driver_version(12000);
  check(optim::AdamW{}, f32, {}, 7, 200);
  check(optim::AdamW{}, f32, replayed, 7, 200);
}

TEST_CASE("gpu horizontal fusion: sizes of the call determine the thread blocks of each kernel") {
  GPU_TEST(machine, driver);
  for (const CompileOptions& options : {CompileOptions{}, replayed}) {
    auto f =
        compile([](const Tensor& a, const Tensor& b,
                   const Tensor& c) { return std::tuple(tanh(a) + a, tanh(b) + b, tanh(c) + c); },
                options);
    for (const std::int64_t n : {5, 9, 3000, 1, 0, 1025}) {
      const Tensor a = sample({n}), b = sample({7, 3}), c = sample({n, 2});
      const auto [x, y, z] = f(a.to(cuda()), b.to(cuda()), c.to(cuda()));
      CHECK(difference(x, tanh(a) + a) < 1e-6);
      CHECK(difference(y, tanh(b) + b) < 1e-6);
      CHECK(difference(z, tanh(c) + c) < 1e-6);
    }
    CHECK(f.stats().launches == 2);  // kernels with 32-bit indices are a different text
  }
}

TEST_CASE("gpu horizontal fusion: rows of the same shape share a launch, and products do not") {
  GPU_TEST(machine, driver);
  auto f = compile([](const Tensor& a, const Tensor& b) {
    return std::tuple(softmax(a, 1), softmax(b, 1), matmul(a, a), matmul(b, b));
  });
  const Tensor a = sample({40, 40}), b = sample({40, 40}, 0.2);
  const auto [x, y, z, w] = f(a.to(cuda()), b.to(cuda()));
  CHECK(difference(x, softmax(a, 1)) < 1e-6);
  CHECK(difference(y, softmax(b, 1)) < 1e-6);
  CHECK(difference(z, matmul(a, a)) < 1e-5);
  CHECK(difference(w, matmul(b, b)) < 1e-5);
  CHECK(f.stats().launches == 3);
}

TEST_CASE("gpu horizontal fusion: norms of consecutive gradients are one launch") {
  GPU_TEST(machine, driver);
  const auto step = [](Chain& model, optim::SGD& optimizer, const Tensor& x) {
    auto [loss, gradients] = value_and_grad(model, [&] {
      Tensor y = x;
      for (const nn::Linear& layer : model.layers) y = tanh(layer(y));
      return sum(square(y));
    });
    const Tensor norm = clip_grad_norm(gradients, 0.25f);
    optimizer.step(model, gradients);
    return std::tuple(loss, norm);
  };
  Chain here, there = here;
  nn::to(there, cuda());
  optim::SGD optimizer{.learning_rate = 0.1f};
  const auto f = compile(step);
  const Tensor x = sample({5, 12});
  for (int i = 0; i < 3; ++i) {
    const auto [loss, norm] = step(here, optimizer, x);
    const auto [loss_there, norm_there] = f(there, optimizer, x.to(cuda()));
    CHECK(difference(loss_there, loss) < 1e-5);
    CHECK(difference(norm_there, norm) < 1e-5);
  }
  // 17 products and the loss; the norms of the weights, the gradients of the biases, their norms;
  // the sum of all norms, and one update per shape.
  CHECK(f.stats().launches == 24);
}
