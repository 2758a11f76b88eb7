// test: moved
#include <doctest/doctest.h>
#include <sinter/jit/interface/callable.hpp>

#include <array>
#include <map>

#include "jit/support.hpp"
#include "skip.hpp"

using namespace testing;

namespace {

struct Counter {
  Tensor total;
  int steps = 0;
  std::vector<Tensor> history{};
  SINTER_MODULE(Counter, total, steps, history)
};

struct Momentum {
  std::map<std::string, Tensor> means{};
  SINTER_MODULE(Momentum, means)
};

// Its hidden member is unlisted on purpose.
struct Offset {
  Tensor weight;
  int hidden = 0;
  static constexpr int unlisted = 1;
  SINTER_MODULE(Offset, weight)
  Tensor forward(const Tensor& x) const { return x + static_cast<float>(hidden); }
};

int checked_offset = 0;  // a plain global, which a recording bakes in

}  // namespace

TEST_CASE("callable: an argument that changes gets its new value, a const one never does") {
  const auto f = compile([](Tensor& total, const Tensor& x) { total += x; });
  Tensor total = vector({1, 1});
  const Tensor x = vector({1, 2});
  f(total, x);
  f(total, x);
  CHECK(near(total, {3, 5}));
  CHECK(near(x, {1, 2}));
  CHECK(f.stats().recordings == 1);
}

TEST_CASE("callable: arguments swap values") {
  const auto f = compile([](Tensor& a, Tensor& b) { std::swap(a, b); });
  Tensor a = vector({1, 2}), b = vector({3, 4});
  for (int i = 0; i < 3; ++i) f(a, b);
  CHECK(near(a, {3, 4}));
  CHECK(near(b, {1, 2}));
}

TEST_CASE("callable: old and new state can be returned") {
  const auto old = compile([](Tensor& state, const Tensor& x) {
    const Tensor before = state;
    state = state + x;
    return before;
  });
  const auto fresh = compile([](Tensor& state, const Tensor& x) {
    state = state * x;
    return std::array<Tensor, 2>{state, reshape(state, {2, 1})};
  });
  Tensor state = vector({1, 2});
  CHECK(near(old(state, vector({1, 1})), {1, 2}));
  CHECK(near(old(state, vector({1, 1})), {2, 3}));
  const auto results = fresh(state, vector({2, 2}));
  CHECK(near(state, {6, 8}));
  CHECK(near(results[0], {6, 8}));
  fresh(state, vector({2, 2}));
  CHECK(near(results[0], {6, 8}));
  CHECK(near(results[1], {6, 8}));
  CHECK(near(state, {12, 16}));
}

TEST_CASE("callable: state takes another shape or dtype") {
  const auto turn = compile([](Tensor& x) { x = transpose(x, 0, 1) * 2.0f; });
  const auto reshaped = compile([](Tensor& x) { x = reshape(x, {6}); });
  const auto whole = compile([](Tensor& x) { x = x.to(i32); });
  Tensor x = counting({2, 3});
  turn(x);
  CHECK(near_tensor(x, tensor({0, 6, 2, 8, 4, 10}, {3, 2})));
  turn(x);
  CHECK(near_tensor(x, tensor({0, 4, 8, 12, 16, 20}, {2, 3})));
  reshaped(x);
  CHECK(near_tensor(x, vector({0, 4, 8, 12, 16, 20})));
  whole(x);
  CHECK(x.dtype() == i32);
  CHECK(near(x, {0, 4, 8, 12, 16, 20}));
}

TEST_CASE("callable: arguments that share a tensor are served by one recording, f(x, x), f(x, y)") {
  const auto f = compile([](const Tensor& a, const Tensor& b) { return a - 2.0f * b; });
  Tensor x = vector({1, 2}), y = vector({5, 5});
  CHECK(near(f(x, x), {-1, -2}));
  CHECK(near(f(x, y), {-9, -8}));
  CHECK(f.stats().recordings == 1);
  const auto add = compile([](Tensor& total, const Tensor& v) { total += v; });
  Tensor total = x;  // one value in two handles
  add(total, x);
  CHECK(near(total, {2, 4}));
  CHECK(near(x, {1, 2}));
}

TEST_CASE("callable: a tensor passed as two arguments is a separate value in each") {
  const auto add = compile([](Tensor& total, const Tensor& v) { total += v; });
  Tensor x = vector({1, 2});
  add(x, x);
  CHECK(near(x, {2, 4}));
  add(x, x);
  CHECK(near(x, {4, 8}));
  CHECK(add.stats().recordings == 1);
}

TEST_CASE("callable: a tensor passed as two arguments cannot get two new values") {
  const auto both = compile([](Tensor& a, Tensor& b) {
    a += 1.0f;
    b *= 2.0f;
  });
  Tensor x = vector({1, 2});
  CHECK_THROWS_AS(both(x, x), ValueError);
  CHECK(near(x, {1, 2}));
  float scale = 1;
  const auto open = compile([&scale](Tensor& a, Tensor& b) {
    a += scale;
    b *= 2.0f;
  });
  CHECK_THROWS_AS(open(x, x), ValueError);
  CHECK(near(x, {1, 2}));
}

