// test: moved
// Promise 14: stances forbid recompiling, or take the eager backend in its place.

#include <doctest/doctest.h>

#include "promises/promises.hpp"

using namespace testing;

namespace {

const auto twice = [](const Tensor& x) { return x * 2.0f; };

}  // namespace

TEST_CASE("promise 2.14: under fail_on_recompile a new signature throws, known ones run") {
  const auto f = compile(twice, {.dynamic = Dynamic::off});
  f(ones({2}));
  {
    const ScopedStance stance(Stance::fail_on_recompile);
    CHECK(is(f(ones({2})), 2));
    const std::string report = message_of<RecompileLimitError>([&] { f(ones({3})); });
    INFO(report);
    CHECK(contains(report, "argument 0"));
    CHECK(contains(report, "size(0) == 2"));
    CHECK(contains(report, "found 3"));
    CHECK(contains(report, "Dynamic::automatic"));
    CHECK(contains(report, "promise_14_stances_test.cpp"));
  }
  CHECK(f.stats().variants == 1);
  CHECK(is(f(ones({3})), 2));
  CHECK(f.stats().variants == 2);
}

TEST_CASE("promise 2.14: under eager_on_recompile new signatures are computed, not compiled") {
  const auto f = compile(twice, {.dynamic = Dynamic::off});
  f(ones({2}));
  {
    const ScopedStance stance(Stance::eager_on_recompile);
    CHECK(is(f(ones({3})), 2));
    CHECK(is(f(ones({2})), 2));
  }
  CHECK(f.stats().variants == 1);
  CHECK(f.stats().eager_calls == 1);
}

TEST_CASE("promise 2.14: under force_eager nothing is compiled") {
  const auto f = compile(twice);
  {
    const ScopedStance stance(Stance::force_eager);
    for (int size = 2; size < 5; ++size) CHECK(is(f(ones({size})), 2));
  }
  CHECK(f.stats().variants == 0);
  CHECK(f.stats().eager_calls == 3);
  CHECK(is(f(ones({2})), 2));
  CHECK(f.stats().variants == 1);
}

TEST_CASE("promise 2.14: a stance may be that of the process") {
  const auto f = compile(twice, {.dynamic = Dynamic::off});
  f(ones({2}));
  set_stance(Stance::fail_on_recompile);
  CHECK_THROWS_AS(f(ones({3})), RecompileLimitError);
  {
    const ScopedStance stance(Stance::standard);
    CHECK(is(f(ones({3})), 2));
  }
  CHECK_THROWS_AS(f(ones({4})), RecompileLimitError);
  set_stance(Stance::standard);
  CHECK(is(f(ones({4})), 2));
}

TEST_CASE("promise 2.14: what is frozen is not recompiled") {
  const auto f = compile(twice, {.dynamic = Dynamic::off});
  f(ones({2}));
  auto frozen = f;
  frozen.freeze();
  CHECK(is(frozen(ones({2})), 2));
  CHECK_THROWS_AS(frozen(ones({3})), RecompileLimitError);
}
