// Gradients against differences, batches against samples; planted faults are found.

#include <doctest/doctest.h>

#include <sinter/debug/fault/rule_check.hpp>

#include "../planted_faults.hpp"
#include "make_problem.hpp"

using namespace fault_tests;

TEST_CASE("rule_check: a wrong gradient differs from differences") {
  CHECK(debug::gradient_mistake(small_problem()).empty());
  const planted::Plant plant(planted::fault_of("gradient of tanh"));
  CHECK(debug::gradient_mistake(small_problem()).find("derivative for input 0") !=
        std::string::npos);
}

TEST_CASE("rule_check: differences say nothing at a kink") {
  debug::Problem problem;
  Builder build(problem.graph);
  problem.graph.outputs = {build.elementwise(Op::abs, {build.input({f32, {2}})})};
  problem.inputs = {floats({0, 0})};
  CHECK(debug::gradient_mistake(problem).empty());
}

TEST_CASE("rule_check: a wrong batch differs from its samples") {
  CHECK(debug::batching_mistake(small_problem()).empty());
  const planted::Plant plant(planted::fault_of("batch of exp"));
  CHECK(debug::batching_mistake(small_problem()).find("of the batch") != std::string::npos);
}
