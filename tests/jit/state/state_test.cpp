// test: moved
#include <doctest/doctest.h>
#include <sinter/jit/state/state.hpp>

#include "jit/support.hpp"

using namespace testing;

TEST_CASE("state: past the limit calls are interpreted, with one warning that has the reasons") {
  const auto f = compile([](const Tensor& x) { return x + 1.0f; },
                         {.dynamic = Dynamic::off, .recompile_limit = 2});
  const std::string told = said([&] {
    for (int size = 2; size < 8; ++size) CHECK(near_tensor(f(zeros({size})), ones({size})));
  });
  CHECK(count(told, "recompile_limit = 2 is reached") == 1);
  CHECK(contains(told, "expected size(0) == 2, found 3"));
  CHECK(contains(told, "found 4"));
  CHECK(f.stats().variants == 2);
  CHECK(f.stats().eager_calls == 4);
  CHECK(f.stats().calls == 6);
  CHECK(f.explain().recompiles.size() == 2);
  CHECK(near_tensor(f(zeros({2})), ones({2})));
  CHECK(f.stats().eager_calls == 4);
}

TEST_CASE("state: a limit of no recordings is refused, and a time below zero") {
  const auto twice = [](const Tensor& x) { return x * 2.0f; };
  MISTAKE(ValueError, compile(twice, {.autotune_seconds = -1}), "autotune_seconds >= 0");
  for (const int limit : {0, -1}) {
    MISTAKE(ValueError, compile(twice, {.recompile_limit = limit}), "recompile_limit >= 1");
  }
}

TEST_CASE("state: past the limit state is still updated in place") {
  const auto f = compile([](Tensor& total, const Tensor& x) { total += sum(x); },
                         {.dynamic = Dynamic::off, .recompile_limit = 1});
  Tensor total = vector({0});
  static_cast<void>(said([&] {
    for (int size = 2; size < 6; ++size) f(total, ones({size}));
  }));
  CHECK(near(total, {14}));
}

TEST_CASE("state: a call that fails during recording changes nothing") {
  const auto f = compile([](Tensor& state, const Tensor& x) {
    state += 1.0f;
    if (x.ndim() == 2) throw std::runtime_error("of the user");
    state += sum(reshape(x, {4}));
  });
  Tensor state = vector({1});
  f(state, ones({4}));
  CHECK_THROWS_AS(f(state, ones({2, 2})), std::runtime_error);
  CHECK_THROWS_AS(f(state, ones({1, 2, 3})), ShapeError);
  CHECK(near(state, {6}));
  CHECK_FALSE(is_recording());
  CHECK(f.stats().recordings == 1);
  CHECK(f.stats().recompiles == 0);
  CHECK(f.explain().recompiles.empty());
  f(state, ones({4}));
  CHECK(near(state, {11}));
}
