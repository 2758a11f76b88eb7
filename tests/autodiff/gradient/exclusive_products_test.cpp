#include <doctest/doctest.h>
#include <sinter/autodiff/gradient/exclusive_products.hpp>

#include "finite_differences.hpp"

using namespace sinter;
using namespace sinter::detail;
using namespace differences;

TEST_CASE("exclusive_products: each gets the product of the others, zeros included") {
  const Graph graph = autodiff::exact_prod_gradient({f64, {2, 3}}, {f64, {2}}, {1});
  CHECK(run(graph, {{2, 3, 4, 5, 0, 6}, {1, 2}})[0] == Numbers{12, 8, 6, 0, 60, 0});
  const Graph both = autodiff::exact_prod_gradient({f64, {2, 2}}, {f64, {}}, {0, 1});
  CHECK(run(both, {{2, 3, 4, 5}, {1}})[0] == Numbers{60, 40, 30, 24});
}

TEST_CASE("exclusive_products: the gradient of running products, zeros included") {
  const Graph graph = autodiff::exact_cumprod_gradient({f64, {3, 2}}, 0);
  const Numbers x{2, 0, 3, 5, 4, 7}, g{1, 1, 1, 1, 1, 1}, unused(6, 0);
  // 1 + x1 + x1 x2, x0 (1 + x2), x0 x1, of each column
  CHECK(run(graph, {x, g, unused})[0] == Numbers{16, 41, 10, 0, 6, 0});
}

TEST_CASE("exclusive_products: the gradient of a product that is zero has a gradient") {
  Graph graph;
  Builder build(graph);
  const Value x = build.input({f64, {3}}), seed = build.input({f64, {3}});
  const Value product = build.reduce(Op::prod, x, {0});
  const Value first = autodiff::gradient(graph, product, {&x, 1})[0];
  graph.outputs = autodiff::gradient(graph, first, {&x, 1}, seed);
  CHECK(run(graph, {{0, 2, 3}, {1, 0, 0}})[0] == Numbers{0, 3, 2});
  CHECK(run(graph, {{0, 2, 3}, {0, 1, 0}})[0] == Numbers{3, 0, 0});
}
