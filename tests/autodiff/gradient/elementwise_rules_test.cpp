// test: moved
#include <doctest/doctest.h>
#include <sinter/autodiff/gradient/elementwise_rules.hpp>

#include "finite_differences.hpp"

using namespace sinter;
using namespace sinter::detail;
using namespace differences;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// The gradients of the sum of op(x), or op(x, y).
std::vector<Numbers> gradients(Op op, const std::vector<Numbers>& inputs) {
  Graph graph;
  Builder build(graph);
  Vector<Value> values;
  const TensorType type{f64, {inputs[0].size()}};
  for (std::size_t i = 0; i < inputs.size(); ++i) values.push_back(build.input(type));
  const Value output = inputs.size() == 1 ? build.elementwise(op, {values[0]})
                                          : build.elementwise(op, {values[0], values[1]});
  graph.outputs = autodiff::gradient(graph, output, values);
  return run(graph, inputs);
}

}  // namespace

TEST_CASE("cast: the gradient is cast back, and stops at integers") {
  Graph graph;
  Builder build(graph);
  const Value x = build.input({f64, {2}}), seed = build.input({f64, {2}});
  const Value through = build.cast(build.cast(x, f32), f64),
              cut = build.cast(build.cast(x, i32), f64);
  graph.outputs = autodiff::gradient(graph, build.mul(through, cut), {&x, 1}, seed);

  CHECK(to_string(graph) ==
        "%0: f64[2] = input\n"
        "%1: f64[2] = input\n"
        "%2: f32[2] = cast %0\n"
        "%3: f64[2] = cast %2\n"
        "%4: i32[2] = cast %0\n"
        "%5: f64[2] = cast %4\n"
        "%6: f64[2] = mul %3 %5\n"
        "%7: f64[2] = mul %1 %5\n"
        "%8: f32[2] = cast %7\n"
        "%9: f64[2] = cast %8\n"
        "return %9\n");
  const double rounded = static_cast<float>(0.1 * -3);
  CHECK(run(graph, {{2.5, -3.5}, {1, 0.1}})[0] == Numbers{2, rounded});
}

TEST_CASE("tanh: is differentiated through its result") {
  Graph graph;
  Builder build(graph);
  const Value x = build.input({f32, {3}});
  graph.outputs = autodiff::gradient(graph, build.elementwise(Op::tanh, {x}), {&x, 1});

  CHECK(to_string(graph) ==
        "%0: f32[3] = input\n"
        "%1: f32[3] = tanh %0\n"
        "%2: f32[3] = constant value=1\n"
        "%3: f32[3] = mul %1 %1\n"
        "%4: f32[3] = sub %2 %3\n"
        "%5: f32[3] = mul %2 %4\n"
        "return %5\n");
}

TEST_CASE("abs: the gradient at 0 is 0") {
  CHECK(gradients(Op::abs, {{-3, -0.0, 0, 2}})[0] == Numbers{-1, 0, 0, 1});
}

TEST_CASE("sqrt: the gradient at 0 is infinite") {
  CHECK(gradients(Op::sqrt, {{0, 4}})[0] == Numbers{infinity, 0.25});
}

TEST_CASE("floor: nothing flows through what is made of steps") {
  CHECK(gradients(Op::floor, {{0.5, 2}})[0] == Numbers{0, 0});
  CHECK(gradients(Op::sign, {{0.5, 0}})[0] == Numbers{0, 0});
  CHECK(gradients(Op::floor_divide, {{5, 7}, {2, 3}}) == std::vector<Numbers>{{0, 0}, {0, 0}});
}

TEST_CASE("remainder: the divisor counts as often as it was taken away") {
  const auto result = gradients(Op::remainder, {{7, -7, 7}, {3, 3, -3}});

  CHECK(result[0] == Numbers{1, 1, 1});
  CHECK(result[1] == Numbers{-2, 3, 3});
}

TEST_CASE(
    "pow: the gradient of x to the 0 is 0, and that of 0 to the y is 0 unless y is negative") {
  const auto result = gradients(Op::pow, {{0, 0, 0, 3, -2, -2}, {0, 1, 2, 0, 2, 3}});

  CHECK(result[0] == Numbers{0, 1, 0, 0, -4, 12});
  CHECK(Numbers(result[1].begin(), result[1].begin() + 3) == Numbers{0, 0, 0});
  CHECK(result[1][3] == std::log(3.0));
  CHECK(std::isnan(result[1][4]));
  CHECK(gradients(Op::pow, {{0}, {-1}})[1] == Numbers{-infinity});
}

TEST_CASE("pow: second derivatives at a base of 0 are numbers") {
  Graph graph;
  Builder build(graph);
  const Vector<Value> values{build.input({f64, {3}}), build.input({f64, {3}})};
  const auto first =
      autodiff::gradient(graph, build.elementwise(Op::pow, {values[0], values[1]}), values);
  const auto of_base = autodiff::gradient(graph, first[0], values);
  const auto of_exponent = autodiff::gradient(graph, first[1], values);
  graph.outputs = {of_base[0], of_exponent[1]};

  const auto result = run(graph, {{0, 0, 0}, {0, 2, 3}});

  CHECK(result[0] == Numbers{0, 2, 0});
  CHECK(result[1] == Numbers{0, 0, 0});
}

TEST_CASE("maximum: equal operands share the gradient") {
  const std::vector<Numbers> inputs{{1, 2, 3}, {3, 2, 1}};

  CHECK(gradients(Op::maximum, inputs) == std::vector<Numbers>{{0, 0.5, 1}, {1, 0.5, 0}});
  CHECK(gradients(Op::minimum, inputs) == std::vector<Numbers>{{1, 0.5, 0}, {0, 0.5, 1}});
}

TEST_CASE("maximum: of NaN, the gradient goes to both operands") {
  CHECK(gradients(Op::maximum, {{std::nan(""), 1}, {1, std::nan("")}}) ==
        std::vector<Numbers>{{1, 1}, {1, 1}});
}

TEST_CASE("select: what was not selected gets 0, and a seed of NaN does not reach it") {
  Graph graph;
  Builder build(graph);
  const Value x = build.input({f64, {2}}), y = build.input({f64, {2}}),
              seed = build.input({f64, {2}});
  const Vector<Value> values{x, y};
  const Value which = build.elementwise(Op::lt, {x, y});
  graph.outputs = autodiff::gradient(graph, build.select(which, x, y), values, seed);

  const auto result = run(graph, {{1, 2}, {2, 1}, {infinity, std::nan("")}});

  CHECK(result[0] == Numbers{infinity, 0});
  CHECK(result[1][0] == 0);
  CHECK(std::isnan(result[1][1]));
}
