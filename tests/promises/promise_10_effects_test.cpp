// test: moved
// Promise 10: what a compiled function does on the host besides computing.

#include <doctest/doctest.h>

#include <cstdio>

#include "promises/promises.hpp"

using namespace testing;

namespace {

std::vector<std::string> events;

Tensor one() { return vector({1, 2}); }

}  // namespace

TEST_CASE("promise 2.10: print(tensor) prints on every replay, in order, without a break") {
  const auto f = compile([](const Tensor& x) {
    print(x * 2.0f);
    const Tensor y = x + 1.0f;
    print(y);
    return y;
  });
  for (int call = 0; call < 3; ++call) {
    const Tensor x = full({2}, static_cast<float>(call));
    const std::string expected = written_to(stdout, [&] {
      print(x * 2.0f);
      print(x + 1.0f);
    });
    CHECK(written_to(stdout, [&] { f(x); }) == expected);
  }
  CHECK(f.stats().breaks == 0);
  CHECK(f.stats().graphs == 1);
}

TEST_CASE("promise 2.10: host(f) runs on every replay, in its place, without a break") {
  const auto note = host([](const Tensor& x) { events.push_back(text(x.item<float>())); });
  static const auto noted = note;
  events.clear();
  const auto f = compile([](const Tensor& x) {
    noted(sum(x));
    noted(sum(x) * 10.0f);
    return x + 1.0f;
  });
  for (int call = 1; call <= 3; ++call) CHECK(is(f(full({1}, static_cast<float>(call))), call + 1));
  CHECK(events == std::vector<std::string>{"1", "10", "2", "20", "3", "30"});
  CHECK(f.stats().breaks == 0);
}

TEST_CASE("promise 2.10: an exception from host leaves state as it was") {
  static bool throws = false;
  const auto f = compile([](Tensor& state, const Tensor& x) {
    state = state + x;
    host([](const Tensor&) {
      if (throws) throw std::runtime_error("of the host");
    })(state);
    state = state * 2.0f;
  });
  Tensor state = ready(ones({2}));
  f(state, ones({2}));
  CHECK(is(state, 4));
  throws = true;
  CHECK_THROWS_WITH_AS(f(state, ones({2})), "of the host", std::runtime_error);
  CHECK(is(state, 4));
  throws = false;
  f(state, ones({2}));
  CHECK(is(state, 10));
}

TEST_CASE("promise 2.10: other host effects of a replayed function happen only during recording") {
  if (jit::checks()) return;  // SINTER_CHECK=1 runs it on every call
  events.clear();
  const auto f = compile([](const Tensor& x) {
    events.push_back("ran");
    return x * 2.0f;
  });
  for (int call = 0; call < 4; ++call) f(one());
  CHECK(events.size() == 1);
}

TEST_CASE("promise 2.10: is_recording tells") {
  static std::vector<bool> seen;
  seen.clear();
  const auto f = compile([](const Tensor& x) {
    seen.push_back(is_recording());
    return x * 2.0f;
  });
  f(one());
  CHECK(seen.at(0));
  CHECK_FALSE(is_recording());
}

TEST_CASE("promise 2.10: graph_break ends a graph on purpose, with a reason") {
  const auto f = compile([](const Tensor& x) {
    const Tensor y = x * 2.0f;
    graph_break("the two halves are measured apart");
    return y + 1.0f;
  });
  const unsigned line = __LINE__ - 3;
  CHECK(near(f(one()), {3, 5}));
  CHECK(f.stats().breaks == 1);
  REQUIRE(f.explain().breaks.size() == 1);
  CHECK(contains(f.explain().breaks[0].reason, "measured apart"));
  CHECK(f.explain().breaks[0].where.line() == line);
  const auto whole = compile(
      [](const Tensor& x) {
        graph_break("never mind");
        return x;
      },
      {.fullgraph = true});
  CHECK(contains(message_of<GraphBreakError>([&] { whole(one()); }), "never mind"));
}

TEST_CASE("promise 2.10: what is disabled runs eagerly, within a function that is compiled") {
  static int runs = 0;
  static bool recording = true;
  runs = 0;
  static const auto slow = disable([](const Tensor& x) {
    ++runs;
    recording = is_recording();
    return x * static_cast<float>(sum(x).item<float>() > 0 ? 1 : -1);
  });
  const auto f = compile([](const Tensor& x) { return slow(x + 1.0f) * 2.0f; });
  for (int i = 0; i < 3; ++i) CHECK(near(f(one()), {4, 6}));
  CHECK(runs == 3);
  CHECK_FALSE(recording);
  CHECK(f.stats().breaks >= 1);
}
