// A probe sees each rule of gradients and batches, and may change its result.

#include <doctest/doctest.h>

#include <sinter/autodiff/batching/batch.hpp>
#include <sinter/autodiff/gradient/gradient.hpp>
#include <sinter/autodiff/gradient/rule_probe.hpp>

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

TEST_CASE("rule_probe: gradients and batches") {
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
