// test: moved
#include <doctest/doctest.h>
#include <sinter/autodiff/gradient/row_rules.hpp>

#include "finite_differences.hpp"

using namespace sinter;
using namespace sinter::detail;
using namespace differences;

namespace {

// The gradient of sum(cumprod of the rows of x * seed), and by differences, where x has two rows.
double cumprod_error(const Numbers& x, const Numbers& seed) {
  Program program;
  const auto columns = static_cast<std::int64_t>(x.size()) / 2;
  const Value input = program.input({2, columns});
  program.inputs[0] = x;
  Builder& build = program.builder;
  const Value product = build.cumulate(Op::cumprod, input, 1);
  Graph forward = program.graph;
  forward.outputs = {product};
  const Value weight = build.input({f64, {2, columns}});
  program.inputs.push_back(seed);
  program.graph.outputs = autodiff::gradient(program.graph, product, {&input, 1}, weight);
  Program differed;
  differed.inputs = {x};
  return largest_error(run(program.graph, {x, seed}), by_differences(forward, differed, seed));
}

}  // namespace

TEST_CASE("cumsum: the gradient is summed from the end") {
  Graph graph;
  Builder build(graph);
  const Extent n = Extent::symbol(0);
  const Value x = build.input({f32, {n, 3}}), seed = build.input({f32, {n, 3}});
  graph.outputs = autodiff::gradient(graph, build.cumulate(Op::cumsum, x, 0), {&x, 1}, seed);

  CHECK(to_string(graph) ==
        "%0: f32[s0, 3] = input\n"
        "%1: f32[s0, 3] = input\n"
        "%2: f32[s0, 3] = cumsum %0 axis=0\n"
        "%3: f32[s0, 3] = flip %1 axes=[0]\n"
        "%4: f32[s0, 3] = cumsum %3 axis=0\n"
        "%5: f32[s0, 3] = flip %4 axes=[0]\n"
        "return %5\n");
}

TEST_CASE("cumsum: derivatives are those of differences, along each axis") {
  check_derivatives([](Program& p) {
    const Value x = p.input({p.size(2), p.size(4)});
    return p.builder.mul(p.builder.cumulate(Op::cumsum, x, 1), x);
  });
  check_derivatives([](Program& p) {
    const Value x = p.input({p.size(4), p.size(3)});
    return p.builder.elementwise(Op::sin, {p.builder.cumulate(Op::cumsum, x, 0)});
  });
}

TEST_CASE("cumprod: derivatives are those of differences, along each axis") {
  check_derivatives(
      [](Program& p) {
        return p.builder.cumulate(Op::cumprod, p.input({p.size(2), p.size(4)}), 1);
      },
      0.5, 1.5);
  check_derivatives(
      [](Program& p) {
        const Value x = p.input({p.size(4), p.size(3)});
        return p.builder.add(p.builder.cumulate(Op::cumprod, x, 0), x);
      },
      -1.5, -0.5);
}

TEST_CASE("cumprod: derivatives are those of differences with no, one and two zeros in a row") {
  const Numbers seed{1, -2, 0.5, 3, 2, 1, -1, 0.25};
  CHECK(cumprod_error({2, 3, -4, 0.5, 1, 2, 3, 4}, seed) <= 1e-6);
  CHECK(cumprod_error({0, 3, -4, 0.5, 1, 2, 3, 0}, seed) <= 1e-6);
  CHECK(cumprod_error({2, 0, -4, 0.5, 1, 2, 0, 4}, seed) <= 1e-6);
  CHECK(cumprod_error({2, 0, -4, 0, 0, 0, 3, 4}, seed) <= 1e-6);
  CHECK(cumprod_error({0, 0, 0, 0, 0, 2, 0, 1}, seed) <= 1e-6);
}

TEST_CASE("argsort: nothing flows through positions, and values keep their gradient") {
  Graph graph;
  Builder build(graph);
  const Value x = build.input({f64, {4}});
  const Value sorted = build.gather(x, build.argsort(x, 0, false), 0);
  const Value seed = build.input({f64, {4}});
  graph.outputs = autodiff::gradient(graph, sorted, {&x, 1}, seed);

  CHECK(run(graph, {{3, 1, 4, 2}, {10, 20, 30, 40}})[0] == Numbers{30, 10, 40, 20});
}
