// test: moved
// Random numbers in compiled functions: fresh on each call, the same on each backend.

#include <doctest/doctest.h>

#include "jit/support.hpp"
#include "moved.hpp"

using namespace testing;
using sinter_test::by_device;

namespace {

struct Net {
  nn::Linear in{6, 12}, out{12, 3};
  nn::Dropout dropout{0.5};
  SINTER_MODULE(Net, in, out, dropout)
  Tensor forward(const Tensor& x) const { return out(dropout(relu(in(x)))); }
};

Tensor train(Net& model, optim::AdamW& optimizer, const Tensor& x, const Tensor& target) {
  auto [loss, gradients] = value_and_grad(model, [&] { return cross_entropy(model(x), target); });
  optimizer.step(model, gradients);
  return loss;
}

std::vector<float> losses(Backend backend, int steps) {
  random::manual_seed(11);
  Net model;
  optim::AdamW optimizer{.learning_rate = 1e-2f};
  const auto step = compile(train, {.backend = backend});
  const Tensor x = randn({16, 6});
  const Tensor target = argmax(x, -1) % 3;
  std::vector<float> result;
  for (int i = 0; i < steps; ++i) {
    result.push_back(step(model, optimizer, x, target).item<float>());
  }
  return result;
}

const auto draws = [](const Tensor& x) {
  return std::vector<Tensor>{rand({5}),       rand({5}),
                             randn({40}),     randint(0, 10, {20}),
                             dropout(x, 0.3), bernoulli(full({9}, 0.5f))};
};

}  // namespace

TEST_CASE("random: a seed gives the same numbers on every backend, call by call") {
  const Tensor x = ones({30});
  std::vector<std::vector<Tensor>> found;
  for (const Backend backend : {Backend::fused, Backend::eager, Backend::aot_eager}) {
    const auto f = compile(draws, {.backend = backend});
    random::manual_seed(5);
    for (int call = 0; call < 3; ++call) found.push_back(f(x));
  }
  for (std::size_t call = 0; call < 3; ++call) {
    for (std::size_t draw = 0; draw < found[0].size(); ++draw) {
      INFO("call " << call << ", draw " << draw);
      CHECK(near_tensor(found[call][draw], found[call + 3][draw], 1e-6));
      CHECK(near_tensor(found[call][draw], found[call + 6][draw], 1e-6));
      if (draw != 2) CHECK(same_bits(found[call][draw], found[call + 3][draw]));
    }
  }
}

TEST_CASE("random: each call and each draw differ, a seed repeats them") {
  const auto f = compile([](const Tensor& x) {
    return std::vector<Tensor>{x + rand({50}), rand({50})};
  });
  const Tensor x = zeros({50});
  random::manual_seed(3);
  const auto first = f(x), second = f(x);
  CHECK_FALSE(same_bits(first[0], first[1]));
  CHECK_FALSE(same_bits(first[0], second[0]));
  CHECK_FALSE(same_bits(first[1], second[0]));
  random::manual_seed(3);
  CHECK(same_bits(f(x)[0], first[0]));
  CHECK(same_bits(f(x)[1], second[1]));
  random::manual_seed(4);
  CHECK_FALSE(same_bits(f(x)[0], first[0]));
  CHECK(f.stats().recordings == 1);
}

TEST_CASE("random: numbers do not depend on the size of the batch around them") {
  const auto f = compile([](const Tensor& x) { return dropout(x, 0.5); });
  std::vector<Tensor> results;
  for (const int rows : {4, 9}) {
    Tensor x = ones({rows, 7});
    mark_dynamic(x, 0);
    random::manual_seed(8);
    results.push_back(f(x));
  }
  const Tensor part = results[1][Slice{0, 4}];
  CHECK(near_tensor(part, results[0]));
}

TEST_CASE("random: dropout in a compiled training step equals the eager one") {
  const int steps = by_device(20, 4);
  const std::vector<float> fused = losses(Backend::fused, steps),
                           eager = losses(Backend::eager, steps);
  for (std::size_t i = 0; i < fused.size(); ++i) {
    CHECK(fused[i] == doctest::Approx(eager[i]).epsilon(1e-4));
  }
  CHECK(losses(Backend::fused, steps) == fused);
}

TEST_CASE("random: evaluation mode has no dropout, and costs one recording") {
  Net model;
  const auto f = compile(model);
  const Tensor x = randn({4, 6});
  CHECK_FALSE(same_bits(f(x), f(x)));
  nn::eval(model);
  CHECK(same_bits(f(x), f(x)));
  CHECK(f.stats().recordings == 2);
  CHECK(contains(f.explain().recompiles.at(0), "self.dropout.training: expected true"));
}

TEST_CASE("random: gathered elements equal those of the whole draw") {
  const auto found = [](const Tensor& x, const Tensor& scores) {
    const Tensor dropped = dropout(x, 0.25);
    return take_along_axis(dropped, argmax(scores, 1, true), 1);
  };
  const auto loss = [](const Tensor& x, const Tensor& scores) {
    return cross_entropy(dropout(x, 0.25), argmax(scores, 1));
  };
  const Tensor x = randn({32, 3}), scores = randn({32, 3});
  x.to_vector<float>(), scores.to_vector<float>();
  const auto check = [&](const auto& function) {
    const auto fused = compile(function), eager = compile(function, {.backend = Backend::eager});
    for (int i = 0; i < 3; ++i) {
      random::manual_seed(5);
      const Tensor expected = eager(x, scores);
      expected.to_vector<float>();
      random::manual_seed(5);
      CHECK(near_tensor(fused(x, scores), expected));
    }
  };
  check(found);
  check(loss);
}
