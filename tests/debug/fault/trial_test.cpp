// Problems that fail in each way, and those that do not.

#include <doctest/doctest.h>

#include <sinter/debug/fault/trial.hpp>

#include "../planted_faults.hpp"
#include "make_problem.hpp"

using namespace fault_tests;
using debug::FailureKind;

TEST_CASE("trial: nothing fails without a fault") {
  debug::Problem problem = small_problem();
  problem.options.updates.push_back({0, 0});
  for (const FailureKind fault : {FailureKind::passes, FailureKind::kernels, FailureKind::in_place,
                                  FailureKind::gradient_rule, FailureKind::batching_rule,
                                  FailureKind::non_finite, FailureKind::error}) {
    CAPTURE(to_string(fault));
    CHECK(debug::failure_of(problem, fault).empty());
  }
}

TEST_CASE("trial: each way of running gives the same") {
  const debug::Problem problem = small_problem();
  CHECK_FALSE(debug::kernel_difference(problem, {.one_thread = true}).found);
  CHECK_FALSE(debug::kernel_difference(problem, {.reuses_memory = false, .vectors = false}).found);
  CHECK(debug::kernel_names(problem).size() == 1);
}

TEST_CASE("trial: replacements are counted and limited") {
  debug::Problem problem = small_problem();
  Builder build(problem.graph);
  const Value one = build.constant(constant(1.0, f32), {f32, {2}});
  problem.graph.outputs[0] = build.mul(problem.graph.outputs[0], one);
  debug::Replacement last;
  debug::optimized(problem, -1, &last);
  CHECK(last.number == 1);
  CHECK(last.pass == "remove_identities");
  CHECK(last.op == Op::mul);
  CHECK(debug::operation_count(debug::optimized(problem, 0)) == 5);
  const planted::Plant plant(planted::fault_of("remove_identities"));
  CHECK_FALSE(debug::failure_of(problem, FailureKind::passes).empty());
  CHECK_FALSE(debug::pass_difference(problem, 0).found);
}

TEST_CASE("trial: NaN of finite inputs") {
  debug::Problem problem = small_problem();
  problem.inputs[0] = floats({1000, 0});
  CHECK(debug::failure_of(problem, FailureKind::non_finite) == "exp gives inf at [0], of 1000");
}
