// test: moved
#include <doctest/doctest.h>
#include <sinter/jit/state/variant.hpp>

#include <array>

#include "jit/support.hpp"

using namespace testing;

namespace {

struct Net {
  nn::Linear in{4, 8}, out{8, 2};
  SINTER_MODULE(Net, in, out)
  Tensor forward(const Tensor& x) const { return out(relu(in(x))); }
};

Tensor train(Net& model, optim::AdamW& optimizer, const Tensor& x, const Tensor& y) {
  auto [loss, gradients] = value_and_grad(model, [&] { return mean(square(model(x) - y)); });
  optimizer.step(model, gradients);
  return loss;
}

const auto accumulate_in_place = [](Tensor& total, const Tensor& x) { total += x; };

}  // namespace

TEST_CASE("variant: state without other holders keeps its address over 1,000 steps") {
  Net model;
  optim::AdamW optimizer;
  const auto step = compile(train);
  const Tensor x = randn({6, 4}), y = randn({6, 2});
  step(model, optimizer, x, y);
  const void* const weight = place(model.in.weight);
  const void* const mean = place(optimizer.means.at("out.weight"));
  const int steps = jit::checks() ? 50 : 1000;
  for (int i = 0; i < steps; ++i) step(model, optimizer, x, y);
  CHECK(place(model.in.weight) == weight);
  CHECK(place(optimizer.means.at("out.weight")) == mean);
  CHECK(step.stats().recordings == 1);
}

TEST_CASE("variant: a snapshot keeps its value, and the state moves once") {
  const auto f = compile(accumulate_in_place);
  Tensor total = vector({1, 2});
  const Tensor x = vector({1, 1});
  f(total, x);
  const void* const first = place(total);
  const Tensor snapshot = total;
  f(total, x);
  const void* const second = place(total);
  CHECK(second != first);
  for (int i = 0; i < 10; ++i) f(total, x);
  CHECK(place(total) == second);
  CHECK(near(snapshot, {2, 3}));
  CHECK(near(total, {13, 14}));
}

TEST_CASE("variant: memory of the caller is read and never written" *
          doctest::test_suite("host: its memory is of the host")) {
  const auto f = compile(accumulate_in_place);
  std::vector<float> memory{1, 2};
  Tensor total = view(memory.data(), {2});
  f(total, vector({1, 1}));
  CHECK(near(total, {2, 3}));
  CHECK(memory == std::vector<float>{1, 2});
}

TEST_CASE("variant: an alias by reshape is not written to") {
  const auto f = compile(accumulate_in_place);
  Tensor total = vector({1, 2});
  const Tensor alias = reshape(total, {2, 1});
  CHECK(near(alias, {1, 2}));
  f(total, vector({1, 1}));
  CHECK(near(alias, {1, 2}));
  CHECK(near(total, {2, 3}));
}

TEST_CASE("variant: a value not computed yet sees the old state") {
  const auto f = compile(accumulate_in_place);
  Tensor total = vector({1, 2});
  const Tensor later = total * 10.0f;
  f(total, vector({1, 1}));
  CHECK(near(later, {10, 20}));
  CHECK(near(total, {2, 3}));
}

TEST_CASE("variant: results that are held are not written to by later calls") {
  const auto f = compile([](Tensor& state) {
    state += 1.0f;
    return std::array<Tensor, 2>{state, state * 2.0f};
  });
  Tensor state = vector({0});
  std::vector<std::array<Tensor, 2>> history;
  for (int i = 0; i < 4; ++i) history.push_back(f(state));
  for (int i = 0; i < 4; ++i) {
    CHECK(near(history[static_cast<std::size_t>(i)][0], {i + 1.0}));
    CHECK(near(history[static_cast<std::size_t>(i)][1], {2 * i + 2.0}));
  }
}

TEST_CASE("variant: a result that becomes state is updated in place") {
  const auto make = compile([](const Tensor& x) { return std::array<Tensor, 1>{x * 2.0f}; });
  const auto f = compile(accumulate_in_place);
  Tensor state = std::move(make(vector({1, 2}))[0]);
  const void* const address = place(state);
  f(state, vector({1, 1}));
  CHECK(place(state) == address);
  CHECK(near(state, {3, 5}));
}

TEST_CASE("variant: an index out of range throws and leaves state unchanged") {
  for (const Backend backend : {Backend::fused, Backend::eager}) {
    const auto f = compile(
        [](Tensor& state, const Tensor& table, const Tensor& index) {
          state += 1.0f;
          state *= index_select(table, 0, index);
          return state * 2.0f;
        },
        {.backend = backend});
    Tensor state = vector({1, 2});
    const Tensor table = vector({1, 2, 3});
    f(state, table, integers({0, 1}));
    CHECK(near(state, {2, 6}));
    const void* const address = place(state);
    try {
      f(state, table, integers({0, 3}));
      FAIL_CHECK("nothing was thrown");
    } catch (const IndexError& error) {
      CHECK(contains(error.what(), "3"));
      CHECK(contains(error.what(), "variant_test.cpp"));
    }
    CHECK(near(state, {2, 6}));
    CHECK(place(state) == address);
    f(state, table, integers({-1, 0}));
    CHECK(near(state, {9, 7}));
  }
}

TEST_CASE("variant: a fault in the call that creates state leaves no state behind") {
  const auto f = compile([](optim::AdamW& optimizer, const Tensor& table, const Tensor& index) {
    Tensor& mean = optimizer.means["x"];
    if (!mean.defined()) create_state(mean, zeros({2}));
    mean += index_select(table, 0, index);
  });
  optim::AdamW optimizer;
  CHECK_THROWS_AS(f(optimizer, vector({1, 2}), integers({0, 7})), IndexError);
  CHECK(optimizer.means.empty());
  f(optimizer, vector({1, 2}), integers({0, 1}));
  CHECK(near(optimizer.means.at("x"), {1, 2}));
}
