// test: moved
// Promise 10: a force where there is nothing to break: inside of control flow and of vmap.

#include <doctest/doctest.h>

#include "promises/promises.hpp"

using namespace testing;

namespace {

float first_of(const Tensor& x) { return x.to_vector<float>().at(0); }

Tensor one() { return vector({1, 2}); }

}  // namespace

TEST_CASE("promise 2.10: a force inside of cond throws, with its line") {
  const auto f = compile([](const Tensor& x) {
    return cond(
        sum(x) > 0.0f, [](const Tensor& v) { return v * sum(v).item<float>(); },
        [](const Tensor& v) { return v * 2.0f; }, x);
  });
  const unsigned line = __LINE__ - 3;
  CHECK(contains(message_of<GraphBreakError>([&] { f(one()); }),
                 text("promise_10_control_test.cpp:", line)));
}

TEST_CASE("promise 2.10: a force inside of while_loop, scan or map throws") {
  const auto in_while = compile([](const Tensor& x) {
    return while_loop([](const Tensor& v) { return sum(v) < 100.0f; },
                      [](const Tensor& v) { return v * (1.0f + first_of(v)); }, x);
  });
  CHECK_THROWS_AS(in_while(one()), GraphBreakError);
  const auto in_scan = compile([](const Tensor& x) {
    const auto body = [](const Tensor& carry, const Tensor& element) {
      const Tensor next = carry + element * carry.item<float>();
      return std::pair{next, next};
    };
    return scan(body, sum(x), x).second;
  });
  CHECK_THROWS_AS(in_scan(one()), GraphBreakError);
  const auto in_map = compile(
      [](const Tensor& x) { return map([](const Tensor& v) { return v * v.item<float>(); }, x); });
  CHECK_THROWS_AS(in_map(one()), GraphBreakError);
}

TEST_CASE("promise 2.10: cond is the way out: one graph, no break, the branch of each call") {
  const auto f = compile(
      [](const Tensor& x) {
        return cond(
            sum(x) > 0.0f, [](const Tensor& v) { return v * 2.0f; },
            [](const Tensor& v) { return v - 1.0f; }, x);
      },
      {.fullgraph = true});
  for (int i = 0; i < 2; ++i) {
    CHECK(near(f(one()), {2, 4}));
    CHECK(near(f(-one()), {-2, -3}));
  }
  CHECK(f.stats().recordings == 1);
  CHECK(f.stats().breaks == 0);
}
