// test: moved
#include <doctest/doctest.h>

#include <sinter/jit/call/serve.hpp>

#include <thread>

#include "jit/support.hpp"

using namespace testing;

namespace {

struct Model {
  nn::Linear up{4, 8}, down{8, 4};
  SINTER_MODULE(Model, up, down)
  Tensor forward(const Tensor& x) const { return down(relu(up(x))); }
};

const auto step = [](Model& model, optim::SGD& optimizer, const Tensor& x) {
  auto [loss, gradients] = value_and_grad(model, [&] { return mean(square(model(x))); });
  optimizer.step(model, gradients);
  return loss;
};

}  // namespace

TEST_CASE("prepare: the call that follows compiles nothing and records nothing") {
  const ScopedFreshCache fresh;
  const auto f = compile([](const Tensor& x, const Tensor& y) { return exp(x) + sum(y); });
  f.prepare(TensorSpec{{3, 4}}, TensorSpec{{7}, f32});
  CHECK(f.stats().compiler_runs == 1);
  CHECK(f.stats().variants == 1);
  CHECK(f.stats().calls == 0);
  const Tensor x = randn({3, 4}), y = ones({7});
  CHECK(near_tensor(f(x, y), exp(x) + 7.0f));
  CHECK(f.stats().recordings == 1);
  CHECK(f.stats().recompiles == 0);
  CHECK(f.stats().compiler_runs == 1);
}

TEST_CASE("prepare: explain reports the last preparation until a call") {
  const auto f = compile([](const Tensor& x) { return softmax(x, -1); });
  f.prepare(TensorSpec{{3, 4}});
  const Explanation prepared = f.explain();
  CHECK(prepared.graphs.size() == 1);
  REQUIRE(prepared.kernels.size() == 1);
  CHECK(prepared.kernels[0].bytes_written == 48);
  CHECK(prepared.guards.at(0) == "argument 0 is f32[3, 4]");
  f.prepare(TensorSpec{{5, 4}});
  CHECK(f.explain().kernels.at(0).bytes_written == 80);
  f.prepare(TensorSpec{{3, 4}});  // already prepared
  CHECK(f.explain().kernels.at(0).bytes_written == 48);
  f(ones({3, 4}));
  CHECK(f.explain().kernels.at(0).source == prepared.kernels[0].source);

  float factor = 2.0f;
  const auto captures = compile([&](const Tensor& x) { return x * factor; });
  captures.prepare(TensorSpec{{3, 4}});
  REQUIRE(captures.explain().kernels.size() == 1);
  CHECK(captures.explain().kernels[0].bytes_written == 48);
}

TEST_CASE("prepare: preparing twice compiles once") {
  const auto f = compile([](const Tensor& x) { return x * 2.0f; });
  f.prepare(TensorSpec{{3, 4}});
  f.prepare(TensorSpec{{3, 4}});
  CHECK(f.stats().recordings == 1);
  CHECK(f.stats().variants == 1);
}

TEST_CASE("prepare: dimensions can be marked, and then every size of the range fits") {
  const auto f = compile([](const auto& x) { return softmax(x, -1); });
  f.prepare(TensorSpec{{8, 4}}.dynamic(0, {.min = 1, .max = 64}));
  f.freeze();
  for (const int rows : {1, 2, 8, 33, 64}) {
    Tensor x = randn({rows, 4});
    CHECK(near_tensor(f(x), softmax(x, -1), 1e-5));
  }
  CHECK_THROWS_AS(f(ones({65, 4})), RecompileLimitError);
  CHECK_THROWS_AS(f.prepare(TensorSpec{{8, 4}}.dynamic(2)), IndexError);
  CHECK_THROWS_AS(f.prepare(TensorSpec{{8, 4}}.dynamic(0, {.min = 9})), ValueError);
  MISTAKE(ShapeError, f.prepare(TensorSpec{{-3, 4}}), "prepare: an extent is negative", "[-3, 4]");
}

TEST_CASE("prepare: modules and numbers are passed as usual, and are unchanged") {
  const ScopedFreshCache fresh;
  Model model, before = model;
  optim::SGD optimizer{.learning_rate = 0.5f, .momentum = 0.9f};
  const auto train = compile(step);
  train.prepare(model, optimizer, TensorSpec{{16, 4}});
  const std::int64_t runs = train.stats().compiler_runs;
  CHECK(runs >= 1);
  CHECK(same_bits(model.up.weight, before.up.weight));
  const Tensor x = randn({16, 4});
  const Tensor loss = train(model, optimizer, x);
  CHECK(near_tensor(loss, mean(square(before(x))), 1e-5));
  CHECK_FALSE(same_bits(model.up.weight, before.up.weight));
  train(model, optimizer, x);
  CHECK(train.stats().compiler_runs == runs);
  CHECK(train.stats().variants == 1);
}

