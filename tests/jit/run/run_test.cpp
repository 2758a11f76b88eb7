// test: moved
// A run of a function that is recorded and computed on the way, step by step.

#include <doctest/doctest.h>
#include <sinter/jit/run/run.hpp>

#include <cmath>

#include "jit/started_run.hpp"

using namespace testing;

TEST_CASE("run: a read computes what it needs, and the run goes on") {
  Started started(new_state(), vector({1, 2}));
  Tensor result;
  const std::string log = said([&] {
    result = started.record([](const Tensor& x) {
      const float total = sum(x * 3.0f).item<float>();
      return x + total;
    });
  });
  CHECK(contains(log, "graph break"));
  CHECK(started.run->was_interrupted());
  CHECK(started.run->report().segments.size() == 1);
  started.run->finish(started.copies, started.names);
  CHECK(started.run->report().segments.size() == 2);
  CHECK(near(result, {10, 11}));
}

TEST_CASE("run: the same again finds its segments, another compiles its own") {
  const auto state = new_state();
  const auto run_with = [&](float factor, int power) {
    Started started(state, vector({1, 2}));
    const Tensor result = started.record([&](const Tensor& x) {
      Tensor y = x * factor;
      for (int i = 1; i < power; ++i) y = y * x;
      return y;
    });
    started.run->finish(started.copies, started.names);
    CHECK(near(result, {factor, factor * std::pow(2.0, power)}));
    return started.run->report().compiled;
  };
  CHECK(run_with(1, 1));
  CHECK(!run_with(1, 1));
  CHECK(run_with(2, 1));  // the number becomes an input
  CHECK(!run_with(5, 1));
  CHECK(run_with(5, 2));
  CHECK(!run_with(1, 1));
}

TEST_CASE("run: the new value of an argument takes its memory") {
  Started started(new_state(), full({64}, 2.0f));
  const void* const address = elements_of(started.argument).data();
  started.record([](Tensor& x) { x = x + 1.0f; });
  started.run->finish(started.copies, started.names);
  CHECK(elements_of(started.copy).data() == address);
  CHECK(started.run->report().allocations == 0);
  CHECK(started.run->report().moved.empty());
  CHECK(near(started.copy, Numbers(64, 3)));
}

TEST_CASE("run: memory that somebody else holds is left alone, and the leaf is named") {
  Started started(new_state(), full({64}, 2.0f));
  const Tensor held = started.argument;
  started.record([](Tensor& x) { x = x + 1.0f; });
  started.run->finish(started.copies, started.names);
  CHECK(near(held, Numbers(64, 2)));
  CHECK(near(started.copy, Numbers(64, 3)));
  CHECK(started.run->report().allocations == 1);
  CHECK(started.run->report().moved == "argument 0");
}

TEST_CASE("run: values that outlive a run that failed are computed when they are read") {
  Tensor kept;
  {
    Started started(new_state(), vector({1, 2}));
    started.record([&](const Tensor& x) { kept = x * 2.0f + rand({2}) * 0.0f; });
  }
  CHECK(!kept.lazy()->evaluated());
  CHECK(near(kept, {2, 4}));
}
