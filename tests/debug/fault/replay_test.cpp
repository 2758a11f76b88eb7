// A replay ends with 1 while the problem fails.

#include <doctest/doctest.h>

#include <sinter/debug/fault/replay.hpp>

#include "make_problem.hpp"

using namespace fault_tests;

TEST_CASE("replay: 1 if it fails, else 0") {
  Graph graph;
  Builder build(graph);
  const Value x = build.input({f32, {2}});
  graph.outputs = {build.elementwise(Op::log, {x})};
  debug::Replay fails(graph, debug::FailureKind::non_finite);
  fails.floats({1, 0});
  CHECK(fails.run() == 1);
  debug::Replay works(graph, debug::FailureKind::non_finite);
  works.floats_like(2);
  CHECK(works.run() == 0);
}

TEST_CASE("replay: elements by dtype") {
  Graph graph;
  Builder build(graph);
  const Value x = build.input({i32, {3}});
  graph.outputs = {build.add(x, x)};
  debug::Replay replay(graph, debug::FailureKind::kernels);
  replay.integers({1, 2, -3});
  CHECK(replay.run() == 0);
}
