// test: moved
#include "testing.hpp"

#include <sinter/graph/builder.hpp>
#include <sinter/trace/subgraph/splice.hpp>

using namespace testing;

TEST_CASE("splice: values of a graph are values of the program") {
  Graph graph;
  Builder build(graph);
  const Value x = build.input({f32, {2}}), y = build.input({f32, {2}});
  const Value sum = build.add(x, y), unused = build.mul(x, y);
  const Value wanted[]{build.mul(sum, y), x};
  const std::vector<Tensor> known{vector({1, 2}), vector({3, 4})};
  const auto found = detail::splice(graph, known, wanted, Where::current());
  CHECK(near(found[0], {12, 24}));
  CHECK(near(found[1], {1, 2}));
  CHECK(unused.node < graph.nodes.size());
}

TEST_CASE("splice: known values are not recomputed") {
  Graph graph;
  Builder build(graph);
  const Value x = build.input({f32, {1}});
  const Value twice = build.add(x, x);
  const Value wanted[]{build.neg(twice)};
  std::vector<Tensor> known(graph.nodes.size());
  known[twice.node] = vector({10});
  CHECK(near(detail::splice(graph, known, wanted, Where::current())[0], {-10}));
}

TEST_CASE("splice: results of one node are evaluated one by one") {
  Graph body, graph;
  Builder inside(body), build(graph);
  const Value y = inside.input({f32, {2}});
  body.outputs = {inside.neg(y), inside.mul(y, y)};
  const Value x = build.input({f32, {2}});
  const NodeId call = build.append({.op = Op::call, .inputs = {x}, .bodies = {body}});
  const Value wanted[]{build.add({call, 0}, x), build.add({call, 1}, x)};
  const auto found = detail::splice(graph, {vector({1, 2})}, wanted, Where::current());
  CHECK(near(found[0], {0, 0}));
  CHECK(near(found[1], {2, 6}));
}
