// test: moved
#include <doctest/doctest.h>
#include <sinter/autodiff/gradient/movement_rules.hpp>

#include "finite_differences.hpp"

using namespace sinter;
using namespace sinter::detail;
using namespace differences;

TEST_CASE("permute: is undone") {
  Graph graph;
  Builder build(graph);
  const Value x = build.input({f32, {2, 3, 4}}), seed = build.input({f32, {3, 4, 2}});
  graph.outputs = autodiff::gradient(graph, build.permute(x, {1, 2, 0}), {&x, 1}, seed);

  CHECK(to_string(graph) ==
        "%0: f32[2, 3, 4] = input\n"
        "%1: f32[3, 4, 2] = input\n"
        "%2: f32[3, 4, 2] = permute %0 axes=[1, 2, 0]\n"
        "%3: f32[2, 3, 4] = permute %1 axes=[2, 0, 1]\n"
        "return %3\n");
}

TEST_CASE("expand: the gradient is summed over what was repeated") {
  Graph graph;
  Builder build(graph);
  const Extent n = Extent::symbol(0);
  const Value x = build.input({f32, {1, 3}}), seed = build.input({f32, {n, 3}});
  graph.outputs = autodiff::gradient(graph, build.expand(x, {n, 3}), {&x, 1}, seed);

  CHECK(to_string(graph) ==
        "%0: f32[1, 3] = input\n"
        "%1: f32[s0, 3] = input\n"
        "%2: f32[s0, 3] = expand %0\n"
        "%3: f32[3] = sum %1 axes=[0]\n"
        "%4: f32[1, 3] = reshape %3\n"
        "return %4\n");
}

TEST_CASE("slice: what was cut off gets 0; without steps, padding is all it takes") {
  Graph graph;
  Builder build(graph);
  const Value x = build.input({f32, {6}}), seed = build.input({f32, {3}});
  graph.outputs = autodiff::gradient(graph, build.slice(x, {2}, {1}, {3}), {&x, 1}, seed);

  CHECK(to_string(graph) ==
        "%0: f32[6] = input\n"
        "%1: f32[3] = input\n"
        "%2: f32[3] = slice %0 start=[2] step=[1]\n"
        "%3: f32[6] = pad %1 low=[2] high=[1] value=0\n"
        "return %3\n");
}

TEST_CASE("slice: with steps, the gradient goes to every step-th element") {
  const auto gradient = [](std::int64_t size, std::int64_t start, std::int64_t step,
                           std::int64_t count) {
    Graph graph;
    Builder build(graph);
    const Value x = build.input({f64, {size}}), seed = build.input({f64, {count}});
    graph.outputs =
        autodiff::gradient(graph, build.slice(x, {start}, {step}, {count}), {&x, 1}, seed);
    return run(graph, {Numbers(static_cast<std::size_t>(size)), spread(count, 1, 2)})[0];
  };
  const Numbers seed = spread(3, 1, 2);
  CHECK(gradient(7, 0, 3, 3) == Numbers{seed[0], 0, 0, seed[1], 0, 0, seed[2]});
  CHECK(gradient(8, 1, 2, 3) == Numbers{0, seed[0], 0, seed[1], 0, seed[2], 0, 0});
  CHECK(gradient(4, 3, 5, 1) == Numbers{0, 0, 0, seed[0]});
  CHECK(gradient(3, 3, 2, 0) == Numbers{0, 0, 0});
}

TEST_CASE("unfold: each element gets what the windows that have it got") {
  for (const auto [size, window, step, dilation] : {std::array{7, 3, 2, 1},
                                                    {8, 5, 2, 1},
                                                    {9, 2, 3, 1},
                                                    {8, 4, 3, 1},
                                                    {7, 3, 1, 1},
                                                    {9, 3, 2, 2},
                                                    {5, 5, 4, 1}}) {
    const int count = (size - dilation * (window - 1) - 1) / step + 1;
    Graph graph;
    Builder build(graph);
    const Value x = build.input({f64, {size}}), seed = build.input({f64, {count, window}});
    const Value taken = build.unfold(x, 0, count, window, step, dilation);
    graph.outputs = autodiff::gradient(graph, taken, {&x, 1}, seed);
    const Numbers seeds = spread(count * window, 1, 2);
    Numbers expected(static_cast<std::size_t>(size));
    for (int j = 0; j < count; ++j) {
      for (int k = 0; k < window; ++k) {
        expected[static_cast<std::size_t>(j * step + k * dilation)] +=
            seeds[static_cast<std::size_t>(j * window + k)];
      }
    }
    const Numbers found = run(graph, {Numbers(static_cast<std::size_t>(size)), seeds})[0];
    REQUIRE(found.size() == expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      CHECK(found[i] == doctest::Approx(expected[i]).epsilon(1e-12));
    }
  }
}

TEST_CASE("unfold: overlapping windows take size / step terms") {
  Graph graph;
  Builder build(graph);
  const Value x = build.input({f32, {17}}), seed = build.input({f32, {8, 3}});
  graph.outputs = autodiff::gradient(graph, build.unfold(x, 0, 8, 3, 2), {&x, 1}, seed);
  std::int64_t sums = 0;
  for (const Node& node : graph.nodes) sums += node.op == Op::add ? 1 : 0;
  CHECK(sums == 1);
}

TEST_CASE("slice: steps along all axes of a tensor of the largest rank") {
  Program program;
  const Value x = program.input({2, 1, 3, 1, 2, 1, 2, 3});
  const Value taken = program.builder.slice(program.builder.mul(x, x), {0, 0, 1, 0, 0, 0, 1, 0},
                                            {2, 2, 2, 2, 2, 2, 2, 2}, {1, 1, 1, 1, 1, 1, 1, 2});

  CHECK(gradient_error(program, taken) <= 1e-6);
}
