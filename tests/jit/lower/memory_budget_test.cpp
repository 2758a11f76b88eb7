#include <doctest/doctest.h>
#include <sinter/jit/lower/memory_budget.hpp>

#include "jit/support.hpp"

using namespace testing;

namespace {

struct Net {
  nn::Linear a{32, 32}, b{32, 32}, c{32, 32}, d{32, 32}, e{32, 4};
  SINTER_MODULE(Net, a, b, c, d, e)
  Tensor forward(const Tensor& x) const { return e(gelu(d(gelu(c(gelu(b(gelu(a(x))))))))); }
};

constexpr std::int64_t batch = 4096;

Tensor train(Net& net, const Tensor& x) {
  auto [loss, gradients] = value_and_grad(net, [&] { return mean(square(net(x))); });
  optim::SGD{.learning_rate = 0.1}.step(net, gradients);
  return loss;
}

const auto chain = [](const Tensor& x) { return sum(exp(x), {1}); };

// The loss and the first weight after two steps, and the statistics of the last.
struct Trained {
  Tensor loss, weight;
  Stats stats;
};

Trained trained_with(std::int64_t memory_bytes) {
  random::manual_seed(3);
  Net net;
  const Tensor x = randn({batch, 32});
  const auto step = compile(train, {.memory_bytes = memory_bytes});
  step(net, x);
  Tensor loss = step(net, x);
  return {std::move(loss), net.a.weight, step.stats()};
}

}  // namespace

TEST_CASE("memory_budget: a plan recomputes values to fit, with the same results") {
  const Trained free = trained_with(0);
  const std::int64_t activation = batch * 32 * 4;
  const Trained tight = trained_with(free.stats.peak_bytes);  // less, as it includes the inputs
  CHECK(tight.stats.peak_bytes <= free.stats.peak_bytes - activation);
  CHECK(near_tensor(tight.loss, free.loss, 1e-4));
  CHECK(near_tensor(tight.weight, free.weight, 1e-4));
}

TEST_CASE("memory_budget: a call that cannot fit is an error before it runs") {
  Net net;
  const Tensor x = randn({batch, 32});
  const Tensor weight = net.a.weight + 0.0f;
  const auto step = compile(train, {.name = "train", .memory_bytes = 100'000});
  const std::string told = message_of<ValueError>([&] { step(net, x); });
  INFO(told);
  CHECK(contains(told, "train: the call needs more memory than memory_bytes"));
  CHECK(contains(told, "memory_bytes 100000"));
  CHECK(contains(told, "bytes of intermediates"));
  CHECK(contains(told, "524288 bytes, intermediate value of "));
  CHECK(contains(told, "memory_budget_test.cpp:13"));  // the line of a large value
  CHECK(same_bits(net.a.weight, weight));
}

TEST_CASE("memory_budget: the sizes of the call count where they are symbols") {
  const auto f = compile(chain, {.dynamic = Dynamic::on, .memory_bytes = 100'000});
  CHECK(near_tensor(f(zeros({100, 200})), full({100}, 200.0f)));
  const std::string told = message_of<ValueError>([&] { f(zeros({200, 200})); });
  CHECK(contains(told, "needs 160800 bytes"));  // 200 * 200 inputs and 200 results
  CHECK(near_tensor(f(zeros({10, 20})), full({10}, 20.0f)));
  CHECK(f.stats().recordings == 1);
}

TEST_CASE("memory_budget: traced functions and gradients of calls have it, too") {
  const auto traced = compile(
      [](const Tensor& x) {
        if (sum(x).item<float>() < 0) return x;
        return cumsum(x, 0) * 2.0f;
      },
      {.memory_bytes = 1000});
  said([&] {
    CHECK(near_tensor(traced(zeros({100})), zeros({100})));
    CHECK_THROWS_AS(traced(zeros({200})), ValueError);
  });
  const auto f = compile([](const Tensor& x) { return exp(x) * x; }, {.memory_bytes = 1000});
  const auto slope = grad([&](const Tensor& x) { return sum(f(x)); });
  CHECK(near_tensor(slope(zeros({50})), ones({50})));
  CHECK(contains(message_of<ValueError>([&] { slope(zeros({200})); }), "memory_bytes"));
}

TEST_CASE("memory_budget: what a call needs are inputs, intermediates and results") {
  schedule::Plan plan;
  plan.buffers = {{.dtype = f32, .elements = 10}, {.dtype = f64, .elements = 5}};
  plan.inputs = {0}, plan.outputs = {1, 1};
  plan.arena_bytes = 100;
  CHECK(same(jit::bytes_needed(plan, {}), 100 + 40 + 40 + 40));
  const schedule::Update update{.input = 0, .output = 1};
  CHECK(same(jit::bytes_needed(plan, {&update, 1}), 100 + 40 + 40));
}
