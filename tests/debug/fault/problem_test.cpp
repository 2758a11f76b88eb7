// Parts of problems have the values that the whole has.

#include <doctest/doctest.h>

#include <cmath>

#include <sinter/debug/fault/problem.hpp>

#include "make_problem.hpp"

using namespace fault_tests;

TEST_CASE("problem: operations are neither inputs nor dead") {
  debug::Problem problem = small_problem();
  Builder(problem.graph).elementwise(Op::sin, {Value(0)});
  CHECK(debug::operations_of(problem.graph).size() == 4);
  CHECK(debug::operation_count(problem.graph) == 4);
}

TEST_CASE("problem: a part reads values of the rest as inputs") {
  const debug::Problem problem = small_problem();
  Vector<bool> keep(problem.graph.nodes.size());
  for (NodeId id = 0; id < keep.size(); ++id) keep[id] = problem.graph[id].op == Op::mul;
  const debug::Problem part = debug::part_of(problem, keep);
  REQUIRE(part.inputs.size() == 2);
  CHECK(at(part.inputs[0], 0) == doctest::Approx(std::tanh(0.5f)));
  CHECK(at(debug::interpreted_results(part)[0], 1) == doctest::Approx(3 * std::tanh(1.0f)));
}

TEST_CASE("problem: a part keeps the updates whose input and output it has") {
  debug::Problem problem = small_problem();
  problem.options.updates.push_back({0, 0});
  Vector<bool> keep(problem.graph.nodes.size(), true);
  for (NodeId id = 0; id < keep.size(); ++id) keep[id] = problem.graph[id].op != Op::input;
  CHECK(debug::part_of(problem, keep).options.updates.size() == 1);
  for (NodeId id = 0; id < keep.size(); ++id) keep[id] = problem.graph[id].op == Op::tanh;
  CHECK(debug::part_of(problem, keep).options.updates.empty());
}

TEST_CASE("problem: unfused, each operation is an output") {
  const debug::Problem problem = small_problem();
  const debug::Problem apart = debug::unfused(problem, debug::operations_of(problem.graph));
  CHECK(apart.graph.outputs.size() == 4);
  CHECK(apart.inputs.size() == 6);
}

TEST_CASE("problem: in f64, and with numbers for symbols") {
  debug::Problem problem;
  const Extent n = Extent::symbol(0);
  Builder build(problem.graph);
  problem.graph.outputs = {build.elementwise(Op::exp, {build.input({f32, {n}})})};
  problem.symbols = {2};
  problem.inputs = {floats({0, 1})};
  const debug::Problem fixed = debug::widened(debug::with_numbers(problem));
  CHECK(fixed.symbols.empty());
  CHECK(same(fixed.graph.type(fixed.graph.outputs[0]), TensorType{f64, {2}}));
  const auto result = debug::interpreted_results(fixed);
  CHECK(static_cast<const double*>(result[0].data())[1] == doctest::Approx(std::exp(1.0)));
}

TEST_CASE("problem: a node with made-up inputs") {
  Node node{.op = Op::gather,
            .inputs = {Value(0), Value(1)},
            .attributes = {{"axis", constant(std::int64_t{0}, i64)}},
            .results = {{f32, {4}}}};
  const TensorType types[] = {{f32, {3}}, {i64, {4}}};
  CHECK_NOTHROW(debug::interpreted_results(debug::with_made_inputs(node, types)));
}
