#include <doctest/doctest.h>

#include <memory>
#include <vector>

#include <sinter/autodiff/batch.hpp>
#include <sinter/autodiff/callee_rules.hpp>
#include <sinter/autodiff/gradient.hpp>
#include <sinter/graph/builder.hpp>
#include <sinter/graph/callee.hpp>
#include <sinter/graph/verify.hpp>

using namespace sinter;
using namespace sinter::detail;

namespace {

class Plain : public Callee {
 public:
  using Callee::Callee;
  std::shared_ptr<const Callee> with(Graph graph) const override {
    return std::make_shared<Plain>(std::move(graph));
  }
};

// x, y -> exp(x) * y, and exp(x), which is kept.
std::shared_ptr<const Callee> example() {
  Graph graph;
  Builder build(graph);
  const Value x = build.input({f32, {3}}), y = build.input({f32, {3}});
  const Value e = build.elementwise(Op::exp, {x});
  graph.outputs = {build.mul(e, y), e};
  return std::make_shared<Plain>(std::move(graph));
}

struct Call {
  Graph graph{};
  NodeId id = 0;
};

Call call_of_example() {
  Call result;
  Builder build(result.graph);
  Node node = call_of(example(), {});
  const Value x = build.input({f32, {3}}), y = build.input({f32, {3}});
  node.inputs = {x, y};
  result.id = build.append(std::move(node));
  result.graph.outputs = {{result.id, 0}};
  return result;
}

}  // namespace

TEST_CASE("callee rules: the gradient of a call is one call, which reads what was kept") {
  Call call = call_of_example();
  const std::vector<Value> inputs(call.graph.inputs.begin(), call.graph.inputs.end());
  const auto found = autodiff::gradient(call.graph, Value(call.id, 0), inputs);
  verify(call.graph);
  CHECK(found[0].node == found[1].node);
  const Callee* const backward = callee_of(call.graph[found[0].node]);
  REQUIRE(backward != nullptr);
  for (const Node& node : backward->graph().nodes) CHECK(node.op != Op::exp);
}

TEST_CASE("callee rules: the gradient of the gradient is a call too") {
  Call call = call_of_example();
  const std::vector<Value> inputs(call.graph.inputs.begin(), call.graph.inputs.end());
  const auto first = autodiff::gradient(call.graph, Value(call.id, 0), inputs);
  const auto second = autodiff::gradient(call.graph, first[0], inputs);
  verify(call.graph);
  for (const Node& node : call.graph.nodes) {
    const bool is_plain = node.op == Op::input || node.op == Op::constant || node.op == Op::add;
    CHECK((is_plain || callee_of(node) != nullptr));
  }
}

TEST_CASE("callee rules: the batch of a call is a call") {
  const Call call = call_of_example();
  Graph graph;
  Builder build(graph);
  const std::vector<autodiff::Batched> operands{{build.input({f32, {5, 3}}), true},
                                                {build.input({f32, {3}}), false}};
  const auto found = autodiff::batch(build, call.graph, operands, 5, {});
  graph.outputs = {found[0].value};
  verify(graph);
  CHECK(same(graph.type(found[0].value), {f32, {5, 3}}));
  CHECK(callee_of(graph[found[0].value.node]) != nullptr);
}
