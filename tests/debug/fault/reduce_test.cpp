// Problems become as small as what makes them fail.

#include <doctest/doctest.h>

#include <sinter/debug/fault/reduce.hpp>

#include "make_problem.hpp"

using namespace fault_tests;

namespace {

bool has_op(const debug::Problem& problem, Op op) {
  for (const NodeId id : debug::operations_of(problem.graph)) {
    if (problem.graph[id].op == op) return true;
  }
  return false;
}

debug::Problem chain() {
  debug::Problem result;
  Builder build(result.graph);
  Value x = build.input({f32, {8, 12}});
  for (const Op op : {Op::sin, Op::exp, Op::tanh, Op::cos, Op::abs, Op::neg}) {
    x = build.elementwise(op, {x});
  }
  result.graph.outputs = {build.reduce(Op::sum, x, {1}), x};
  result.inputs = {Storage::allocate(8 * 12 * sizeof(float))};
  for (int i = 0; i < 96; ++i) static_cast<float*>(result.inputs[0].data())[i] = 0.37f;
  return result;
}

}  // namespace

TEST_CASE("reduce: one operation of a chain, of one element, with simple data") {
  const auto fails = [](const debug::Problem& part) { return has_op(part, Op::tanh); };
  const debug::Problem small = debug::reduced(chain(), fails);
  CHECK(debug::operation_count(small.graph) == 1);
  CHECK(has_op(small, Op::tanh));
  CHECK(same(small.graph.type(small.graph.outputs[0]), TensorType{f32, {1, 1}}));
  CHECK(at(small.inputs[0], 0) == 0);
}

TEST_CASE("reduce: two operations that fail together stay") {
  const auto fails = [](const debug::Problem& part) {
    return has_op(part, Op::sin) && has_op(part, Op::neg);
  };
  CHECK(debug::operation_count(debug::reduced_graph(chain(), fails).graph) == 2);
}

TEST_CASE("reduce: sizes that a failure needs stay, and are otherwise small") {
  const auto fails = [](const debug::Problem& part) {
    return part.graph.type(part.graph.inputs[0]).shape[1].number() >= 5;
  };
  const debug::Problem small = debug::reduced_shapes(chain(), fails);
  CHECK(same(small.graph.type(small.graph.inputs[0]), TensorType{f32, {1, 5}}));
}
