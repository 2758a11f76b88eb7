// test: moved
// Values are checked against torch in training_test.cpp; here, state, dtypes and mistakes.

#include <sinter/optim/rmsprop.hpp>

#include "../trace/testing.hpp"

using namespace testing;

namespace {

struct Weights {
  Tensor first = vector({1, -2});
  SINTER_MODULE(Weights, first)
};

}  // namespace

TEST_CASE("RMSprop: its first step is as long as 1 - alpha says") {
  Weights weights;
  optim::RMSprop optimizer{.learning_rate = 0.5f, .alpha = 0.75};
  optimizer.step(weights, Gradients({{"first", vector({3, -4})}}));
  CHECK(near(weights.first, {1 - 0.5 / 0.5, -2 + 0.5 / 0.5}));
  CHECK(near(optimizer.squares.at("first"), {0.25 * 9, 0.25 * 16}));
}

TEST_CASE("RMSprop: has the defaults of torch, and only the state that its options need") {
  optim::RMSprop optimizer;
  Weights weights;
  weights.first = ones({2}, f16);
  CHECK(optimizer.learning_rate.item<float>() == 1e-2f);
  CHECK(optimizer.alpha == 0.99);
  optimizer.step(weights, Gradients({{"first", ones({2}, f16)}}));
  CHECK(optimizer.means.empty());
  CHECK(optimizer.sums.empty());
  CHECK(weights.first.dtype() == f16);
  optimizer.centered = true, optimizer.momentum = 0.5;
  optimizer.step(weights, Gradients({{"first", ones({2}, f16)}}));
  CHECK(optimizer.means.size() == 1);
  CHECK(optimizer.sums.at("first").dtype() == f16);
}

TEST_CASE("RMSprop: mistakes name the line, the values, the rule and the way out") {
  optim::RMSprop optimizer;
  Weights weights;
  MISTAKE(ValueError, optimizer.step(weights, Gradients({{"second", ones({2})}})),
          "RMSprop.step: ", "[second]");
}
