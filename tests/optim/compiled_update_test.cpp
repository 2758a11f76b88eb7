#include <doctest/doctest.h>

#include <string>
#include <vector>

#include <sinter/optim/compiled_update.hpp>
#include <sinter/sinter.hpp>

using namespace sinter;

namespace {

struct Pair {
  Tensor a = full({3, 2}, 0.5f), b = full({4}, -1.0f);
  SINTER_MODULE(Pair, a, b)
};

std::vector<optim::Update> updates_of(Pair& pair) {
  return {{"a", &pair.a, full({3, 2}, 0.25f)}, {"b", &pair.b, full({4}, -2.0f)}};
}

// The parameters after three steps, which are not written as recordings of compiled code would be.
template <class Optimizer, class Step>
std::vector<float> after(Optimizer optimizer, Step step) {
  Pair pair;
  for (int i = 0; i < 3; ++i) step(optimizer, updates_of(pair));
  std::vector<float> result = pair.a.to_vector<float>();
  for (const float x : pair.b.to_vector<float>()) result.push_back(x);
  return result;
}

template <class Optimizer>
void check_same_bits(const Optimizer& optimizer) {
  const auto compiled = [](Optimizer& o, const std::vector<optim::Update>& updates) {
    optim::update_compiled(o, updates, Where::current());
  };
  const auto plain = [](Optimizer& o, const std::vector<optim::Update>& updates) {
    const ScopedStance eager(Stance::force_eager);
    o.update(updates, Where::current());
  };
  CHECK(after(optimizer, compiled) == after(optimizer, plain));
}

}  // namespace

TEST_CASE("compiled update: every optimizer gives the bits that it gives otherwise") {
  check_same_bits(optim::SGD{.learning_rate = 0.1f, .momentum = 0.9f});
  check_same_bits(optim::Adam{});
  check_same_bits(optim::AdamW{.amsgrad = true});
  check_same_bits(optim::RMSprop{});
  check_same_bits(optim::Adagrad{});
  check_same_bits(optim::Lion{});
}

TEST_CASE("compiled update: parameters are updated in place, and an error leaves them") {
  Pair pair;
  optim::AdamW optimizer;
  optim::update_compiled(optimizer, updates_of(pair), Where::current());
  const float* const before = pair.a.data<float>();
  optim::update_compiled(optimizer, updates_of(pair), Where::current());
  CHECK(pair.a.data<float>() == before);
  std::vector<optim::Update> wrong = updates_of(pair);
  wrong[0].gradient = zeros({3, 5});
  CHECK_THROWS_AS(optim::update_compiled(optimizer, wrong, Where::current()), UserError);
  CHECK(pair.a.defined());
  CHECK(pair.b.defined());
}

TEST_CASE("compiled update: a step is compiled when gradients came from a compiled function") {
  nn::Linear layer(3, 2);
  auto model = compile(layer);
  const Tensor x = randn({4, 3});
  optim::SGD optimizer{.learning_rate = 0.01f};
  auto [loss, gradients] = value_and_grad(layer, [&] { return sum(square(model(x))); });
  CHECK(optim::compiles_steps());
  optimizer.step(layer, gradients);
  CHECK(sum(square(layer(x))).item<float>() < loss.item<float>());
  const ScopedStance eager(Stance::force_eager);
  CHECK(!optim::compiles_steps());
}
