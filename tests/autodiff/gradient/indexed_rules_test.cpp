// test: moved
#include <doctest/doctest.h>
#include <sinter/autodiff/gradient/indexed_rules.hpp>

#include "finite_differences.hpp"

using namespace sinter;
using namespace sinter::detail;

TEST_CASE("gather: the gradient is added at the indices") {
  Graph graph;
  Builder build(graph);
  const Extent batch = Extent::symbol(0);
  const Value table = build.input({f32, {10, 4}}), indices = build.input({i64, {batch, 2}});
  const Value seed = build.input({f32, {batch, 2, 4}});
  graph.outputs = autodiff::gradient(graph, build.gather(table, indices, 0), {&table, 1}, seed);

  CHECK(to_string(graph) ==
        "%0: f32[10, 4] = input\n"
        "%1: i64[s0, 2] = input\n"
        "%2: f32[s0, 2, 4] = input\n"
        "%3: f32[s0, 2, 4] = gather %0 %1 axis=0\n"
        "%4: f32[10, 4] = constant value=0\n"
        "%5: f32[10, 4] = scatter_add %4 %1 %2 axis=0\n"
        "return %5\n");
}

TEST_CASE("scatter_add: the gradient of what is added is gathered") {
  Graph graph;
  Builder build(graph);
  const Vector<Value> values{build.input({f32, {4}}), build.input({f32, {3}})};
  const Value indices = build.input({i64, {3}}), seed = build.input({f32, {4}});
  const Value sum = build.scatter_add(values[0], indices, values[1], 0);
  graph.outputs = autodiff::gradient(graph, sum, values, seed);

  CHECK(to_string(graph) ==
        "%0: f32[4] = input\n"
        "%1: f32[3] = input\n"
        "%2: i64[3] = input\n"
        "%3: f32[4] = input\n"
        "%4: f32[4] = scatter_add %0 %2 %1 axis=0\n"
        "%5: f32[3] = gather %3 %2 axis=0\n"
        "return %3 %5\n");
}
