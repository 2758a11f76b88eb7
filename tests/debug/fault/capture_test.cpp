// What a call recorded and ran, seen through bisect()'s access to calls.

#include <doctest/doctest.h>

#include <sinter/debug/bisect.hpp>
#include <sinter/debug/fault/capture.hpp>

#include "make_problem.hpp"

using namespace fault_tests;

namespace {

Tensor gradient_of_tanh(const Tensor& x) {
  return grad([](const Tensor& y) { return sum(tanh(y)); })(x);
}

}  // namespace

TEST_CASE("capture: programs with their inputs and outputs, and the rules of the recording") {
  const auto f = compile(gradient_of_tanh);
  const Tensor x = ones({3});
  debug::CallAccess::with(
      f,
      [](const debug::CompiledCall& call) {
        const debug::Captured found =
            debug::capture(call.state.options(), call.state.where(), call.call, call.collect);
        CHECK(found.outcome.error.empty());
        CHECK(found.outcome.results == 1);
        REQUIRE(found.runs.size() == 1);
        CHECK(found.runs[0].problem.inputs.size() == 1);
        CHECK(at(found.runs[0].problem.inputs[0], 2) == 1);
        CHECK(at(found.runs[0].outputs[0], 0) == doctest::Approx(0.41997434));
        CHECK(found.rules.size() >= 2);
        const debug::Outcome written = debug::call_as_written(call.call, call.state.where());
        CHECK(at(written.values[0], 0) == doctest::Approx(0.41997434));
      },
      x);
  CHECK(f.stats().calls == 0);
}

TEST_CASE("capture: errors of calls are outcomes") {
  const auto f = compile([](const Tensor& x) { return matmul(x, ones({7, 7})); });
  const Tensor x = ones({3, 3});
  debug::CallAccess::with(
      f,
      [](const debug::CompiledCall& call) {
        CHECK_FALSE(debug::call_compiled(call.state, call.call, call.collect).error.empty());
        CHECK_FALSE(debug::call_as_written(call.call, call.state.where()).error.empty());
      },
      x);
}