TEST_CASE("callable: state created in a recording exists in the next call") {
  const auto f = compile([](Momentum& state, const Tensor& gradient) {
    Tensor& mean = state.means["x"];
    if (!mean.defined()) create_state(mean, zeros_like(gradient));
    mean = mean * 0.5f + gradient;
    return mean * 1.0f;
  });
  Momentum state;
  const Tensor gradient = vector({2, 4});
  for (const double expected : {2.0, 3.0, 3.5}) {
    CHECK(near(f(state, gradient), {expected, 2 * expected}));
    CHECK(near(state.means.at("x"), {expected, 2 * expected}));
  }
  CHECK(f.stats().recordings == 1);
  CHECK(f.stats().allocations == 3);  // of results: the state is updated in place from the start
}

TEST_CASE("callable: results may be undefined") {
  const auto f = compile([](const Tensor& x) { return x; });
  CHECK_FALSE(f(Tensor()).defined());
  CHECK(near(f(vector({1, 2})), {1, 2}));
  CHECK_FALSE(f(Tensor()).defined());
}

TEST_CASE("callable: assigning undefined state costs one more recording") {
  const auto f = compile([](Counter& counter, const Tensor& x) {
    if (!counter.total.defined()) counter.total = zeros_like(x);
    counter.total += x;
  });
  Counter counter;
  for (int i = 1; i < 6; ++i) {
    f(counter, vector({1, 2}));
    CHECK(near(counter.total, {1.0 * i, 2.0 * i}));
  }
  CHECK(f.stats().recordings == 2);
}

TEST_CASE("callable: containers grow, with created state next to them") {
  const auto f = compile([](Counter& counter, const Tensor& x) {
    if (!counter.total.defined()) create_state(counter.total, zeros_like(x));
    counter.total += x;
    counter.history.push_back(counter.total * 2.0f);
    return static_cast<int>(counter.history.size());
  });
  Counter counter;
  for (int i = 1; i < 6; ++i) {
    CHECK(f(counter, vector({1, 2})) == i);
    CHECK(near(counter.total, {1.0 * i, 2.0 * i}));
    REQUIRE(counter.history.size() == static_cast<std::size_t>(i));
    CHECK(near(counter.history.back(), {2.0 * i, 4.0 * i}));
    CHECK(near(counter.history.front(), {2, 4}));
  }
}

TEST_CASE("callable: if the structure changes, unchanged tensors stay in place") {
  const auto f = compile([](Counter& counter) { counter.history.push_back(counter.total + 1.0f); });
  Counter counter{.total = vector({1, 2})};
  const void* const address = place(counter.total);
  f(counter);
  CHECK(place(counter.total) == address);
  CHECK(near(counter.history.at(0), {2, 3}));
}

TEST_CASE("callable: a plain number that the function changes is an error that names it") {
  const auto f = compile([](Counter& counter) {
    ++counter.steps;
    counter.total += 1.0f;
  });
  Counter counter{.total = vector({1, 2})};
  for (int again = 0; again < 2; ++again) {
    try {
      f(counter);
      FAIL_CHECK("nothing was thrown");
    } catch (const ValueError& error) {
      CHECK(contains(error.what(), "argument 0.steps"));
      CHECK(contains(error.what(), "Scalar"));
      CHECK(contains(error.what(), "callable_test.cpp"));
    }
  }
  CHECK(counter.steps == 0);
  CHECK(near(counter.total, {1, 2}));
}

TEST_CASE("callable: SINTER_CHECK finds a recording that depends on more than its arguments") {
  if (!jit::checks()) SINTER_SKIP("SINTER_CHECK is not set");
  const auto f = compile([](const Tensor& x) { return x + checked_offset; });
  checked_offset = 1;
  CHECK(near(f(vector({1})), {2}));
  CHECK(near(f(vector({2})), {3}));
  checked_offset = 2;
  CHECK_THROWS_AS(f(vector({1})), ValueError);
  checked_offset = 1;
  CHECK(near(f(vector({3})), {4}));
  CHECK(f.stats().recordings == 1);
}

TEST_CASE("callable: a function pointer that changes, and changes back, is guarded") {
  Tensor (*pointer)(const Tensor&) = [](const Tensor& x) { return x + 1.0f; };
  Tensor (*const first)(const Tensor&) = pointer;
  const auto kept = compile(pointer);
  const auto owned = compile(+pointer);
  const Tensor x = vector({1, 2});
  for (int i = 0; i < 3; ++i) {
    pointer = first;
    for (int again = 0; again < 3; ++again) CHECK(near(kept(x), {2, 3}));
    pointer = [](const Tensor& y) { return y * 3.0f; };
    for (int again = 0; again < 3; ++again) CHECK(near(kept(x), {3, 6}));
    CHECK(near(owned(x), {2, 3}));
  }
  CHECK(kept.stats().recordings == 2);
  CHECK(owned.stats().recordings == 1);
}

TEST_CASE("callable: a module with unlisted members is traced on every call") {
  Offset offset{vector({1}), 2};
  const Tensor x = vector({1, 2});
  const auto self = compile(offset);
  const auto apply = compile([](const Offset& module, const Tensor& v) { return module(v); });
  for (const int hidden : {2, 5, 7}) {
    offset.hidden = hidden;
    CHECK(near(self(x), {1.0 + hidden, 2.0 + hidden}));
    CHECK(near(apply(offset, x), {1.0 + hidden, 2.0 + hidden}));
  }
  CHECK(self.stats().recompiles == 1);
}
