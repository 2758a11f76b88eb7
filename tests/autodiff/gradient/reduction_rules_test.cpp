// test: moved
#include <doctest/doctest.h>
#include <sinter/autodiff/gradient/reduction_rules.hpp>

#include "finite_differences.hpp"

using namespace sinter;
using namespace sinter::detail;
using namespace differences;

namespace {

// The gradient of sum(op(x over its rows) * seed), where x has two rows.
Numbers gradient_of_rows(Op op, const Numbers& x, const Numbers& seed = {1, 1}) {
  Graph graph;
  Builder build(graph);
  const Value input = build.input({f64, {2, x.size() / 2}}), weight = build.input({f64, {2}});
  graph.outputs = autodiff::gradient(graph, build.reduce(op, input, {1}), {&input, 1}, weight);
  return run(graph, {x, seed})[0];
}

}  // namespace

TEST_CASE("sum: the gradient is repeated along the axes that were reduced, whatever their size") {
  Graph graph;
  Builder build(graph);
  const Extent n = Extent::symbol(0);
  const Value x = build.input({f32, {4, n, 3}}), seed = build.input({f32, {n}});
  graph.outputs = autodiff::gradient(graph, build.reduce(Op::sum, x, {0, 2}), {&x, 1}, seed);

  CHECK(to_string(graph) ==
        "%0: f32[4, s0, 3] = input\n"
        "%1: f32[s0] = input\n"
        "%2: f32[s0] = sum %0 axes=[0, 2]\n"
        "%3: f32[1, s0, 1] = reshape %1\n"
        "%4: f32[4, s0, 3] = expand %3\n"
        "return %4\n");
}

TEST_CASE("max: elements that are equal to the result share the gradient evenly") {
  CHECK(gradient_of_rows(Op::max, {1, 3, 3, 5, 4, 4}) == Numbers{0, 0.5, 0.5, 1, 0, 0});
  CHECK(gradient_of_rows(Op::min, {1, 3, 3, 5, 4, 4}, {3, 4}) == Numbers{3, 0, 0, 0, 2, 2});
}

TEST_CASE("max: rows of -inf, as masks make them, get no NaN; rows with a NaN do") {
  const double infinity = std::numeric_limits<double>::infinity();
  CHECK(gradient_of_rows(Op::max, {-infinity, -infinity, -infinity, 1}) == Numbers{0.5, 0.5, 0, 1});

  const Numbers result = gradient_of_rows(Op::max, {std::nan(""), 1, 2, 1});

  CHECK(std::isnan(result[0]));
  CHECK(Numbers{result[2], result[3]} == Numbers{1, 0});
}

TEST_CASE("prod: the gradient is the product of the others, with no, one and two zeros") {
  CHECK(gradient_of_rows(Op::prod, {2, 3, 4, 2, 0, 5}) == Numbers{12, 8, 6, 0, 10, 0});
  CHECK(gradient_of_rows(Op::prod, {0, 3, 0, -1, 1, 1}, {2, 2}) == Numbers{0, 0, 0, 2, -2, -2});
}
