#include <doctest/doctest.h>
#include <sinter/graph/builder.hpp>
#include <sinter/graph/print.hpp>
#include <sinter/pass/fold_constants.hpp>

using namespace sinter;
using namespace sinter::detail;

TEST_CASE("fold_constants: elementwise operations of constants become constants") {
  Graph graph;
  Builder build(graph);
  const TensorType type{f32, {4}};
  const Value x = build.input(type);
  const Value three = build.constant(constant(3), type), half = build.constant(constant(0.5), type);
  graph.outputs = {build.add(x, build.mul(three, build.neg(half)))};

  CHECK(to_string(pass::fold_constants(graph)) ==
        "%0: f32[4] = input\n"
        "%1: f32[4] = constant value=3\n"
        "%2: f32[4] = constant value=0.5\n"
        "%3: f32[4] = constant value=-0.5\n"
        "%4: f32[4] = constant value=-1.5\n"
        "%5: f32[4] = add %0 %4\n"
        "return %5\n");
}

TEST_CASE("fold_constants: casts and comparisons of constants become constants") {
  Graph graph;
  Builder build(graph);
  const Value big = build.constant(constant(300), {i32, {2}});
  const Value small = build.cast(big, u8);
  graph.outputs = {small, build.elementwise(Op::lt, {small, build.constant_like(small, 50)})};

  CHECK(to_string(pass::fold_constants(graph)) ==
        "%0: i32[2] = constant value=300\n"
        "%1: u8[2] = constant value=44\n"
        "%2: u8[2] = constant value=50\n"
        "%3: bool[2] = constant value=true\n"
        "return %1 %3\n");
}

TEST_CASE("fold_constants: movements of a constant are constants of another shape") {
  Graph graph;
  Builder build(graph);
  const Extent n = Extent::symbol(0);
  const Value x = build.constant(constant(2), {f32, {1, 6}});
  const Value wide = build.expand(build.reshape(x, {1, 2, 3}), {n, 2, 3});
  const Value moved = build.flip(build.permute(wide, {2, 0, 1}), {0});
  graph.outputs = {build.pad(moved, {0, 1, 0}, {0, 0, 0}, constant(2))};

  const Graph result = pass::fold_constants(graph);

  CHECK(to_string(result[result.outputs[0].node].results[0]) == "f32[3, s0 + 1, 2]");
  CHECK(result[result.outputs[0].node].op == Op::constant);
}

TEST_CASE("fold_constants: padding with another value stays") {
  Graph graph;
  Builder build(graph);
  const Value x = build.constant(constant(2), {f32, {3}});
  graph.outputs = {build.pad(x, {1}, {1}, constant(0))};

  CHECK(to_string(pass::fold_constants(graph)) == to_string(graph));
}

TEST_CASE("fold_constants: sums that no order can round become constants") {
  Graph graph;
  Builder build(graph);
  const Value ones = build.constant(constant(1), {f32, {1000, 2}});
  const Value bytes = build.constant(constant(100), {u8, {3}});
  graph.outputs = {build.reduce(Op::sum, ones, {0}), build.reduce(Op::sum, bytes, {0}),
                   build.reduce(Op::max, ones, {0, 1})};

  CHECK(to_string(pass::fold_constants(graph)) ==
        "%0: f32[1000, 2] = constant value=1\n"
        "%1: u8[3] = constant value=100\n"
        "%2: f32[2] = constant value=1000\n"
        "%3: u8[] = constant value=44\n"
        "%4: f32[] = constant value=1\n"
        "return %2 %3 %4\n");
}

TEST_CASE("fold_constants: sums that round, and extremes of what may be empty, stay") {
  Graph graph;
  Builder build(graph);
  const Value tenths = build.constant(constant(0.1), {f32, {10}});
  const Value many = build.constant(constant(3), {f32, {1 << 23}});
  const Value symbolic = build.constant(constant(3), {f32, {Extent::symbol(0)}});
  graph.outputs = {build.reduce(Op::sum, tenths, {0}), build.reduce(Op::sum, many, {0}),
                   build.reduce(Op::max, symbolic, {0}), build.reduce(Op::sum, symbolic, {0})};

  CHECK(to_string(pass::fold_constants(graph)) == to_string(graph));
}

TEST_CASE("fold_constants: a sum of 0 and a product of 1 are so for any size") {
  Graph graph;
  Builder build(graph);
  const TensorType type{f32, {Extent::symbol(0)}};
  graph.outputs = {build.reduce(Op::sum, build.constant(constant(0), type), {0}),
                   build.reduce(Op::prod, build.constant(constant(1), type), {0})};

  CHECK(to_string(pass::fold_constants(graph)) ==
        "%0: f32[s0] = constant value=0\n"
        "%1: f32[] = constant value=0\n"
        "%2: f32[s0] = constant value=1\n"
        "%3: f32[] = constant value=1\n"
        "return %1 %3\n");
}

TEST_CASE("fold_constants: an integer division by zero stays, and fails when it runs") {
  Graph graph;
  Builder build(graph);
  const TensorType type{i32, {2}};
  graph.outputs = {build.elementwise(
      Op::floor_divide, {build.constant(constant(1), type), build.constant(constant(0), type)})};

  CHECK(to_string(pass::fold_constants(graph)) == to_string(graph));
}
