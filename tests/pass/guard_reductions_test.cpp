#include <doctest/doctest.h>
#include <sinter/graph/builder.hpp>
#include <sinter/graph/print.hpp>
#include <sinter/pass/guard_reductions.hpp>

#include <algorithm>

using namespace sinter;
using namespace sinter::detail;

namespace {

template <class Write>
Graph guarded(const TensorType& type, const Write& write) {
  Graph graph;
  Builder build(graph);
  const Value x = build.input(type);
  graph.outputs = {write(build, x)};
  return pass::guard_reductions(graph);
}

auto count(const Graph& graph, Op op) {
  return std::count_if(graph.nodes.begin(), graph.nodes.end(),
                       [op](const Node& node) { return node.op == op; });
}

Value product(Builder& build, Value x) { return build.reduce(Op::prod, x, {1}); }

Value sum_without_nan(Builder& build, Value x) {
  const Value is_nan = build.elementwise(Op::ne, {x, x});
  return build.reduce(Op::sum, build.select(is_nan, build.constant_like(x, 0), x), {1});
}

}  // namespace

TEST_CASE("guard_reductions: a floating product looks for zeros, and is one of f64") {
  const Graph graph = guarded({f32, {3, 4}}, product);
  CHECK(count(graph, Op::prod) == 1);
  CHECK(count(graph, Op::max) == 1);
  CHECK(count(graph, Op::min) == 1);
  for (const Node& node : graph.nodes) {
    if (node.op == Op::prod) CHECK(node.results[0].dtype == f64);
  }
  CHECK(graph.type(graph.outputs[0]).dtype == f32);
}

TEST_CASE("guard_reductions: applies once, and not to integers") {
  const Graph graph = guarded({f64, {3, 4}}, product);
  CHECK(to_string(pass::guard_reductions(graph)) == to_string(graph));
  CHECK(count(guarded({i64, {3, 4}}, product), Op::max) == 0);
}

TEST_CASE("guard_reductions: a sum that leaves out NaN is one of f64, others stay") {
  const auto dtype_of_sum = [](const Graph& graph) {
    const auto sum = std::find_if(graph.nodes.begin(), graph.nodes.end(),
                                  [](const Node& node) { return node.op == Op::sum; });
    return sum->results[0].dtype;
  };
  CHECK(dtype_of_sum(guarded({f32, {3, 4}}, sum_without_nan)) == f64);
  CHECK(dtype_of_sum(guarded({f32, {3, 4}}, [](Builder& build, Value x) {
          return build.reduce(Op::sum, x, {1});
        })) == f32);
}
