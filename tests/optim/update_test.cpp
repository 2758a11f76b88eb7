// test: moved
#include "../trace/testing.hpp"

#include <sinter/nn/linear.hpp>
#include <sinter/optim/adagrad.hpp>
#include <sinter/optim/adam.hpp>
#include <sinter/optim/lion.hpp>
#include <sinter/optim/rmsprop.hpp>
#include <sinter/optim/sgd.hpp>
#include <sinter/optim/update.hpp>
#include <sinter/trace/functional/loss/loss.hpp>
#include <sinter/trace/transform/grad.hpp>

using namespace testing;

namespace {

struct Net {
  nn::Linear in{4, 3}, out{3, 2};
  Tensor labels = integers({1, 0});
  SINTER_MODULE(Net, in, out, labels)
  Tensor forward(Operand x) const { return out(tanh(in(x))); }
};

struct Wide {
  Tensor weight = from_vector(Numbers{0.3, -0.7}, {2});
  SINTER_MODULE(Wide, weight)
};

// Ten steps in f64 along the gradients 0.37, -0.2..., against `step(weight, gradient, number)`, in
// double: the largest relative distance.
template <class Optimizer, class Step>
double wide_distance(Optimizer optimizer, Step step) {
  Wide wide;
  double first = 0.3, worst = 0;
  for (int t = 1; t <= 10; ++t) {
    const double g = 0.37 * std::cos(1.7 * t);
    optimizer.step(wide, Gradients({{"weight", from_vector(Numbers{g, -g}, {2})}}));
    step(first, g, t);
    worst = std::max(worst, std::fabs(numbers(wide.weight)[0] / first - 1));
  }
  CHECK(wide.weight.dtype() == f64);
  return worst;
}

}  // namespace

TEST_CASE("update: parameters of f64 are updated as in double: Adam and AdamW") {
  double m = 0, v = 0;
  const auto adam = [&](double& w, double g, int t) {
    m = 0.9 * m + 0.1 * g;
    v = 0.999 * v + 0.001 * g * g;
    w -= 0.01 * (m / (1 - std::pow(0.9, t))) / (std::sqrt(v / (1 - std::pow(0.999, t))) + 1e-8);
  };
  CHECK(wide_distance(optim::Adam{.learning_rate = 0.01}, adam) < 4e-14);
  m = v = 0;
  CHECK(wide_distance(optim::AdamW{.learning_rate = 0.01}, [&](double& w, double g, int t) {
          w -= 0.01 * 0.01 * w;
          adam(w, g, t);
        }) < 4e-14);
}

TEST_CASE("update: parameters of f64 are updated as in double: the other optimizers") {
  double sum = 0, m = 0;
  const optim::Adagrad adagrad{.learning_rate = 0.1f, .lr_decay = 0.3};
  CHECK(wide_distance(adagrad, [&](double& w, double g, int t) {
          sum += g * g;
          w -= double{0.1f} / (1 + 0.3 * (t - 1)) * g / (std::sqrt(sum) + 1e-10);
        }) < 4e-15);
  const optim::Lion lion{.learning_rate = 0.01f, .weight_decay = 0.1f};
  CHECK(wide_distance(lion, [&](double& w, double g, int) {
          w -= double{0.01f} * double{0.1f} * w;
          w -= double{0.01f} * (0.9 * m + 0.1 * g > 0 ? 1 : -1);
          m = 0.99 * m + 0.01 * g;
        }) < 4e-15);
  sum = 0;
  const optim::RMSprop rmsprop{.learning_rate = 0.01, .alpha = 0.9, .weight_decay = 0.1};
  CHECK(wide_distance(rmsprop, [&](double& w, double g, int) {
          g += 0.1 * w;
          sum = 0.9 * sum + 0.1 * g * g;
          w -= 0.01 * g / (std::sqrt(sum) + 1e-8);
        }) < 4e-15);
  sum = 0;
  const optim::SGD sgd{.learning_rate = 0.01, .momentum = 0.9, .dampening = 0.3};
  CHECK(wide_distance(sgd, [&](double& w, double g, int t) {
          sum = 0.9 * sum + (t == 1 ? 1 : 1 - 0.3) * g;
          w -= 0.01 * sum;
        }) < 4e-15);
}

TEST_CASE("updates_of: pairs every gradient with its parameter, in the order of the module") {
  Net net;
  const Tensor x = ones({2, 4});
  const auto [loss, gradients] =
      value_and_grad(net, [&] { return cross_entropy(net(x), net.labels); });

  const auto updates = optim::updates_of(net, gradients, "step", Where::current());

  REQUIRE(updates.size() == 4);
  CHECK(updates[0].name == "in.weight");
  CHECK(updates[0].parameter == &net.in.weight);
  CHECK(updates[0].gradient.lazy() == gradients["in.weight"].lazy());
  CHECK(updates[3].name == "out.bias");
}

TEST_CASE("state_of: refuses state of a parameter of another shape") {
  nn::Linear linear{8, 4};
  optim::SGD sgd{.momentum = 0.9};
  const auto step = [&](Where at) {
    Gradients gradients({{"weight", ones_like(linear.weight)}, {"bias", ones_like(*linear.bias)}});
    sgd.step(linear, gradients, at);
  };
  step(Where::current());
  linear = nn::Linear{8, 5};
  MISTAKE(ValueError, step(Where::current()), "optimizer.step: ", "name  weight", "f32[5, 8]",
          "f32[4, 8]", "a new optimizer");
}

TEST_CASE("updates_of: refuses gradients of another module") {
  nn::Linear linear{4, 3};
  const Gradients gradients({{"weight", ones({3, 4})}, {"scale", ones({1})}});
  const auto update = [&](Where at) { optim::updates_of(linear, gradients, "step", at); };
  MISTAKE(ValueError, update(Where::current()), "step: ", "[scale]", "[weight]");
}
