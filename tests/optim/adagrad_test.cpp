// test: moved
// Values are checked against torch in training_test.cpp; here, state, dtypes and mistakes.

#include <sinter/optim/adagrad.hpp>

#include "../trace/testing.hpp"

using namespace testing;

namespace {

struct Weights {
  Tensor first = vector({1, -2});
  SINTER_MODULE(Weights, first)
};

Gradients ones_of_first() { return Gradients({{"first", ones({2})}}); }

}  // namespace

TEST_CASE("Adagrad: steps become shorter with the sum of squares, and with lr_decay") {
  Weights weights;
  optim::Adagrad optimizer{.learning_rate = 1.0f, .lr_decay = 0.5};
  optimizer.step(weights, ones_of_first());
  CHECK(near(weights.first, {0, -3}));
  optimizer.step(weights, ones_of_first());
  CHECK(near(weights.first, {-1 / 1.5 / std::sqrt(2), -3 - 1 / 1.5 / std::sqrt(2)}));
  CHECK(optimizer.steps.item<int>() == 2);
}

TEST_CASE("Adagrad: has the defaults of torch; its sums start with a value") {
  optim::Adagrad optimizer{.initial_accumulator_value = 3};
  Weights weights;
  CHECK(optimizer.learning_rate.item<float>() == 1e-2f);
  CHECK(optimizer.eps == 1e-10);
  optimizer.step(weights, ones_of_first());
  CHECK(near(optimizer.squares.at("first"), {4, 4}));
  CHECK(near(weights.first, {1 - 0.005, -2.005}));
}

TEST_CASE("Adagrad: mistakes name the line, the values, the rule and the way out") {
  optim::Adagrad optimizer;
  Weights weights;
  MISTAKE(ValueError, optimizer.step(weights, Gradients({{"first", ones({3})}})),
          "Adagrad.step: ", "f32[3]", "f32[2]");
  CHECK(optimizer.steps.item<int>() == 0);
}
