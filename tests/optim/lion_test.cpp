// test: moved
// 20 steps are checked in training_test.cpp; here, single ones, state, dtypes and mistakes.

#include <sinter/optim/lion.hpp>

#include "../trace/testing.hpp"

using namespace testing;

namespace {

struct Weights {
  Tensor first = vector({1, -2});
  SINTER_MODULE(Weights, first)
};

}  // namespace

TEST_CASE("Lion: steps are of one length, in the direction of the mean") {
  Weights weights;
  optim::Lion optimizer{.learning_rate = 0.5f, .beta1 = 0.75, .beta2 = 0.5};
  optimizer.step(weights, Gradients({{"first", vector({4, -1e-3f})}}));
  CHECK(near(weights.first, {0.5, -1.5}));
  CHECK(near(optimizer.means.at("first"), {2, -5e-4}));
  optimizer.step(weights, Gradients({{"first", vector({-4, 1})}}));
  CHECK(near(weights.first, {0, -2}));  // 0.75 * 2 - 0.25 * 4 is still positive
}

TEST_CASE("Lion: the weights decay by themselves") {
  Weights weights;
  optim::Lion optimizer{.learning_rate = 0.5f, .weight_decay = 0.5f};
  optimizer.step(weights, Gradients({{"first", zeros({2})}}));
  CHECK(near(weights.first, {0.75, -1.5}));
}

TEST_CASE("Lion: has the defaults of its paper, and keeps 16 bits") {
  optim::Lion optimizer;
  Weights weights;
  weights.first = ones({2}, bf16);
  CHECK(optimizer.learning_rate.item<float>() == 1e-4f);
  CHECK(optimizer.beta2 == 0.99);
  optimizer.step(weights, Gradients({{"first", ones({2}, bf16)}}));
  CHECK(weights.first.dtype() == bf16);
}

TEST_CASE("Lion: mistakes name the line, the values, the rule and the way out") {
  optim::Lion optimizer;
  Weights weights;
  MISTAKE(ValueError, optimizer.step(weights, Gradients({{"second", ones({2})}})),
          "Lion.step: ", "[second]");
}
