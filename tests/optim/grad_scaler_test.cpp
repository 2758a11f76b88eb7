#include "../trace/testing.hpp"

#include <sinter/sinter.hpp>

using namespace testing;
using amp::GradScaler;

namespace {

struct Net {
  nn::Linear hidden{4, 8}, head{8, 2};
  SINTER_MODULE(Net, hidden, head)
  Tensor forward(Operand x) const { return head(tanh(hidden(x))); }
};

struct Weights {
  Tensor w = vector({1, -2});
  SINTER_MODULE(Weights, w)
};

Gradients gradient(float first, float second) {
  return Gradients({{"w", vector({first, second})}});
}

// What torch.amp.GradScaler does to its scale and its count, in double.
struct Reference {
  double scale;
  int count = 0;

  void update(bool is_finite, int interval) {
    if (!is_finite) {
      scale *= 0.5, count = 0;
    } else if (++count == interval) {
      scale *= 2, count = 0;
    }
  }
};

template <class Optimizer>
Tensor train(Net& net, Optimizer& optimizer, GradScaler& scaler, const Tensor& x,
             const Tensor& target) {
  auto [loss, gradients] = value_and_grad(net, [&] {
    const amp::ScopedAutocast scope(f16);
    return scaler.scale(cross_entropy(net(x), target));
  });
  scaler.step(optimizer, net, gradients);
  scaler.update();
  return loss;
}

// All tensors of an optimizer and a module, as numbers.
template <class... M>
std::vector<Numbers> state(M&... modules) {
  std::vector<Numbers> result;
  const auto add = [&](auto& module) {
    for (const Tensor& each : tensors_in(module, Where::current())) {
      result.push_back(numbers(each));
    }
  };
  (add(modules), ...);
  return result;
}

// A first step that is skipped, one that is made, and one that is skipped, plain and compiled.
template <class Optimizer>
void check_skips(const Optimizer& fresh, bool is_compiled) {
  const auto step = [](Weights& weights, Optimizer& optimizer, GradScaler& scaler,
                       const Gradients& gradients) { scaler.step(optimizer, weights, gradients); };
  const auto compiled = compile(step);
  const auto call = [&](auto&... arguments) {
    is_compiled ? compiled(arguments...) : step(arguments...);
  };
  Weights weights, expected;
  Optimizer optimizer = fresh, other = fresh;
  GradScaler scaler{.init_scale = 4};
  const Gradients bad = gradient(1, infinity), none = gradient(not_a_number, 1);
  Gradients good = gradient(4, -8);

  call(weights, optimizer, scaler, bad);
  CHECK(numbers(weights.w) == Numbers{1, -2});
  scaler.update();
  CHECK(scaler.get_scale() == 2);
  call(weights, optimizer, scaler, good);
  other.step(expected, gradient(2, -4));
  CHECK(near(weights.w, numbers(expected.w), 1e-6));
  const auto before = state(weights, optimizer);
  call(weights, optimizer, scaler, none);
  CHECK(state(weights, optimizer) == before);
  const auto found = state(optimizer), expected_state = state(other);
  REQUIRE(found.size() == expected_state.size());
  for (std::size_t i = 0; i < found.size(); ++i) CHECK(near(found[i], expected_state[i], 1e-6));
}

}  // namespace

TEST_CASE("GradScaler: a skipped step changes neither parameters nor the state of optimizers") {
  for (const bool is_compiled : {false, true}) {
    check_skips(optim::SGD{.learning_rate = 0.1f, .momentum = 0.9, .dampening = 0.5}, is_compiled);
    check_skips(optim::Adam{}, is_compiled);
    check_skips(optim::AdamW{.amsgrad = true}, is_compiled);
    check_skips(optim::Adagrad{.lr_decay = 0.5, .initial_accumulator_value = 0.25}, is_compiled);
    check_skips(optim::RMSprop{.momentum = 0.5, .centered = true}, is_compiled);
    check_skips(optim::Lion{}, is_compiled);
  }
}

