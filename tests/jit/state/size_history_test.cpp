// test: moved
#include "support.hpp"

#include <sinter/compile/cache/load_or_compile.hpp>
#include <sinter/compile/cache/varying_sizes.hpp>
#include <sinter/jit/state/size_history.hpp>

using namespace testing;

namespace {

// Starts with an empty cache, and stores varying sizes in it.
struct Kept {
  compiler::FreshCache cache{};
  bool before = compiler::keep_varying(true);
  ~Kept() { compiler::keep_varying(before); }
};

// As in another process: the same function, compiled on the same line, without any calls yet.
auto begun_again(std::string_view name = {}, Dynamic dynamic = Dynamic::automatic) {
  return compile([](const Tensor& x) { return x * 2.0f; }, {.dynamic = dynamic, .name = name});
}

template <class F>
std::int64_t recordings(const F& f, const std::vector<int>& sizes) {
  for (const int size : sizes) CHECK(near_tensor(f(ones({3, size})), full({3, size}, 2.0f)));
  return f.stats().recordings;
}

struct Net {
  nn::Linear out{4, 2};
  SINTER_MODULE(Net, out)
  Tensor forward(const Tensor& x) const { return out(x); }
};

template <class Optimizer>
Tensor train(Net& net, Optimizer& optimizer, const Tensor& x) {
  auto [loss, gradients] = value_and_grad(net, [&] { return mean(square(net(x))); });
  optimizer.step(net, gradients);
  return loss;
}

// Trains a new model on batches of these sizes, as a new process would.
template <class Optimizer, class F>
std::int64_t trained(const F& step, const std::vector<int>& batches) {
  Net net;
  Optimizer optimizer;
  for (const int batch : batches) step(net, optimizer, ones({batch, 4}));
  return step.stats().recordings;
}

template <class Optimizer>
auto closed_step() {
  return compile(
      [](Net& net, Optimizer& optimizer, const Tensor& x) { return train(net, optimizer, x); });
}

template <class Optimizer>
auto open_step() {
  const int captured = 1;
  return compile([captured](Net& net, Optimizer& optimizer, const Tensor& x) {
    return train(net, optimizer, x) * static_cast<float>(captured);
  });
}

}  // namespace

TEST_CASE_TEMPLATE("varying: optimizers with and without state share their varying sizes",
                   Optimizer, optim::SGD, optim::Adam, optim::RMSprop) {
  const Kept kept;
  CHECK(trained<Optimizer>(closed_step<Optimizer>(), {5, 6, 7}) == 2);
  CHECK(trained<Optimizer>(closed_step<Optimizer>(), {8, 5, 9}) == 1);
  trained<Optimizer>(open_step<Optimizer>(), {5, 6, 7});
  const auto step = open_step<Optimizer>();
  trained<Optimizer>(step, {8, 5, 9});
  const std::int64_t graphs = step.stats().variants;
  trained<Optimizer>(step, {4, 3, 2});
  CHECK(step.stats().variants == graphs);
}

TEST_CASE("size history: another model in the same process starts with the sizes that varied") {
  const Kept kept;
  const auto step = closed_step<optim::Adam>();
  trained<optim::Adam>(step, {5, 6, 7});
  const std::int64_t recordings = step.stats().recordings;
  trained<optim::Adam>(step, {8, 5, 9});  // new state: one recording more at most
  CHECK(step.stats().recordings <= recordings + 1);
}

TEST_CASE(
    "size history: sizes that varied in an earlier process are symbols in the first recording") {
  const Kept kept;
  CHECK(recordings(begun_again(), {4, 5, 6}) == 2);
  const auto f = begun_again();
  CHECK(recordings(f, {7, 4, 9}) == 1);
  CHECK(f.stats().recompiles == 0);
}

TEST_CASE("size history: other functions, and functions that are never dynamic, are not affected") {
  const Kept kept;
  CHECK(recordings(begun_again("one"), {4, 5}) == 2);
  CHECK(recordings(begun_again("two"), {4, 5}) == 2);
  CHECK(recordings(begun_again("one", Dynamic::off), {4, 5}) == 2);
  CHECK(recordings(begun_again("one"), {4, 5}) == 1);
}

TEST_CASE("size history: a function that saw only one size stores nothing") {
  const Kept kept;
  CHECK(recordings(begun_again(), {4, 4}) == 1);
  CHECK(recordings(begun_again(), {4, 5}) == 2);
}

TEST_CASE("size history: the key has dtypes and ranks, not sizes") {
  Tensor a = ones({3}), b = ones({4}), c = ones({3, 1}), d = ones({3}, f64);
  const Where here = Where::current();
  const auto key = [&](Tensor& x) {
    const guard::Leaf leaf{.tensor = &x};
    return jit::varying_key(here, "", {&leaf, 1});
  };
  CHECK(key(a) == key(b));
  CHECK_FALSE(key(a) == key(c));
  CHECK_FALSE(key(a) == key(d));
}

TEST_CASE("size history: stored sizes are found again") {
  const Kept kept;
  CHECK(jit::varying_before({1, 2}).empty());
  jit::keep_for_later({1, 2}, {{0, 1}, {7, 2}});
  CHECK(jit::varying_before({1, 2}) == jit::Varying{{0, 1}, {7, 2}});
}

TEST_CASE("size history: sizes that varied before cause no recompile") {
  const Kept kept;
  CHECK(recordings(begun_again(), {5, 6}) == 2);
  const ScopedStance scope(Stance::fail_on_recompile);
  CHECK(recordings(begun_again(), {5, 7, 8}) == 1);
  const auto fixed = begun_again({}, Dynamic::off);
  CHECK(recordings(fixed, {5}) == 1);
  CHECK_THROWS_AS(fixed(ones({3, 7})), RecompileLimitError);
}
