// test: moved
// Floating-point numbers of the program that change in each call: at most one recompile, and never
// a stale value.

#include <doctest/doctest.h>

#include <cmath>

#include "jit/support.hpp"

using namespace testing;

namespace {

struct Line {
  Tensor weight = full({4}, 2.0f);
  SINTER_MODULE(Line, weight)
  Tensor forward(const Tensor& x) const { return x * weight; }
};

// SGD with momentum whose numbers are plain, and whose state is created on first use.
struct PlainSgd {
  float learning_rate = 0.1f;
  double momentum = 0.5;
  Tensor velocity{};
  SINTER_MODULE(PlainSgd, learning_rate, momentum, velocity)

  void step(Line& model, const Tensor& gradient) {
    if (!velocity.defined()) create_state(velocity, zeros_like(gradient));
    velocity = velocity * momentum + gradient;
    model.weight -= velocity * learning_rate;
  }
};

float rate_of(int step) { return 0.1f / static_cast<float>(1 + step); }

Tensor loss_of(const Line& model, const Tensor& x) { return mean(square(model(x) - 1.0f)); }

// The results of the steps, in f64.
struct Reference {
  double weight = 2, velocity = 0;
  void step(double rate, double momentum) {
    const double gradient = (weight - 1) / 2;  // of one of four elements, at x = 1
    velocity = velocity * momentum + gradient;
    weight -= velocity * rate;
  }
};

constexpr int steps = 1000;

}  // namespace

TEST_CASE("varying numbers: a learning rate that is a Scalar never recompiles") {
  Line model;
  optim::SGD sgd{.learning_rate = 0.1f, .momentum = 0.5f};
  const auto step = compile([](Line& line, optim::SGD& optimizer, const Tensor& x) {
    const auto [loss, gradients] = value_and_grad(line, [&] { return loss_of(line, x); });
    optimizer.step(line, gradients);
    return loss;
  });
  Reference reference;
  for (int i = 0; i < steps; ++i) {
    sgd.learning_rate = rate_of(i);
    step(model, sgd, ones({4}));
    reference.step(rate_of(i), 0.5);
  }
  CHECK(near(model.weight, Numbers(4, reference.weight), 1e-5));
  CHECK(step.stats().recompiles == 0);
  CHECK(step.stats().recordings == 1);
}

TEST_CASE(
    "varying numbers: AdamW with a learning rate that changes in each step never recompiles") {
  Line model, expected;
  optim::AdamW adam, expected_adam;
  const auto body = [](Line& line, optim::AdamW& optimizer, const Tensor& x) {
    const auto [loss, gradients] = value_and_grad(line, [&] { return loss_of(line, x); });
    optimizer.step(line, gradients);
    return loss;
  };
  const auto step = compile(body);
  for (int i = 0; i < 200; ++i) {
    adam.learning_rate = expected_adam.learning_rate = rate_of(i);
    step(model, adam, ones({4}));
    body(expected, expected_adam, ones({4}));
    elements_of(expected.weight);
  }
  CHECK(near_tensor(model.weight, expected.weight));
  CHECK(step.stats().recompiles == 0);
}

TEST_CASE(
    "varying numbers: a learning rate that is a float member recompiles once, state created or "
    "not") {
  Line model;
  PlainSgd sgd;
  const auto step = compile([](Line& line, PlainSgd& optimizer, const Tensor& x) {
    const auto [loss, gradients] = value_and_grad(line, [&] { return loss_of(line, x); });
    optimizer.step(line, gradients["weight"]);
    return loss;
  });
  Reference reference;
  for (int i = 0; i < steps; ++i) {
    sgd.learning_rate = rate_of(i);
    step(model, sgd, ones({4}));
    reference.step(rate_of(i), 0.5);
  }
  CHECK(near(model.weight, Numbers(4, reference.weight), 1e-5));
  CHECK(step.stats().recompiles == 1);
  CHECK(step.explain().recompiles.size() == 1);
  INFO(text(step.explain().recompiles));
  CHECK(contains(text(step.explain().recompiles), "argument 1.learning_rate"));
}

TEST_CASE("varying numbers: a captured learning rate recompiles once, state created or not") {
  Line model;
  PlainSgd sgd;
  float rate = 0;
  const auto step = compile([&](const Tensor& x) {
    const auto [loss, gradients] = value_and_grad(model, [&] { return loss_of(model, x); });
    sgd.learning_rate = rate;
    sgd.step(model, gradients["weight"]);
    return loss;
  });
  Reference reference;
  for (int i = 0; i < steps; ++i) {
    rate = rate_of(i);
    step(ones({4}));
    reference.step(rate_of(i), 0.5);
  }
  CHECK(near(model.weight, Numbers(4, reference.weight), 1e-5));
  CHECK(step.stats().recompiles == 1);
  CHECK(step.stats().compiler_runs <= 2);
}

TEST_CASE("varying numbers: an argument that is a float recompiles once") {
  const auto scaled = compile([](const Tensor& x, float factor) { return x * factor + 1.0f; });
  for (int i = 0; i < 100; ++i) {
    const float factor = static_cast<float>(i) / 8;
    CHECK(near(scaled(ones({3}), factor), Numbers(3, factor + 1.0)));
  }
  CHECK(scaled.stats().recompiles == 1);
}

TEST_CASE("varying numbers: 0, 1, -0, infinity and NaN are numbers like others") {
  float factor = 1;
  const auto function = [&](const Tensor& x) { return (x * factor + factor) / (x - factor); };
  const auto compiled = compile(function);
  const Tensor x = vector({-2, 0, 3, infinity, not_a_number});
  for (const float value : {1.0f, 0.0f, 1.0f, -0.0f, 2.0f, not_a_number, infinity, 1.0f, 0.0f}) {
    factor = value;
    INFO(value);
    CHECK(near(compiled(x), numbers(function(x))));
  }
  CHECK(compiled.stats().recompiles == 1);
}

