#include <doctest/doctest.h>
#include <sinter/graph/builder.hpp>
#include <sinter/graph/print.hpp>
#include <sinter/graph/verify.hpp>

using namespace sinter;
using namespace sinter::detail;

TEST_CASE("builder: writes a program and infers the types") {
  Graph graph;
  Builder build(graph);
  const Extent n = Extent::symbol(0);
  const Value x = build.input({f32, {n, 4}});
  const Value e = build.elementwise(Op::exp, {x});
  const Value s = build.reduce(Op::sum, e, {1});
  const Value r = build.expand(build.reshape(s, {n, 1}), {n, 4});
  graph.outputs = {build.div(e, r)};

  verify(graph);
  CHECK(to_string(graph) ==
        "%0: f32[s0, 4] = input\n"
        "%1: f32[s0, 4] = exp %0\n"
        "%2: f32[s0] = sum %1 axes=[1]\n"
        "%3: f32[s0, 1] = reshape %2\n"
        "%4: f32[s0, 4] = expand %3\n"
        "%5: f32[s0, 4] = div %1 %4\n"
        "return %5\n");
}

TEST_CASE("builder: writes every operation, and verify agrees") {
  Graph graph;
  Builder build(graph);
  const Value x = build.input({f32, {2, 3}});
  const Value y = build.input({f32, {3, 5}});
  const Value seed = build.input({i64, {}});
  const Value rows = build.iota({i64, {4}}, 0);
  const Value dot = build.dot_general(
      x, y, {.lhs_batch = {}, .rhs_batch = {}, .lhs_contract = {1}, .rhs_contract = {0}});
  const Value padded = build.pad(dot, {1, 0}, {0, 2}, constant(-1.0));
  const Value sliced = build.slice(padded, {1, 0}, {1, 2}, {2, 4});
  const Value flipped = build.permute(build.flip(sliced, {0}), {1, 0});
  const Value taken = build.gather(flipped, rows, 0);
  const Value added = build.scatter_add(flipped, rows, taken, 0);
  const Value positive = build.elementwise(Op::gt, {added, build.constant_like(added, 0)});
  graph.outputs = {build.select(positive, added, build.neg(added)), seed};

  verify(graph);
  CHECK(to_string(build.type(graph.outputs[0])) == "f32[4, 2]");
}

TEST_CASE("builder: equal nodes are one, inputs never are") {
  Graph graph;
  Builder build(graph);
  const Value x = build.input({f32, {4}}), y = build.input({f32, {4}});
  CHECK_FALSE(x == y);
  CHECK(build.add(x, y) == build.add(x, y));
  CHECK_FALSE(build.add(x, y) == build.add(y, x));
  CHECK_FALSE(build.add(x, y) == build.sub(x, y));
  CHECK(build.constant_like(x, 2) == build.constant_like(x, 2.0));
  CHECK_FALSE(build.constant_like(x, 0.0) == build.constant_like(x, -0.0));
  CHECK_FALSE(build.constant_like(x, 1) == build.constant(constant(1), {f32, {5}}));
  const Value z = build.input({f32, {2, 2}});
  CHECK_FALSE(build.reduce(Op::sum, z, {0}) == build.reduce(Op::sum, z, {1}));
  CHECK_FALSE(build.cast(x, f64) == build.cast(x, f16));
}

TEST_CASE("builder: nodes that a graph already has are found") {
  Graph graph;
  Value x, y;
  {
    Builder build(graph);
    x = build.input({f32, {Extent::symbol(3), 4}});
    y = build.elementwise(Op::exp, {x});
  }
  Builder again(graph);
  CHECK(again.elementwise(Op::exp, {x}) == y);
  CHECK_FALSE(again.input(again.type(x)) == x);
}

TEST_CASE("builder: symbols that differ keep nodes apart") {
  Graph graph;
  Builder build(graph);
  const Extent n = Extent::symbol(0), m = Extent::symbol(1);
  const Value one = build.input({f32, {1}});
  CHECK_FALSE(build.expand(one, {n}) == build.expand(one, {m}));
  CHECK(build.expand(one, {n}) == build.expand(one, {n}));
}

TEST_CASE("builder: what changes nothing appends nothing") {
  Graph graph;
  Builder build(graph);
  const Value x = build.input({f32, {2, 3}});
  CHECK(build.cast(x, f32) == x);
  CHECK(build.reshape(x, {2, 3}) == x);
  CHECK(build.expand(x, {2, 3}) == x);
  CHECK(build.reduce(Op::sum, x, {}) == x);
  CHECK(graph.nodes.size() == 1);
}

TEST_CASE("builder: numbers of a rule take the dtype of the value they are like") {
  Graph graph;
  Builder build(graph);
  const Value x = build.input({bf16, {2}});
  const Value half = build.constant_like(x, 0.3);
  CHECK(build.dtype(half) == bf16);
  CHECK(attribute<Constant>(graph[half.node], "value") == constant(0.3, bf16));
}

TEST_CASE("builder: nodes carry the line that asked for them first, and the module") {
  Graph graph;
  Builder build(graph);
  const std::string path = "encoder.layers.3";
  const Value x = build.input({f32, {2}});
  build.at(Where::current(), &path);
  const auto line = Where::current().line() - 1;
  const Value y = build.neg(x);
  build.at(Where::current());
  CHECK(build.neg(x) == y);
  CHECK(graph[y.node].where.line() == line);
  CHECK(*graph[y.node].path == "encoder.layers.3");
}

TEST_CASE("builder: operands that do not fit are a bug of ours") {
  Graph graph;
  Builder build(graph);
  const Value x = build.input({f32, {2}}), y = build.input({f32, {3}});
  CHECK_THROWS_AS(build.add(x, y), InternalError);
  CHECK(graph.nodes.size() == 2);
}
