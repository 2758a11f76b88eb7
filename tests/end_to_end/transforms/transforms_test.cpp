// test: moved
// Transforms in compiled functions: memory and results.

#include <doctest/doctest.h>

#include "jit/support.hpp"
#include "moved.hpp"

using namespace testing;
using sinter_test::by_device;

namespace {

struct Deep {
  std::vector<nn::Linear> layers;
  bool keeps = true;
  SINTER_MODULE(Deep, layers, keeps)

  Tensor forward(Tensor x) const {
    const auto group = [](const nn::Linear& layer, const Tensor& h) {
      return tanh(layer(tanh(layer(tanh(layer(h))))));
    };
    for (const nn::Linear& layer : layers)
      x = keeps ? group(layer, x) : checkpoint(group)(layer, x);
    return x;
  }
};

Deep make_deep(int groups, int width) {
  Deep result;
  for (int i = 0; i < groups; ++i) result.layers.emplace_back(width, width);
  return result;
}

Tensor loss(const Deep& model, const Tensor& x) { return mean(square(model(x))); }

// The gradients, and their peak memory.
std::pair<Deep, std::int64_t> gradients_of(Deep model, bool keeps, const Tensor& x) {
  model.keeps = keeps;
  const auto step = compile(grad(loss), {.fullgraph = true});
  Deep result = step(model, x);
  return {result, step.stats().peak_bytes};
}

// x with the gradient of its sign made 1: a straight-through estimator.
Tensor straight_through(const Tensor& x) {
  return custom_gradient([](const Tensor& v) { return sign(v); },
                         [](const Tensor&, const Tensor&, const Tensor& g) { return g; })(x);
}

}  // namespace

TEST_CASE("checkpoint: the gradient of a deep network takes less memory, and is unchanged") {
  const Deep model = make_deep(10, by_device(32, 16));
  const Tensor x = randn({by_device(256, 24), by_device(32, 16)});
  const auto [kept, memory] = gradients_of(model, true, x);
  const auto [again, less] = gradients_of(model, false, x);
  CHECK(less * 2 < memory);
  for (std::size_t i = 0; i < 10; ++i) {
    CHECK(near_tensor(again.layers[i].weight, kept.layers[i].weight, 1e-6));
  }
}

TEST_CASE("checkpoint: any number of rows, in one recording") {
  const Deep model = make_deep(2, 8);
  Deep less = model;
  less.keeps = false;
  const auto step = compile(grad(loss), {.fullgraph = true});
  for (const int rows : {4, 1, 9}) {
    Tensor x = randn({rows, 8});
    mark_dynamic(x, 0);
    CHECK(near_tensor(step(less, x).layers[0].weight, grad(loss)(model, x).layers[0].weight, 1e-5));
  }
  CHECK(step.stats().recordings == 1);
}

TEST_CASE("checkpoint: a norm inside moves its running statistics, compiled too") {
  const auto step = [](nn::BatchNorm1d& norm, const Tensor& x, bool keeps) {
    const auto f = [&](const Tensor& v) { return sin(norm(v)); };
    return grad([&](const Tensor& v) { return sum(keeps ? f(v) : checkpoint(f)(v)); })(x);
  };
  const auto compiled = compile(step, {.fullgraph = true});
  nn::BatchNorm1d plain(3), eager(3), fused(3);
  for (const int rows : {4, 6, 5}) {
    const Tensor x = randn({rows, 3});
    const Tensor expected = step(plain, x, true);
    CHECK(near_tensor(step(eager, x, false), expected, 1e-5));
    CHECK(near_tensor(compiled(fused, x, false), expected, 1e-5));
  }
  CHECK(near_tensor(eager.running_var->value, plain.running_var->value, 1e-6));
  CHECK(near_tensor(fused.running_var->value, plain.running_var->value, 1e-6));
  CHECK(fused.num_batches_tracked->item<int>() == 3);
}

TEST_CASE("custom_gradient: compiled, batched and differentiated, in every order") {
  const auto total = [](const Tensor& x) { return sum(straight_through(x) * x); };
  const Tensor x = tensor({1, -2, 3, -4}, {2, 2});
  const Numbers expected{2, -3, 4, -5};  // sign(x) + x
  CHECK(near(grad(total)(x), expected));
  CHECK(near(compile(grad(total), {.fullgraph = true})(x), expected));
  CHECK(near(vmap(grad(total))(x), expected));
  CHECK(near(compile(vmap(grad(total)), {.fullgraph = true})(x), expected));
  const auto batch = [&](const Tensor& v) { return sum(vmap(total)(v)); };
  CHECK(near(compile(grad(batch), {.fullgraph = true})(x), expected));
  const auto named =
      custom_gradient([](const Tensor& v) { return sign(v); },
                      [](const Tensor&, const Tensor&, const Tensor& g) { return g; });
  CHECK(near(compile(named)(x), {1, -1, 1, -1}));
}

TEST_CASE("grad: of several arguments and of structs, compiled") {
  const auto f = [](const Tensor& x, const Tensor& y) { return sum(x * y * y); };
  const Tensor x = vector({1, 2}), y = vector({3, 4});
  const auto both = compile(grad(f, {0, 1}), {.fullgraph = true})(x, y);
  CHECK(near(both[0], {9, 16}));
  CHECK(near(both[1], {6, 16}));
  const auto all_three = compile(value_and_grad(f, {1, 0}))(x, y);
  CHECK(near(all_three.value, {41}));
  CHECK(near(all_three.gradient[1], {9, 16}));
  const auto of_list = [](const std::vector<Tensor>& list) { return sum(list[0] * list[1]); };
  CHECK(near(compile(grad(of_list))(std::vector{x, y})[0], {3, 4}));
}
