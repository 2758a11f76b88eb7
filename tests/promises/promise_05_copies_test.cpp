// test: moved
// Promise 5: assigning tensors copies values; a member that is used in two places ties them.

#include <doctest/doctest.h>

#include "promises/promises.hpp"

using namespace testing;

namespace {

struct Two {
  nn::Linear first{4, 4}, second{4, 4};
  SINTER_MODULE(Two, first, second)
  Tensor forward(const Tensor& x) const { return second(tanh(first(x))); }
};

// Its table is used to embed and, transposed, to compute scores.
struct Tied {
  nn::Embedding embed{6, 4};
  SINTER_MODULE(Tied, embed)
  Tensor forward(const Tensor& words) const {
    return matmul(tanh(embed(words)), transpose(embed.weight, 0, 1));
  }
};

template <class Model>
Tensor train(Model& model, optim::SGD& optimizer, const Tensor& x) {
  auto [loss, gradients] = value_and_grad(model, [&] { return mean(square(model(x))); });
  optimizer.step(model, gradients);
  return loss;
}

}  // namespace

TEST_CASE("promise 2.5: assigned weights are equal once, and go their ways") {
  Two model;
  model.second.weight = model.first.weight;
  CHECK(same_bits(model.first.weight, model.second.weight));
  optim::SGD optimizer{.learning_rate = 0.1f};
  const auto step = compile(train<Two>);
  for (int i = 0; i < 3; ++i) step(model, optimizer, ones({2, 4}));
  CHECK_FALSE(same_bits(model.first.weight, model.second.weight));
}

TEST_CASE("promise 2.5: an assigned module is a copy that training does not reach") {
  Two model;
  const Two before = model;
  const Tensor weight = before.first.weight * 1.0f;
  elements_of(weight);
  optim::SGD optimizer{.learning_rate = 0.1f};
  const auto step = compile(train<Two>);
  for (int i = 0; i < 3; ++i) step(model, optimizer, ones({2, 4}));
  CHECK(same_bits(before.first.weight, weight));
  CHECK_FALSE(same_bits(model.first.weight, weight));
}

TEST_CASE("promise 2.5: one recording serves weights that are shared and weights that are not") {
  Two model;
  const auto f = compile(model);
  const Tensor x = randn({3, 4});
  model.second.weight = model.first.weight;
  CHECK(near_tensor(f(x), model(x)));
  model.second.weight = randn({4, 4});
  CHECK(near_tensor(f(x), model(x)));
  CHECK(f.stats().recordings == 1);
}

TEST_CASE("promise 2.5: one member in both places is tied: its gradient is the sum of both uses") {
  Tied model;
  const Tensor words = integers({0, 3, 3});
  const auto loss = [&] { return sum(square(model(words))); };
  auto [value, gradients] = value_and_grad(model, loss);
  CHECK(gradients.size() == 1);
  const Tensor table = model.embed.weight;
  const auto as_scores = [&](const Tensor& weight) {
    return sum(square(matmul(tanh(index_select(table, 0, words)), transpose(weight, 0, 1))));
  };
  const auto as_words = [&](const Tensor& weight) {
    return sum(square(matmul(tanh(index_select(weight, 0, words)), transpose(table, 0, 1))));
  };
  const Tensor expected = grad(as_scores)(table) + grad(as_words)(table);
  CHECK(near_tensor(gradients["embed.weight"], expected, 1e-4));
}

TEST_CASE("promise 2.5: tied weights stay tied while they are trained") {
  Tied model, eager_model = model;
  optim::SGD optimizer{.learning_rate = 0.1f}, eager_optimizer = optimizer;
  const Tensor words = integers({0, 3, 3});
  const auto step = compile(train<Tied>);
  for (int i = 0; i < 3; ++i) {
    CHECK(near_tensor(step(model, optimizer, words), train(eager_model, eager_optimizer, words),
                      1e-4));
  }
  CHECK(nn::parameter_count(model) == 24);
  CHECK(step.stats().recordings == 1);
}
