// test: moved
#include "../trace/testing.hpp"

#include <sinter/optim/adam.hpp>
#include <sinter/trace/core/recorder.hpp>

using namespace testing;

namespace {

struct Weights {
  Tensor first = vector({1, -2});
  SINTER_MODULE(Weights, first)
};

// One parameter as torch.optim.Adam and AdamW update it, in double.
struct Reference {
  double rate = 1e-3, beta1 = 0.9, beta2 = 0.999, eps = 1e-8, decay = 0;
  bool decoupled = false;
  double value = 1, mean = 0, square = 0;
  int steps = 0;

  void step(double gradient) {
    ++steps;
    if (decoupled) value *= 1 - rate * decay;
    if (!decoupled) gradient += decay * value;
    mean = beta1 * mean + (1 - beta1) * gradient;
    square = beta2 * square + (1 - beta2) * gradient * gradient;
    const double deviation = std::sqrt(square) / std::sqrt(1 - std::pow(beta2, steps)) + eps;
    value -= rate / (1 - std::pow(beta1, steps)) * mean / deviation;
  }
};

template <class Optimizer>
void compare(Optimizer optimizer, Reference reference) {
  Weights weights;
  for (int i = 0; i < 50; ++i) {
    const float g = std::sin(static_cast<float>(i)) + 0.5f;
    optimizer.step(weights, Gradients({{"first", vector({g, 1})}}));
    reference.step(static_cast<double>(g));
    CHECK(std::fabs(numbers(weights.first)[0] - reference.value) < 2e-6);
  }
  CHECK(weights.first.dtype() == f32);
  CHECK(optimizer.means.at("first").dtype() == f32);
  CHECK(optimizer.steps.template item<int>() == 50);
}

}  // namespace

TEST_CASE("Adam: updates as torch does") {
  compare(optim::Adam(), {});
  compare(optim::Adam{.learning_rate = 0.05f, .beta1 = 0.8, .beta2 = 0.95, .eps = 1e-3},
          {.rate = 0.05, .beta1 = 0.8, .beta2 = 0.95, .eps = 1e-3});
  compare(optim::Adam{.learning_rate = 0.05f, .weight_decay = 0.1f}, {.rate = 0.05, .decay = 0.1});
  compare(optim::Adam{.learning_rate = 0.05f, .beta1 = 0}, {.rate = 0.05, .beta1 = 0});
}

TEST_CASE("AdamW: updates as torch does") {
  compare(optim::AdamW(), {.decay = 1e-2, .decoupled = true});
  compare(optim::AdamW{.learning_rate = 0.05f, .weight_decay = 0.1f},
          {.rate = 0.05, .decay = 0.1, .decoupled = true});
}

TEST_CASE("AdamW: its first step is as exact as its later ones, in spite of 1 - 0.999") {
  Weights weights;
  weights.first = zeros({2});
  optim::AdamW optimizer{.learning_rate = 1.0f};
  optimizer.step(weights, Gradients({{"first", vector({1e-3f, 1})}}));
  CHECK(near(weights.first, {-1e-3 / (1e-3 + 1e-8), -1}, 3e-7));
}

TEST_CASE("AdamW: 16-bit parameters stay of 16 bits, as do their moments") {
  Weights weights;
  weights.first = ones({2}, f16);
  optim::AdamW optimizer{.learning_rate = 0.125f};
  optimizer.step(weights, Gradients({{"first", ones({2}, f16)}}));
  CHECK(weights.first.dtype() == f16);
  CHECK(optimizer.squares.at("first").dtype() == f16);
}

TEST_CASE("AdamW: state that it creates in a recording is an input of the recording") {
  optim::AdamW optimizer;
  Recorder recorder;
  RecorderScope scope(&recorder);
  Weights weights;
  weights.first = recorder.placeholder({f32, {2}});

  optimizer.step(weights, Gradients({{"first", ones({2})}}));

  REQUIRE(recorder.created().size() == 2);
  CHECK(recorder.created()[0].member == &optimizer.means.at("first"));
  CHECK(recorder.created()[1].member == &optimizer.squares.at("first"));
  CHECK(optimizer.means.at("first").lazy()->node.op == Op::add);
}

TEST_CASE("AdamW: the learning rate is no part of a recording") {
  optim::AdamW optimizer;
  optimizer.learning_rate = 1e-2f * (1.0f - 0.5f);
  CHECK(optimizer.learning_rate.item<float>() == 5e-3f);
  optimizer.learning_rate *= 0.5f;
  CHECK(optimizer.learning_rate.dtype() == f32);
}

TEST_CASE("Adam: amsgrad divides by the largest mean of squares; maximize goes up") {
  Weights weights;
  optim::Adam optimizer{.learning_rate = 1.0f, .beta1 = 0, .beta2 = 0.5, .amsgrad = true};
  optimizer.step(weights, Gradients({{"first", vector({4, 4})}}));
  optimizer.step(weights, Gradients({{"first", vector({0, 1})}}));
  CHECK(near(optimizer.largest_squares.at("first"), {8, 8}));
  CHECK(near(optimizer.squares.at("first"), {4, 4.5}));
  weights.first = zeros({2});
  optim::Adam upwards{.learning_rate = 1.0f, .maximize = true};
  upwards.step(weights, Gradients({{"first", vector({4, -4})}}));
  CHECK(near(weights.first, {1, -1}));
  CHECK(upwards.largest_squares.empty());
}

TEST_CASE("Adam, AdamW: mistakes name the line, the values, the rule and the way out") {
  optim::Adam adam;
  optim::AdamW adamw;
  Weights weights;
  const Gradients other({{"second", ones({2})}});
  const Gradients turned({{"first", ones({1, 2})}});

  MISTAKE(ValueError, adam.step(weights, other), "Adam.step: ", "[second]", "value_and_grad");
  MISTAKE(ValueError, adamw.step(weights, other), "AdamW.step: ", "[second]");
  MISTAKE(ValueError, adamw.step(weights, turned), "f32[1, 2]", "f32[2]");
  CHECK(adamw.steps.item<int>() == 0);
}
