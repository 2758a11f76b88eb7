// test: moved
#include "../trace/testing.hpp"

#include <sinter/optim/average.hpp>
#include <sinter/sinter.hpp>

using namespace testing;
using optim::ExponentialMovingAverage;

namespace {

struct Net {
  nn::Linear layer{3, 2};
  Tensor labels = integers({1, 0});
  SINTER_MODULE(Net, layer, labels)
  Tensor forward(Operand x) const { return layer(x); }
};

// torch's AveragedModel: the parameters first, then decay * average + (1 - decay) * parameter.
void take(Numbers& average, const Numbers& parameter, double decay) {
  if (average.empty()) average = parameter;
  for (std::size_t i = 0; i < average.size(); ++i) {
    average[i] = decay * average[i] + (1 - decay) * parameter[i];
  }
}

Tensor step(Net& net, optim::SGD& sgd, ExponentialMovingAverage& average, const Tensor& x) {
  auto [loss, gradients] = value_and_grad(net, [&] { return mean(square(net(x))); });
  sgd.step(net, gradients);
  average.update(net);
  return loss;
}

template <class Step>
void check_averages(const Step& train) {
  Net net;
  optim::SGD sgd{.learning_rate = 0.5f};
  ExponentialMovingAverage average{.decay = 0.75f};
  const Tensor x = sin(counting({4, 3}));
  Numbers expected;
  for (int i = 0; i < 6; ++i) {
    train(net, sgd, average, x);
    take(expected, numbers(net.layer.weight), 0.75);
    CHECK(near(average.averages.at("layer.weight"), expected, 1e-6));
  }
  CHECK(average.averages.size() == 2);
  CHECK(average.updates.item<int>() == 6);
}

}  // namespace

TEST_CASE("ExponentialMovingAverage: averages are torch's, plain and in a compiled step") {
  check_averages(step);
  const auto compiled = compile(step);
  check_averages(compiled);
  CHECK(compiled.stats().recordings == 1);
  CHECK(compiled.stats().breaks == 0);
}

TEST_CASE("ExponentialMovingAverage: updates outside of compiled functions") {
  Net net;
  const auto model = compile(net);
  optim::SGD sgd{.learning_rate = 0.5f};
  ExponentialMovingAverage average{.decay = 0.5f};
  Numbers expected;
  for (int i = 0; i < 4; ++i) {
    auto [loss, gradients] = value_and_grad(net, [&] { return mean(square(model(ones({2, 3})))); });
    sgd.step(net, gradients);
    average.update(net);
    take(expected, numbers(net.layer.weight), 0.5);
  }
  CHECK(near(average.averages.at("layer.weight"), expected, 1e-6));
}

TEST_CASE("ExponentialMovingAverage: copy_to and swap") {
  Net net, copy;
  ExponentialMovingAverage average;
  average.update(net);
  const Numbers first = numbers(net.layer.weight);
  net.layer.weight = zeros({2, 3});
  average.swap(net);
  CHECK(near(net.layer.weight, first, 0));
  average.swap(net);
  CHECK(near(net.layer.weight, {0, 0, 0, 0, 0, 0}, 0));
  average.copy_to(copy);
  CHECK(near(copy.layer.weight, first, 0));
  CHECK(near(copy.labels, {1, 0}, 0));
}

TEST_CASE("ExponentialMovingAverage: f64 parameters keep their dtype and precision") {
  Tensor parameter = from_vector(Numbers{1.0 / 3}, {1});
  ExponentialMovingAverage average{.decay = 0.9};
  average.update({{"w", &parameter, {}}}, Where::current());
  parameter = parameter * 2;
  average.update({{"w", &parameter, {}}}, Where::current());
  CHECK(average.averages.at("w").dtype() == f64);
  CHECK(std::fabs(numbers(average.averages.at("w"))[0] - 1.1 / 3) < 1e-15);
}

TEST_CASE("ExponentialMovingAverage: mistakes name the parameter and the way out") {
  Net net;
  nn::Linear other(3, 2);
  ExponentialMovingAverage average;
  MISTAKE(ValueError, average.copy_to(net), "ExponentialMovingAverage.copy_to: ", "layer.weight",
          "update(module)");
  average.update(net);
  MISTAKE(ValueError, average.swap(other), "ExponentialMovingAverage.swap: ", "parameter weight",
          "[layer.bias, layer.weight]");
  net.layer = nn::Linear(3, 4);
  MISTAKE(ValueError, average.update(net), "layer.weight", "f32[4, 3]", "f32[2, 3]");
}
