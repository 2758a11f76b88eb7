// test: moved
#include <doctest/doctest.h>
#include <sinter/jit/run/replayable.hpp>

#include "jit/started_run.hpp"

using namespace testing;

TEST_CASE("replayable: why it has to run again names what it met") {
  const Tensor outside = ones({2});
  const auto reason = [&](auto body) {
    Started started(new_state(), vector({1, 2}));
    const Tensor result = started.record(body);
    guard::Leaves results;
    Tensor handle = result;
    guard::collect(handle, results);
    return started.run->reason_to_run_again(results, started.copies, false);
  };
  Tensor kept;
  CHECK(contains(reason([&](const Tensor& x) { return x + outside; }), "f32[2]"));
  CHECK(contains(reason([&](const Tensor& x) { return x + outside; }), "replayable_test.cpp"));
  CHECK(contains(reason([&](const Tensor&) { return outside; }), "no argument"));
  CHECK(contains(reason([&](const Tensor& x) { return kept = x + 1.0f; }), "is kept"));
  kept = Tensor();
}
