#include <doctest/doctest.h>

#include <vector>

#include <sinter/autodiff/gradient/callee_rules.hpp>
#include <sinter/autodiff/gradient/gradient.hpp>
#include <sinter/graph/callee.hpp>
#include <sinter/graph/verify.hpp>

#include "callees.hpp"

using namespace callees;
using namespace sinter;
using namespace sinter::detail;

TEST_CASE("callee rules: the gradient of a call is one call, which reads saved values") {
  Call call = call_of_example();
  const Vector<Value> inputs(call.graph.inputs.begin(), call.graph.inputs.end());
  const auto found = autodiff::gradient(call.graph, Value(call.id, 0), inputs);
  verify(call.graph);
  CHECK(found[0].node == found[1].node);
  const Callee* const backward = callee_of(call.graph[found[0].node]);
  REQUIRE(backward != nullptr);
  for (const Node& node : backward->graph().nodes) CHECK(node.op != Op::exp);
}

TEST_CASE("callee rules: the gradient of the gradient is a call too") {
  Call call = call_of_example();
  const Vector<Value> inputs(call.graph.inputs.begin(), call.graph.inputs.end());
  const auto first = autodiff::gradient(call.graph, Value(call.id, 0), inputs);
  const auto second = autodiff::gradient(call.graph, first[0], inputs);
  verify(call.graph);
  for (const Node& node : call.graph.nodes) {
    const bool is_plain = node.op == Op::input || node.op == Op::constant || node.op == Op::add;
    CHECK((is_plain || callee_of(node) != nullptr));
  }
}
