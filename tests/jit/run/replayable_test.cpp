// test: moved
#include <doctest/doctest.h>
#include <sinter/jit/run/replayable.hpp>

#include "jit/started_trace.hpp"

using namespace testing;

TEST_CASE("replayable: the reason for tracing on every call names its cause") {
  const Tensor outside = ones({2});
  const auto reason = [&](auto body) {
    StartedTrace started(new_state(), vector({1, 2}));
    const Tensor result = started.record(body);
    guard::Leaves results;
    Tensor handle = result;
    guard::collect(handle, results);
    return started.tracer->reason_to_retrace(results, started.copies, false);
  };
  Tensor kept;
  CHECK(contains(reason([&](const Tensor& x) { return x + outside; }), "f32[2]"));
  CHECK(contains(reason([&](const Tensor& x) { return x + outside; }), "replayable_test.cpp"));
  CHECK(contains(reason([&](const Tensor&) { return outside; }), "not an argument"));
  CHECK(contains(reason([&](const Tensor& x) { return kept = x + 1.0f; }), "still referenced"));
  kept = Tensor();
}
