#include <doctest/doctest.h>

#include <vector>

#include <sinter/graph/builder.hpp>
#include <sinter/graph/subgraph.hpp>
#include <sinter/graph/verify.hpp>

using namespace sinter;
using namespace sinter::detail;

TEST_CASE("subgraph: computes what is wanted from what is known, and from nothing before that") {
  Graph graph;
  Builder build(graph);
  const Value x = build.input({f32, {4}}), y = build.input({f32, {4}});
  const Value a = build.neg(x), b = build.mul(a, y), c = build.add(b, a);
  const Vector<Value> known{y, b, a}, wanted{c, build.neg(b)};
  const Subgraph part = subgraph(graph, wanted, known);
  verify(part.graph);
  CHECK(part.inputs == Vector<Value>{b, a});  // in the order of `known`; y is not read
  CHECK(part.graph.inputs.size() == 2);
  CHECK(part.graph.nodes.size() == 4);
  CHECK(part.graph.outputs.size() == 2);
}

TEST_CASE("subgraph: an input that is not known is an internal error") {
  Graph graph;
  Builder build(graph);
  const Value x = build.input({f32, {4}});
  const Vector<Value> wanted{build.neg(x)};
  CHECK_THROWS_AS(subgraph(graph, wanted, {}), InternalError);
}