TEST_CASE("varying numbers: numbers that were equal and then differ are kept apart") {
  float a = 1, b = 1, c = 3;
  const auto compiled = compile([&](const Tensor& x) { return (x + a) * b - c; });
  const auto check = [&](float next_a, float next_b, float next_c) {
    a = next_a, b = next_b, c = next_c;
    CHECK(near(compiled(vector({1, 2})), {(1.0 + a) * b - c, (2.0 + a) * b - c}));
  };
  check(1, 1, 3), check(2, 2, 3), check(2, 5, 3), check(5, 2, 3), check(1, 1, 1), check(3, 3, 3);
  check(0, 1, 3), check(1, 0, 0);
  CHECK(compiled.stats().recompiles <= 2);  // a and b, then c
}

TEST_CASE("varying numbers: several change one after the other, in any order") {
  float numbers_now[4] = {1, 2, 3, 4};
  const auto compiled = compile([&](const Tensor& x) {
    Tensor y = x;
    for (const float number : numbers_now) y = y * 0.5f + number;
    return y;
  });
  for (int i = 0; i < 64; ++i) {
    numbers_now[i % 4] += static_cast<float>(i);
    double expected = 1;
    for (const float number : numbers_now) expected = expected * 0.5 + number;
    CHECK(near(compiled(ones({2})), Numbers(2, expected)));
  }
  CHECK(compiled.stats().recompiles <= 4);
}

TEST_CASE("varying numbers: with every dtype a number is promoted as in eager evaluation") {
  double number = 0;
  const auto function = [&](const Tensor& x) { return where(x > number, x * number, x - number); };
  for (const DType dtype : {f64, f32, f16, bf16, i64, i32, u8}) {
    INFO(to_string(dtype));
    const auto compiled = compile(function, {.numerics = Numerics::strict});
    const auto eager = compile(function, {.backend = Backend::eager});
    const Tensor x = vector({0, 1, 2, 3, 100}).to(dtype);
    for (const double value : {1.1, 0.1, 1e-3, 2.7, 0.0, 1.0 / 3}) {
      number = value;
      CHECK(compiled(x).dtype() == eager(x).dtype());
      CHECK(same_bits(compiled(x), eager(x)));
    }
    CHECK(compiled.stats().recompiles <= 1);
  }
}

TEST_CASE("varying numbers: numbers that decide what is recorded are guarded") {
  float slope = 0, exponent = 2;
  double probability = 0;
  const auto function = [&](const Tensor& x) {
    return leaky_relu(x, slope) + pow(abs(x), exponent) + dropout(x, probability) * 0.0f;
  };
  const auto compiled = compile(function, {.recompile_limit = 100});
  const Tensor x = vector({-2, 0.5f, 3});
  for (int i = 0; i < 24; ++i) {
    slope = static_cast<float>(i % 3) / 2, exponent = static_cast<float>(i % 4);
    probability = (i % 5) / 5.0;
    CHECK(near(compiled(x), numbers(function(x)), 1e-5));
  }
}

TEST_CASE("varying numbers: a number read at a break stays a number") {
  const auto function = [](const Tensor& x) {
    const float largest = max(x).item<float>();
    return x / largest;
  };
  const auto compiled = compile(function);
  for (int i = 1; i < 30; ++i) {
    const Tensor x = vector({1, static_cast<float>(i)});
    CHECK(near(compiled(x), {1.0 / i, 1}));
  }
  CHECK(compiled.stats().recompiles == 1);
  CHECK(compiled.stats().graphs == 2);
}

TEST_CASE("varying numbers: integers are guarded: each value has a variant") {
  int shift = 0;
  const auto compiled = compile([&](const Tensor& x) { return x + shift; });
  for (int i = 0; i < 20; ++i) {
    shift = i % 3;
    CHECK(near(compiled(integers({1, 2})), {1.0 + shift, 2.0 + shift}));
  }
  CHECK(compiled.stats().recompiles == 2);
}

TEST_CASE("varying numbers: changing a plain number in the function is an error, in every mode") {
  struct Mode {
    bool is_open;
  };
  for (const Mode mode : {Mode{false}, Mode{true}}) {
    PlainSgd sgd;
    const Tensor offset = ones({4});
    const auto closed = compile([](PlainSgd& counter, const Tensor& x) {
      counter.learning_rate += 1;
      return x;
    });
    const auto open = compile([&](PlainSgd& counter, const Tensor& x) {
      counter.learning_rate += 1;
      return x + offset;
    });
    CHECK_THROWS_WITH_AS(mode.is_open ? open(sgd, offset) : closed(sgd, offset),
                         doctest::Contains("argument 0.learning_rate"), ValueError);
    CHECK(sgd.learning_rate == 0.1f);
  }
}

TEST_CASE("varying numbers: after a read, one branch has a number where the other has a tensor") {
  const auto branch = [](const Tensor& x, const Tensor& factor, float number) {
    if (any(x > 5.0f)) return x * number;
    return x * factor;
  };
  const auto compiled = compile(branch);
  const Tensor small = vector({1, 2}), large = vector({1, 9}), factor = full({}, 3.0f);
  for (int i = 0; i < 4; ++i) {
    const auto number = static_cast<float>(i);
    CHECK(near_tensor(compiled(small, factor, number), branch(small, factor, number)));
    CHECK(near_tensor(compiled(large, factor, number), branch(large, factor, number)));
  }
}
