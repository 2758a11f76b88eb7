// test: moved
// Steps of parameters that are divided, here among one rank, by hooks as dist has them.

#include "../trace/testing.hpp"

#include <sinter/sinter.hpp>

#include <sinter/trace/context/division.hpp>
#include <sinter/trace/context/division_hooks.hpp>

using namespace testing;

namespace {

struct Net {
  nn::Linear in{4, 3}, out{3, 2};
  SINTER_MODULE(Net, in, out)
  Tensor forward(Operand x) const { return out(tanh(in(x))); }
};

Tensor part(const Tensor& whole, const Division&, Where) { return flatten(whole); }
Tensor whole(const Tensor& part, const Division& division, Where) {
  return reshape(part, Shape(division.shape));
}
Tensor total(const Tensor& x, bool, int, Where) { return x * 4; }

int commits = 0;
void commit(int, Where) { ++commits; }

struct Hooks {
  Hooks() { division_hooks = {.part = part, .whole = whole, .commit = commit, .total = total}; }
  ~Hooks() { division_hooks = {}; }
};

// As dist::shard() does it.
void divide(Net& net, Division::Level level) {
  nn::for_each_parameter(net, [&](const std::string& name, Tensor& parameter) {
    Division division{.level = level, .name = name};
    for (const Extent& size : parameter.shape()) division.shape.push_back(size.number());
    parameter = level == Division::Level::parameters ? flatten(parameter) : parameter + 0;
    set_division(parameter, &division);
  });
}

template <class Optimizer>
Tensor step(Net& net, Optimizer& optimizer, const Tensor& x) {
  auto [loss, gradients] = value_and_grad(net, [&] { return mean(square(net(x))); });
  optimizer.step(net, gradients);
  return loss;
}

// Losses and states with `level` are those without.
template <class Optimizer>
void goes_as_whole(const Optimizer& optimizer, Division::Level level, bool compiles) {
  const Hooks hooks;
  const Tensor x = rand({5, 4});
  Net net, divided = net;
  Optimizer a = optimizer, b = optimizer;
  auto run = compile(step<Optimizer>);
  if (compiles) {  // a recording that does not know of the division is not replayed
    Net other = net;
    Optimizer c = optimizer;
    run(other, c, x);
  }
  divide(divided, level);
  commits = 0;
  for (int i = 0; i < 4; ++i) {
    const Tensor expected = step(net, a, x);
    const Tensor loss = compiles ? run(divided, b, x) : step(divided, b, x);
    CHECK(near(loss, numbers(expected)));
  }
  const bool is_whole = level != Division::Level::parameters;
  if (!compiles) CHECK(commits == (is_whole ? 4 : 0));  // once a step, before all are gathered
  CHECK(b.means.at("in.weight").ndim() == 1);
  CHECK(near(reshape(b.means.at("in.weight"), {3, 4}), numbers(a.means.at("in.weight"))));
  REQUIRE(division_of(divided.in.weight) != nullptr);
  const bool is_divided = level == Division::Level::parameters;
  CHECK(divided.in.weight.ndim() == (is_divided ? 1 : 2));
  CHECK(near(reshape(divided.in.weight, {3, 4}), numbers(net.in.weight)));
}

}  // namespace

TEST_CASE("divided step: eager and compiled, at each level, as the whole") {
  for (const auto level : {Division::Level::optimizer, Division::Level::parameters}) {
    for (const bool compiles : {false, true}) {
      CAPTURE(compiles);
      goes_as_whole(optim::AdamW{.learning_rate = 0.1f}, level, compiles);
      goes_as_whole(optim::Lion{.learning_rate = 0.1f}, level, compiles);
    }
  }
}

TEST_CASE("divided step: another division, or none, is another recording") {
  const Hooks hooks;
  Net net;
  optim::SGD sgd{.learning_rate = 0.1f};
  auto run = compile(step<optim::SGD>);
  const Tensor x = rand({5, 4});
  run(net, sgd, x), run(net, sgd, x);
  CHECK(run.stats().recordings == 1);
  divide(net, Division::Level::optimizer);
  run(net, sgd, x), run(net, sgd, x);
  CHECK(run.stats().recordings == 2);
  divide(net, Division::Level::gradients);
  run(net, sgd, x), run(net, sgd, x);
  CHECK(run.stats().recordings == 3);
}

TEST_CASE("divided step: gradients may be parts, and their norm is that of all ranks") {
  const Hooks hooks;
  Net net, divided = net;
  divide(divided, Division::Level::gradients);
  optim::SGD a{.learning_rate = 0.1f}, b = a;
  const Tensor x = rand({5, 4});
  auto [loss, gradients] = value_and_grad(net, [&] { return mean(square(net(x))); });
  auto parts = value_and_grad(divided, [&] { return mean(square(divided(x))); }).gradients;
  CHECK(division_of(parts["in.weight"])->level == Division::Level::gradients);
  parts += parts, parts /= 2;
  CHECK(division_of(parts["in.weight"]) != nullptr);
  for (auto& [name, gradient] : parts) gradient = flatten(gradient);
  for (std::size_t i = 0; i < parts.size(); ++i) parts.set_divided_among(i, 0);
  const Tensor norm = clip_grad_norm(parts, 1e9f);
  CHECK(near(norm, {2 * numbers(clip_grad_norm(gradients, 1e9f))[0]}));  // of four equal ranks
  CHECK(zeros_like(parts).divided_among(2) == 0);
  CHECK(zero_gradients(divided)["in.weight"].ndim() == 2);
  a.step(net, gradients), b.step(divided, parts);
  CHECK(near(divided.out.weight, numbers(net.out.weight)));
}
