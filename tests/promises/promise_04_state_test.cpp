// test: moved
// Promise 4: state changes through references that are not const, in place where nobody else holds
// it.

#include <doctest/doctest.h>

#include "promises/promises.hpp"

using namespace testing;

namespace {

struct Pair {
  Tensor first = ready(zeros({64})), second = ready(ones({64}));
  SINTER_MODULE(Pair, first, second)
};

void add_in_place(Tensor& total, const Tensor& x) { total += x; }

}  // namespace

TEST_CASE("promise 2.4: what is passed as const, or by value, or as a temporary does not change") {
  const auto by_value = compile([](Tensor total, const Tensor& x) { return total += x; });
  const auto by_const = compile([](const Tensor& total, const Tensor& x) {
    Tensor copy = total;
    return copy += x;
  });
  const auto by_reference = compile([](Tensor& total, const Tensor& x) { return total += x; });
  Tensor total = ready(ones({4}));
  const Tensor constant = total;
  for (int i = 0; i < 3; ++i) {
    CHECK(is(by_value(total, total), 2));
    CHECK(is(by_const(total, total), 2));
  }
  CHECK(is(total, 1));
  CHECK(is(constant, 1));
  CHECK(is(by_reference(total, constant), 2));
  CHECK(is(total, 2));
  CHECK(is(constant, 1));
}

TEST_CASE("promise 2.4: each leaf whose node changed is written back, and no other") {
  const auto f = compile([](Pair& pair, Tensor& state, Scalar& number, const Tensor& x) {
    const Tensor old = pair.first;
    pair.first = pair.second * x;
    pair.first = old;  // assigned, but what it was
    pair.second = pair.second + old;
    number += 1.0f;
    state = state * 1.0f;
  });
  Pair pair;
  Tensor state = full({2}, 5.0f);
  Scalar number = 3.0f;
  const void *const first = place(pair.first), *const second = place(pair.second);
  const Tensor held = pair.first;
  for (int i = 1; i <= 3; ++i) {
    f(pair, state, number, full({64}, 2.0f));
    CHECK(number.item<float>() == 3.0f + static_cast<float>(i));
  }
  CHECK(place(pair.first) == first);
  CHECK(place(pair.second) == second);
  CHECK(place(held) == first);
  CHECK(is(pair.first, 0));
  CHECK(is(pair.second, 1));
  CHECK(is(state, 5));
  CHECK(f.stats().recordings == 1);
}

TEST_CASE("promise 2.4: a buffer that nobody else holds is updated in place, 1,000 times") {
  const auto f = compile(add_in_place);
  Tensor total = ready(zeros({256}));
  const Tensor x = ready(ones({256}));
  f(total, x);
  const void* const address = place(total);
  const std::int64_t allocations = f.stats().allocations;
  const int steps = jit::checks() ? 300 : 1000;
  for (int i = 1; i < steps; ++i) {
    f(total, x);
    REQUIRE(place(total) == address);
  }
  CHECK(is(total, steps));
  CHECK(f.stats().allocations == allocations);
  CHECK(f.stats().recordings == 1);
}

TEST_CASE("promise 2.4: a buffer that is held elsewhere is left alone, and the state moves once") {
  const auto f = compile(add_in_place);
  Tensor total = ready(zeros({64}));
  const Tensor x = ready(ones({64}));
  f(total, x);
  const void* const before = place(total);
  const Tensor snapshot = total;
  f(total, x);
  const void* const after = place(total);
  CHECK(after != before);
  for (int i = 0; i < 5; ++i) {
    f(total, x);
    CHECK(place(total) == after);
  }
  CHECK(place(snapshot) == before);
  CHECK(is(snapshot, 1));
  CHECK(is(total, 7));
}

TEST_CASE("promise 2.4: a snapshot every tenth step is one move each") {
  const auto f = compile(add_in_place);
  Tensor total = ready(zeros({64}));
  const Tensor x = ready(ones({64}));
  f(total, x);
  Tensor snapshot;
  int moves = 0;
  const void* address = place(total);
  for (int step = 1; step < 100; ++step) {
    if (step % 10 == 0) snapshot = total;
    f(total, x);
    if (place(total) != address) ++moves;
    address = place(total);
    if (snapshot.defined()) CHECK(is(snapshot, step / 10 * 10));
  }
  CHECK(moves == 9);
  CHECK(is(total, 100));
}

TEST_CASE("promise 2.4: `perf` says that state moved, and why") {
  const ScopedVariable logs("SINTER_LOGS", "perf");
  const auto f = compile(add_in_place, {.name = "add_up"});
  Tensor total = ready(zeros({64}));
  const Tensor x = ready(ones({64}));
  f(total, x);
  CHECK(said([&] { f(total, x); }) == "");
  const Tensor snapshot = total;
  const std::string told = said([&] { f(total, x); });
  CHECK(contains(told, "sinter[perf]: "));
  CHECK(contains(told, "argument 0"));
  CHECK(contains(told, "holds"));
  CHECK(said([&] { f(total, x); }) == "");
}

TEST_CASE("promise 2.4: state that a call creates does not move") {
  const ScopedVariable logs("SINTER_LOGS", "perf");
  const auto f = compile([](Pair& pair, optim::AdamW& optimizer) {
    const auto value = [&] { return sum(pair.first * pair.second); };
    optimizer.step(pair, value_and_grad(pair, value).gradients);
  });
  Pair pair;
  optim::AdamW optimizer;
  for (int i = 0; i < 3; ++i) CHECK(said([&] { f(pair, optimizer); }) == "");
}

TEST_CASE("promise 2.4: results are not taken for state: each call gives its own") {
  const auto f = compile([](Tensor& total, const Tensor& x) { return total = total + x; });
  Tensor total = ready(zeros({64}));
  std::vector<Tensor> results;
  for (int i = 0; i < 4; ++i) results.push_back(f(total, ones({64})));
  for (int i = 0; i < 4; ++i) CHECK(is(results[static_cast<std::size_t>(i)], i + 1));
  CHECK(is(total, 4));
}

TEST_CASE("promise 2.4: reads of the old value come before it is updated") {
  const auto f = compile([](Tensor& state, const Tensor& index) {
    const Tensor old = state;
    state = index_select(state, 0, index) + 1.0f;  // each element moves
    return sum(old) * 1.0f;
  });
  Tensor state = counting({1000});
  std::vector<std::int64_t> reversed(1000);
  for (std::size_t i = 0; i < reversed.size(); ++i) reversed[i] = static_cast<int>(999 - i);
  const Tensor index = integers(reversed);
  CHECK(near(f(state, index), {499500}));
  CHECK(near(f(state, index), {500500}));
  const std::vector<float> found = state.to_vector<float>();
  CHECK(found[0] == 2);
  CHECK(found[999] == 1001);
}

TEST_CASE("promise 2.4: all buffers are there before the first kernel runs") {
  const auto f = compile([](Pair& pair, const Tensor& x, std::int64_t size) {
    pair.first += x;
    pair.second = pair.second * 2.0f;
    return expand(reshape(sum(pair.second), {1}), {size}) * 2.0f;
  });
  Pair pair;
  const Tensor x = ready(ones({64}));
  CHECK(is(f(pair, x, 8), 256));
  constexpr std::int64_t too_many = std::int64_t{1} << 58;
  CHECK_THROWS(f(pair, x, too_many));
  CHECK(is(pair.first, 1));
  CHECK(is(pair.second, 2));
  CHECK(is(f(pair, x, 8), 512));
  CHECK(is(pair.first, 2));
}
