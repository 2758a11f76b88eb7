// test: moved
#include <doctest/doctest.h>
#include <sinter/autodiff/gradient/contraction_rules.hpp>

#include "finite_differences.hpp"

using namespace sinter;
using namespace sinter::detail;
using namespace differences;

TEST_CASE(
    "dot_general: the gradients of a matrix product are two more, without a permute for rhs") {
  Graph graph;
  Builder build(graph);
  const Extent n = Extent::symbol(0);
  const Vector<Value> values{build.input({f32, {n, 8}}), build.input({f32, {8, 5}})};
  const Value seed = build.input({f32, {n, 5}});
  const Value product =
      build.dot_general(values[0], values[1], {.lhs_contract = {1}, .rhs_contract = {0}});
  graph.outputs = autodiff::gradient(graph, product, values, seed);

  CHECK(to_string(graph) ==
        "%0: f32[s0, 8] = input\n"
        "%1: f32[8, 5] = input\n"
        "%2: f32[s0, 5] = input\n"
        "%3: f32[s0, 5] = dot_general %0 %1 lhs_batch=[] rhs_batch=[] lhs_contract=[1] "
        "rhs_contract=[0]\n"
        "%4: f32[s0, 8] = dot_general %2 %1 lhs_batch=[] rhs_batch=[] lhs_contract=[1] "
        "rhs_contract=[1]\n"
        "%5: f32[8, 5] = dot_general %0 %2 lhs_batch=[] rhs_batch=[] lhs_contract=[0] "
        "rhs_contract=[0]\n"
        "return %4 %5\n");
}

TEST_CASE("dot_general: axes of a batch and of a contraction may be anywhere, in any order") {
  const WriteProgram write = [](Program& program) {
    const Extent a = program.size(2), b = program.size(3), k = program.size(4);
    const Extent m = program.size(2), i = program.size(3), j = program.size(2);
    const Value lhs = program.input({k, a, i, m, b});
    const Value rhs = program.input({m, b, j, k, a});
    return program.builder.dot_general(
        lhs, rhs,
        {.lhs_batch = {4, 1}, .rhs_batch = {1, 4}, .lhs_contract = {3, 0}, .rhs_contract = {0, 3}});
  };

  check_derivatives(write);
}

TEST_CASE("dot_general: the contraction of everything, of nothing, and of a value with itself") {
  check_derivatives([](Program& program) {
    const Shape shape{program.size(3), program.size(2)};
    const Value lhs = program.input(shape), rhs = program.input(shape);
    return program.builder.dot_general(lhs, rhs, {.lhs_contract = {1, 0}, .rhs_contract = {1, 0}});
  });
  check_derivatives([](Program& program) {
    const Value lhs = program.input({program.size(3)}), rhs = program.input({program.size(2)});
    return program.builder.dot_general(lhs, rhs, {});
  });
  check_derivatives([](Program& program) {
    const Extent n = program.size(3);
    const Value x = program.input({n, n});
    return program.builder.dot_general(x, x, {.lhs_contract = {1}, .rhs_contract = {0}});
  });
}