TEST_CASE("GradScaler: the scale grows and shrinks as torch's") {
  Weights weights;
  optim::SGD sgd;
  GradScaler scaler{.init_scale = 1024, .growth_interval = 3};
  Reference expected{1024};
  for (const bool is_finite : {true, true, false, true, true, true, true, false, false, true}) {
    scaler.step(sgd, weights, gradient(1, is_finite ? 1 : infinity));
    scaler.update();
    expected.update(is_finite, 3);
    CHECK(scaler.get_scale() == expected.scale);
    CHECK(scaler.growth_tracker.item<int>() == expected.count);
  }
  GradScaler large{.init_scale = 1e38f, .growth_factor = 10, .growth_interval = 1};
  large.step(sgd, weights, gradient(1, 1));
  large.update();
  CHECK(large.get_scale() == static_cast<double>(1e38f));
}

TEST_CASE("GradScaler: scale() updates after a step, and update() without a step does nothing") {
  Weights weights;
  optim::SGD sgd;
  GradScaler scaler{.init_scale = 8};
  scaler.update();
  CHECK(scaler.get_scale() == 8);
  scaler.step(sgd, weights, gradient(1, infinity));
  scaler.step(sgd, weights, gradient(1, 1));  // of a second optimizer, before the update
  CHECK(numbers(scaler.scale(1.5f)) == Numbers{6});
  CHECK(scaler.get_scale() == 4);
  CHECK(numbers(scaler.scale(1.5f)) == Numbers{6});
  const Tensor loss = scaler.scale(full({}, 60000.0f, f16));
  CHECK(loss.dtype() == f32);
  CHECK(near(loss, {240000}, 1e-3));
}

TEST_CASE("GradScaler: an f16 training step is one recording, and skips what overflows") {
  random::manual_seed(1);
  Net net;
  optim::AdamW adam{.learning_rate = 0.05f};
  GradScaler scaler{.init_scale = 1e30f};  // far too large
  const auto step = compile(train<optim::AdamW>);
  const Tensor x = sin(counting({12, 4})), target = arange(12) % 2;
  double first = 0, last = 0;
  for (int i = 0; i < 120; ++i) {
    const double scale = scaler.get_scale();
    last = step(net, adam, scaler, x, target).item<double>() / scale;
    if (i == 0) first = last;
  }
  CHECK(step.stats().recordings == 1);
  CHECK(step.stats().breaks == 0);
  CHECK(scaler.get_scale() < 1e8);
  const int steps = adam.steps.item<int>();
  CHECK(steps > 20);
  CHECK(steps < 60);
  CHECK(last < first * 0.75);
}

TEST_CASE("GradScaler: gradients are clipped without the scale") {
  Weights weights;
  optim::SGD sgd{.learning_rate = 1.0f};
  GradScaler scaler{.init_scale = 256};
  auto unscaled = scaler.unscale(gradient(256 * 3, 256 * 4));
  CHECK(near(clip_grad_norm(unscaled, 1), {5}, 1e-6));
  scaler.step(sgd, weights, unscaled);
  CHECK(near(weights.w, {1 - 0.6, -2 - 0.8}, 1e-5));
  auto infinite = scaler.unscale(gradient(infinity, 1));
  clip_grad_value(infinite, 1);  // finite again, yet the step is skipped
  scaler.step(sgd, weights, infinite);
  CHECK(near(weights.w, {1 - 0.6, -2 - 0.8}, 1e-5));
}

TEST_CASE("GradScaler: one that is not enabled does nothing") {
  Weights weights;
  optim::SGD sgd{.learning_rate = 1.0f};
  GradScaler scaler{.enabled = false};
  CHECK(numbers(scaler.scale(1.5f)) == Numbers{1.5});
  scaler.step(sgd, weights, gradient(0.5f, infinity));
  CHECK(near(weights.w, {0.5, -static_cast<double>(infinity)}));
}

TEST_CASE("GradScaler: gradients in f16 are a mistake") {
  const GradScaler scaler;
  const Gradients narrow({{"w", ones({2}, f16)}});
  MISTAKE(DTypeError, scaler.unscale(narrow), "GradScaler.unscale: ", "name  w", "f16[2]",
          "ScopedAutocast");
}