TEST_CASE("prepare: state that is created does not make another variant") {
  const auto train = compile(step);
  for (int round = 0; round < 3; ++round) {
    Model model;
    optim::SGD optimizer{.learning_rate = 0.5f, .momentum = 0.9f};
    for (int i = 0; i < 2; ++i) train(model, optimizer, ones({2, 4}));
  }
  CHECK(train.stats().variants == 1);
  CHECK(train.stats().recompiles == 0);
}

TEST_CASE("prepare: parameters that are changed, numbers, scalars, references of any kind") {
  const auto f = compile([](Tensor& total, const auto& x, float factor, Scalar by) {
    total = total + x * factor * by;
    return total;
  });
  f.prepare(TensorSpec{{3}}, TensorSpec{{3}}, 2.0f, Scalar(3.0f));
  f.freeze();
  Tensor total = zeros({3}), x = ones({3});
  f(total, x, 2.0f, Scalar(5.0f));
  CHECK(near_tensor(total, full({3}, 10.0f)));
  const auto moves = compile([](Tensor&& taken) { return taken + 1.0f; });
  moves.prepare(TensorSpec{{3}});
  moves.freeze();
  CHECK(near_tensor(moves(ones({3})), full({3}, 2.0f)));
}

TEST_CASE("prepare: a read throws, and nothing is compiled") {
  const auto f = compile([](const Tensor& x) { return sum(x) < 0.0f ? -x : x; });
  try {
    f.prepare(TensorSpec{{3}});
    FAIL("no error");
  } catch (const GraphBreakError& error) {
    INFO(error.what());
    CHECK(contains(error.what(), "prepare: elements are read on the host"));
    CHECK(contains(error.what(), "where("));
  }
  CHECK(f.stats().variants == 0);
}

TEST_CASE("prepare: functions with captures find their prepared segments") {
  const ScopedFreshCache fresh;
  float factor = 2.0f;
  const auto f = compile([&](const Tensor& x) { return (x + 1.0f) * factor; });
  f.prepare(TensorSpec{{3, 4}});
  CHECK(f.stats().compiler_runs == 1);
  CHECK(f.stats().calls == 0);
  CHECK(near_tensor(f(ones({3, 4})), full({3, 4}, 4.0f)));
  CHECK(f.stats().compiler_runs == 1);
  CHECK(f.stats().recompiles == 0);
  CHECK(f.stats().variants == 1);
}

TEST_CASE("prepare: captured tensors are refused and stay unchanged") {
  Tensor total = ones({4});
  const auto add = [&total](const Tensor& x) { total += x; };
  const auto f = compile(add);
  CHECK_THROWS_AS(f.prepare(TensorSpec{{4}}), ValueError);
  CHECK(near(total, {1, 1, 1, 1}));
  f(ones({4}));
  CHECK(near(total, {2, 2, 2, 2}));
  const auto pure = compile(assume_pure([&total](const Tensor& x) { return x * total; }));
  pure.prepare(TensorSpec{{4}});
  CHECK(near(pure(ones({4})), {2, 2, 2, 2}));
  CHECK(pure.stats().variants == 1);
}

TEST_CASE("prepare: host functions are not called") {
  const auto f = compile([](const Tensor& x) {
    host([](const Tensor&) { throw ValueError({.what = "called"}); })(x);
    return x + 1.0f;
  });
  f.prepare(TensorSpec{{3}});
  CHECK(f.stats().variants == 1);
  int calls = 0;
  const auto g = compile([&calls](const Tensor& x) {
    host([&calls](const Tensor&) { ++calls; })(x * 2.0f);
    return x + 1.0f;
  });
  g.prepare(TensorSpec{{3}});
  CHECK(calls == 0);
  g(ones({3}));
  CHECK(calls == 1);
  CHECK(g.stats().recompiles == 0);
}

TEST_CASE("prepare: several threads prepare at once, each signature once") {
  const ScopedFreshCache fresh;
  const auto f = compile([](const Tensor& x) { return softmax(x * 2.0f, -1); },
                         {.dynamic = Dynamic::off, .recompile_limit = 100});
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&f, i, device = current_device()] {
      const ScopedDevice scope(device);
      f.prepare(TensorSpec{{4, 8 + i % 4}});
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(f.stats().recordings == 4);
  CHECK(f.stats().variants == 4);
  const std::int64_t runs = f.stats().compiler_runs;
  for (int i = 0; i < 4; ++i) {
    const Tensor x = randn({4, 8 + i});
    CHECK(near_tensor(f(x), softmax(x * 2.0f, -1), 1e-5));
  }
  CHECK(f.stats().compiler_runs == runs);
}

TEST_CASE("prepare: at recompile_limit it throws") {
  const auto f = compile([](const Tensor& x) { return x * 2.0f; },
                         {.dynamic = Dynamic::off, .recompile_limit = 2});
  f.prepare(TensorSpec{{2}});
  f.prepare(TensorSpec{{3}});
  CHECK_THROWS_AS(f.prepare(TensorSpec{{4}}), RecompileLimitError);
  f.prepare(TensorSpec{{3}});
}
