// test: moved
// Promise 9: state that is created while recording counts as an argument of that recording.

#include <doctest/doctest.h>

#include <map>

#include "promises/promises.hpp"

using namespace testing;

namespace {

struct Net {
  nn::Linear in{4, 8}, out{8, 2};
  SINTER_MODULE(Net, in, out)
  Tensor forward(const Tensor& x) const { return out(gelu(in(x))); }
};

template <class Optimizer>
Tensor train(Net& model, Optimizer& optimizer, const Tensor& x) {
  auto [loss, gradients] = value_and_grad(model, [&] { return mean(square(model(x))); });
  optimizer.step(model, gradients);
  return loss;
}

// A running mean of what it is given, by name; begun when a name is first used.
struct Means {
  std::map<std::string, Tensor> means{};
  Tensor last{};
  SINTER_MODULE(Means, means, last)
};

void note(Means& state, const Tensor& x) {
  Tensor& mean = state.means["x"];
  if (!mean.defined()) create_state(mean, zeros_like(x));
  if (!state.last.defined()) create_state(state.last, zeros_like(x));
  mean = mean * 0.5f + x * 0.5f;
  state.last = x * 1.0f;
}

// Trains ten steps; checks that it took one recording, and gives the last loss.
template <class Optimizer>
float trained(Optimizer optimizer, Backend backend) {
  random::manual_seed(3);
  Net model;
  const auto step = compile(train<Optimizer>, {.backend = backend});
  const Tensor x = randn({8, 4});
  float loss = 0;
  for (int i = 0; i < 10; ++i) loss = step(model, optimizer, x).template item<float>();
  if (backend != Backend::eager) CHECK(step.stats().recordings == 1);
  CHECK(step.stats().recompiles == 0);
  return loss;
}

template <class Optimizer>
void check_trained(const Optimizer& optimizer) {
  const float eager = trained(optimizer, Backend::eager);
  CHECK(trained(optimizer, Backend::fused) == doctest::Approx(eager).epsilon(1e-4));
}

}  // namespace

TEST_CASE("promise 2.9: a training loop with a fixed batch compiles once, whatever it creates") {
  check_trained(optim::SGD{.learning_rate = 0.1f});
  check_trained(optim::SGD{.learning_rate = 0.1f, .momentum = 0.9});
  check_trained(optim::Adam{.learning_rate = 0.01f});
  check_trained(optim::AdamW{.learning_rate = 0.01f});
}

TEST_CASE("promise 2.9: created state is there for the next call, which finds the same variant") {
  const auto f = compile(note);
  Means state;
  double expected = 0;
  for (int i = 1; i <= 5; ++i) {
    f(state, full({3}, static_cast<float>(i)));
    expected = 0.5 * expected + 0.5 * i;
    CHECK(is(state.means.at("x"), expected));
    CHECK(is(state.last, i));
  }
  CHECK(f.stats().recordings == 1);
  CHECK(f.stats().variants == 1);
}

TEST_CASE("promise 2.9: created state is state: it keeps its address") {
  const auto f = compile(note);
  Means state;
  const Tensor x = ready(ones({64}));
  f(state, x);
  f(state, x);
  const void* const address = place(state.means.at("x"));
  for (int i = 0; i < 5; ++i) {
    f(state, x);
    CHECK(place(state.means.at("x")) == address);
  }
}

TEST_CASE("promise 2.9: any number of objects create their state in one variant") {
  const auto f = compile(note);
  Means first;
  f(first, ones({3}));
  f(first, ones({3}));
  for (int i = 1; i < 20; ++i) {
    Means other;
    for (int call = 0; call < 3; ++call) f(other, full({3}, 4.0f * static_cast<float>(i)));
    CHECK(is(other.means.at("x"), 3.5 * i));
    CHECK(is(other.last, 4 * i));
  }
  CHECK(is(first.means.at("x"), 0.75));
  CHECK(f.stats().variants == 1);
  CHECK(f.stats().recompiles == 0);
  CHECK(f.stats().eager_calls == 0);
}

TEST_CASE("promise 2.9: a call that fails creates nothing") {
  static bool throws = true;
  const auto f = compile([](Means& state, const Tensor& x) {
    note(state, x);
    if (throws) throw std::runtime_error("of the user");
  });
  Means state;
  CHECK_THROWS_AS(f(state, ones({3})), std::runtime_error);
  CHECK(state.means.empty());
  CHECK_FALSE(state.last.defined());
  throws = false;
  f(state, ones({3}));
  CHECK(is(state.means.at("x"), 0.5));
  CHECK(f.stats().recordings == 1);
}

TEST_CASE("promise 2.9: training goes on with a copy of the optimizer, moments and all") {
  random::manual_seed(4);
  Net model;
  optim::AdamW optimizer{.learning_rate = 0.01f};
  const auto step = compile(train<optim::AdamW>);
  const Tensor x = randn({8, 4});
  for (int i = 0; i < 3; ++i) step(model, optimizer, x);
  Net other = model;
  optim::AdamW other_optimizer = optimizer;
  for (int i = 0; i < 3; ++i) {
    const Tensor loss = step(model, optimizer, x);
    CHECK(same_bits(step(other, other_optimizer, x), loss));
  }
  CHECK(same_bits(model.in.weight, other.in.weight));
  CHECK(step.stats().recordings == 1);
}
