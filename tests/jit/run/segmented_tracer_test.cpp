// test: moved
// Traces that are executed in segments, step by step.

#include <doctest/doctest.h>
#include <sinter/jit/run/segmented_tracer.hpp>

#include <cmath>

#include "jit/started_trace.hpp"

using namespace testing;

TEST_CASE("segmented_tracer: a read executes what it needs, and the trace goes on") {
  StartedTrace started(new_state(), vector({1, 2}));
  Tensor result;
  const std::string log = said([&] {
    result = started.record([](const Tensor& x) {
      const float total = sum(x * 3.0f).item<float>();
      return x + total;
    });
  });
  CHECK(contains(log, "graph break"));
  CHECK(started.tracer->was_interrupted());
  CHECK(started.tracer->report().segments.size() == 1);
  started.tracer->run_last_segment(started.copies, started.names);
  CHECK(started.tracer->report().segments.size() == 2);
  CHECK(near(result, {10, 11}));
}

TEST_CASE("segmented_tracer: an equal trace finds its segments, a different one compiles its own") {
  const auto state = new_state();
  const auto run_with = [&](float factor, int power) {
    StartedTrace started(state, vector({1, 2}));
    const Tensor result = started.record([&](const Tensor& x) {
      Tensor y = x * factor;
      for (int i = 1; i < power; ++i) y = y * x;
      return y;
    });
    started.tracer->run_last_segment(started.copies, started.names);
    CHECK(near(result, {factor, factor * std::pow(2.0, power)}));
    return started.tracer->report().compiled;
  };
  CHECK(run_with(1, 1));
  CHECK(!run_with(1, 1));
  CHECK(run_with(2, 1));  // the number becomes an input
  CHECK(!run_with(5, 1));
  CHECK(run_with(5, 2));
  CHECK(!run_with(1, 1));
}

TEST_CASE("segmented_tracer: an argument is updated in place") {
  StartedTrace started(new_state(), full({64}, 2.0f));
  const void* const address = elements_of(started.argument).data();
  started.record([](Tensor& x) { x = x + 1.0f; });
  started.tracer->run_last_segment(started.copies, started.names);
  CHECK(elements_of(started.copy).data() == address);
  CHECK(started.tracer->report().allocations == 0);
  CHECK(started.tracer->report().moved.empty());
  CHECK(near(started.copy, Numbers(64, 3)));
}

TEST_CASE("segmented_tracer: memory with another holder is not updated, and the leaf is named") {
  StartedTrace started(new_state(), full({64}, 2.0f));
  const Tensor held = started.argument;
  started.record([](Tensor& x) { x = x + 1.0f; });
  started.tracer->run_last_segment(started.copies, started.names);
  CHECK(near(held, Numbers(64, 2)));
  CHECK(near(started.copy, Numbers(64, 3)));
  CHECK(started.tracer->report().allocations == 1);
  CHECK(started.tracer->report().moved == "argument 0");
}

TEST_CASE("segmented_tracer: values that outlive a failed trace are computed when they are read") {
  Tensor kept;
  {
    StartedTrace started(new_state(), vector({1, 2}));
    started.record([&](const Tensor& x) { kept = x * 2.0f + rand({2}) * 0.0f; });
  }
  CHECK(!kept.lazy()->evaluated());
  CHECK(near(kept, {2, 4}));
}
