#include <doctest/doctest.h>
#include <sinter/autodiff/batching/batch.hpp>
#include <sinter/autodiff/gradient/backward.hpp>
#include <sinter/autodiff/gradient/gradient.hpp>

using namespace sinter;
using namespace sinter::detail;

namespace {

struct Negate final : autodiff::RuleProbe {
  Negate() { autodiff::rule_probe = this; }
  ~Negate() override { autodiff::rule_probe = nullptr; }
  Value differentiated(Builder& builder, const Node& node, std::size_t, Value gradient) override {
    last = node.op;
    return builder.neg(gradient);
  }
  Value batched(Builder& builder, const Graph&, const Node& node, std::size_t,
                Value result) override {
    last = node.op;
    return builder.neg(result);
  }
  Op last{};
};

}  // namespace

TEST_CASE("backward: names the inputs, the result and the gradient of a node") {
  Graph graph;
  Builder build(graph);
  const Value x = build.input({f32, {2}}), y = build.input({i32, {3}});
  const Value sum = build.add(x, x), gradient = build.constant_like(sum, 1);
  const Node node = graph[sum.node];
  const autodiff::Backward at{build, node, sum.node, {&gradient, 1}};

  CHECK(at.input(0) == x);
  CHECK(at.result() == sum);
  CHECK(at.gradient() == gradient);
  CHECK(same(at.type(1), build.type(x)));
  CHECK_FALSE(same(at.type(1), build.type(y)));
}

TEST_CASE("backward: a probe sees gradients and batches, and may change them") {
  Graph graph;
  Builder build(graph);
  const Value x = build.input({f32, {3}});
  const Value y = build.elementwise(Op::exp, {x});
  graph.outputs = {y};
  Negate probe;
  const Value variables[] = {x};
  const auto gradients = autodiff::gradient(graph, y, variables);
  CHECK(probe.last == Op::exp);
  CHECK(graph[gradients[0].node].op == Op::neg);
  Graph many;
  Builder builder(many);
  const autodiff::Batched operands[] = {{builder.input({f32, {2, 3}}), true}};
  const auto results = autodiff::batch(builder, graph, operands, 2);
  CHECK(many[results[0].value.node].op == Op::neg);
}
