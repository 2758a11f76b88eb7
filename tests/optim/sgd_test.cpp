// test: moved
#include "../trace/testing.hpp"

#include <sinter/optim/sgd.hpp>

using namespace testing;

namespace {

struct Weights {
  Tensor first = vector({1, -2});
  Tensor second = vector({0.5});
  SINTER_MODULE(Weights, first, second)
};

// One parameter as torch.optim.SGD updates it, in double.
struct Reference {
  double rate, momentum, decay;
  bool nesterov;
  double value, sum = 0;

  void step(double gradient) {
    gradient += decay * value;
    sum = momentum * sum + gradient;
    value -= rate * (momentum == 0 ? gradient : nesterov ? gradient + momentum * sum : sum);
  }
};

void compare(optim::SGD sgd, Reference reference) {
  Weights weights;
  reference.value = 1;
  for (int i = 0; i < 10; ++i) {
    const float g = std::sin(static_cast<float>(i));
    sgd.step(weights, Gradients({{"first", vector({g, 1})}, {"second", vector({2})}}));
    reference.step(static_cast<double>(g));
    CHECK(std::fabs(numbers(weights.first)[0] - reference.value) < 1e-6);
  }
  CHECK(weights.first.dtype() == f32);
}

}  // namespace

TEST_CASE("SGD: updates as torch does") {
  compare({.learning_rate = 0.1f}, {0.1, 0, 0, false, 0});
  compare({.learning_rate = 0.1f, .momentum = 0.9}, {0.1, 0.9, 0, false, 0});
  compare({.learning_rate = 0.1f, .momentum = 0.9, .nesterov = true}, {0.1, 0.9, 0, true, 0});
  compare({.learning_rate = 0.1f, .momentum = 0.5, .weight_decay = 0.01f},
          {0.1, 0.5, 0.01, false, 0});
}

TEST_CASE("SGD: has the defaults of torch, and no state without momentum") {
  optim::SGD sgd;
  Weights weights;
  CHECK(sgd.learning_rate.item<float>() == 1e-3f);
  CHECK(sgd.weight_decay.item<float>() == 0);
  sgd.step(weights, Gradients({{"first", ones({2})}}));
  CHECK(sgd.sums.empty());
}

TEST_CASE("SGD: parameters without a gradient stay as they are") {
  optim::SGD sgd{.learning_rate = 1.0f, .momentum = 0.9};
  Weights weights;
  sgd.step(weights, Gradients({{"second", ones({1})}}));
  CHECK(near(weights.first, {1, -2}));
  CHECK(near(weights.second, {-0.5}));
  CHECK(sgd.sums.size() == 1);
}

TEST_CASE("SGD: the learning rate may be any number, at any time") {
  optim::SGD sgd;
  Weights weights;
  for (const float rate : {0.5f, 0.25f}) {
    sgd.learning_rate = rate;
    sgd.step(weights, Gradients({{"second", ones({1})}}));
  }
  sgd.learning_rate *= 2;
  sgd.step(weights, Gradients({{"second", ones({1})}}));
  CHECK(near(weights.second, {-0.75}));
}

TEST_CASE("SGD: mistakes name the line, the values, the rule and the way out") {
  optim::SGD sgd;
  Weights weights;
  const Gradients other({{"first", ones({2})}, {"third", ones({2})}});
  const Gradients long_one({{"first", ones({3})}});

  MISTAKE(ValueError, sgd.step(weights, other), "SGD.step: ", "[third]", "[first]");
  MISTAKE(ValueError, sgd.step(weights, long_one), "first", "f32[2]", "f32[3]");
  CHECK(near(weights.first, {1, -2}));
}

TEST_CASE("SGD: dampening starts with the second gradient of each parameter") {
  optim::SGD sgd{.learning_rate = 1.0f, .momentum = 0.5, .dampening = 0.75};
  Weights weights;
  sgd.step(weights, Gradients({{"second", ones({1})}}));
  CHECK(near(sgd.sums.at("second"), {1}));
  sgd.step(weights, Gradients({{"first", ones({2})}, {"second", ones({1})}}));
  CHECK(near(sgd.sums.at("first"), {1, 1}));
  CHECK(near(sgd.sums.at("second"), {0.75}));
}

TEST_CASE("SGD: nesterov without a momentum, or with dampening, is a mistake") {
  Weights weights;
  const Gradients gradients({{"second", ones({1})}});
  optim::SGD plain{.nesterov = true}, dampened{.momentum = 0.5, .dampening = 0.5, .nesterov = true};
  MISTAKE(ValueError, plain.step(weights, gradients), "SGD.step: ", "momentum > 0");
  MISTAKE(ValueError, dampened.step(weights, gradients), "dampening", "0.5");
}
