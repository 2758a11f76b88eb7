#include <doctest/doctest.h>

#include <vector>

#include <sinter/autodiff/gradient/partition.hpp>
#include <sinter/graph/builder.hpp>

using namespace sinter;
using namespace sinter::detail;

namespace {

DotAxes product() { return {{}, {}, {1}, {0}}; }

}  // namespace

TEST_CASE("partition: a product is saved, and elementwise operations on it are rematerialised") {
  Graph graph;
  Builder build(graph);
  const Value x = build.input({f32, {8, 4}}), w = build.input({f32, {4, 16}}),
              v = build.input({f32, {16, 4}});
  const Value h = build.dot_general(x, w, product());
  const Value t = build.elementwise(Op::tanh, {build.mul(h, h)});
  graph.outputs = {build.dot_general(t, v, product())};
  CHECK(autodiff::saved_values(graph, {false, true, true}) == Vector<Value>{h});
  CHECK(autodiff::varying_outputs(graph, {false, true, true}) == Vector<bool>{true});
}

TEST_CASE("partition: the smallest value of a chain is saved") {
  Graph graph;
  Builder build(graph);
  const Value x = build.input({f32, {64, 64}});
  const Value total = build.reduce(Op::sum, build.mul(x, x), {0, 1});
  const Value root = build.elementwise(Op::sqrt, {total});
  const Value wide = build.expand(build.reshape(root, {1, 1}), {64, 64});
  graph.outputs = {build.div(x, wide)};
  const Vector<Value> saved = autodiff::saved_values(graph, {true});
  REQUIRE(saved.size() == 1);
  CHECK(graph.type(saved[0]).shape.size() <= 2);
  CHECK(same(numel(graph.type(saved[0]).shape), Extent(1)));
}

TEST_CASE("partition: inputs and outputs are there anyway; nothing flows to what is not wanted") {
  Graph graph;
  Builder build(graph);
  const Value x = build.input({f32, {4}}), y = build.input({f32, {4}});
  const Value e = build.elementwise(Op::exp, {x});
  graph.outputs = {e, build.mul(y, y)};
  CHECK(autodiff::saved_values(graph, {true, false}).empty());
  CHECK(autodiff::varying_outputs(graph, {true, false}) == Vector<bool>{true, false});
}
