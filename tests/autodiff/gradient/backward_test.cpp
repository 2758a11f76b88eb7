#include <doctest/doctest.h>
#include <sinter/autodiff/gradient/backward.hpp>

using namespace sinter;
using namespace sinter::detail;

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
