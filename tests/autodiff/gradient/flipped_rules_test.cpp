// test: moved
// The gradient of each operation with its sign flipped: what tests the rules must notice.

#include <doctest/doctest.h>

#include "rule_cases.hpp"

using namespace sinter;
using namespace sinter::detail;
using namespace differences;
using rule_cases::Case;
using rule_cases::cases;

namespace {

// The gradients of the floating inputs of `node`, with the other sign, in a graph of their own.
Graph flipped_gradients(const Graph& graph, const Node& node) {
  Graph result;
  Builder build(result);
  Node again = node;
  Vector<Value> gradients, all;
  for (Value& input : again.inputs) input = build.input(graph.type(input));
  for (const TensorType& type : node.results) build.input(type);
  for (const TensorType& type : node.results) {
    if (is_floating(type.dtype)) gradients.push_back(build.input(type));
  }
  const NodeId id = build.append(again);
  Vector<bool> wanted;
  for (const Value input : node.inputs) wanted.push_back(is_floating(graph.type(input).dtype));
  const Node copy = result[id];
  const autodiff::Backward at{build, copy, id, gradients, wanted, &all};
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (!wanted[i]) continue;
    result.outputs.push_back(build.neg(autodiff::gradient_rule(node.op).apply(at, i)));
  }
  return result;
}

// `node` as a call, whose gradient is flipped.
Node flipped(const Graph& graph, const Node& node) {
  Graph forward;
  Builder build(forward);
  Node inside = node;
  for (Value& input : inside.inputs) input = build.input(graph.type(input));
  const NodeId id = build.append(inside);
  for (std::uint32_t i = 0; i < node.results.size(); ++i) forward.outputs.push_back({id, i});
  return {.op = Op::call,
          .inputs = node.inputs,
          .bodies = {std::move(forward), flipped_gradients(graph, node)}};
}

// Whether differences tell the gradients of `test` from those with every use of `op` flipped.
bool is_noticed(const Case& test) {
  Program program(false, test.low, test.high);
  const Value output = test.write(program);
  Program changed(false, test.low, test.high);
  changed.inputs = program.inputs;
  std::vector<NodeId> moved;
  for (const Node& node : program.graph.nodes) {
    Node next = node.op == test.op ? flipped(program.graph, node) : node;
    for (Value& input : next.inputs) input.node = moved[input.node];
    moved.push_back(changed.builder.append(std::move(next)));
  }
  return gradient_error(changed, Value(moved[output.node], output.result)) > 1e-3;
}

}  // namespace

TEST_CASE("rules: a rule with its sign flipped is noticed by differences") {
  for (const Case& test : cases) {
    CAPTURE(to_string(test.op));
    if (test.high > test.low) CHECK(is_noticed(test));
  }
}
