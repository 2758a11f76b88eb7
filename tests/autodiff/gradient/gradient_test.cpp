// test: moved
#include <doctest/doctest.h>
#include <sinter/autodiff/gradient/gradient.hpp>

#include "finite_differences.hpp"

using namespace sinter;
using namespace sinter::detail;
using namespace differences;

TEST_CASE("gradient: what is used twice gets the sum of what flows back") {
  Graph graph;
  Builder build(graph);
  const Value x = build.input({f32, {4}});
  const Value y = build.mul(x, build.elementwise(Op::sin, {x}));
  graph.outputs = autodiff::gradient(graph, y, {&x, 1});

  CHECK(to_string(graph) ==
        "%0: f32[4] = input\n"
        "%1: f32[4] = sin %0\n"
        "%2: f32[4] = mul %0 %1\n"
        "%3: f32[4] = constant value=1\n"
        "%4: f32[4] = mul %3 %1\n"
        "%5: f32[4] = mul %3 %0\n"
        "%6: f32[4] = cos %0\n"
        "%7: f32[4] = mul %5 %6\n"
        "%8: f32[4] = add %4 %7\n"
        "return %8\n");
}

TEST_CASE("gradient: what flows back has the shape of the value, not that of another operand") {
  Graph graph;
  Builder build(graph);
  const Extent n = Extent::symbol(0), m = Extent::symbol(1);  // equal by what a program assumed
  const Value lhs = build.input({f32, {2, m}}), rhs = build.input({f32, {n, 3}});
  const Value product = build.dot_general(lhs, rhs, {{}, {}, {1}, {0}});
  const Value total = build.add(build.reduce(Op::sum, product, {0, 1}),
                                build.reduce(Op::sum, build.mul(rhs, rhs), {0, 1}));

  const auto result = autodiff::gradient(graph, total, {&rhs, 1});

  CHECK(same(graph.type(result[0]), graph.type(rhs)));
}

TEST_CASE("gradient: only what lies between the values and the output is differentiated") {
  Graph graph;
  Builder build(graph);
  const Value x = build.input({f32, {4}}), y = build.input({f32, {4}});
  const Value other = build.elementwise(Op::exp, {y});
  build.elementwise(Op::log, {x});
  const Value output = build.mul(x, other);
  const std::size_t before = graph.nodes.size();

  const auto result = autodiff::gradient(graph, output, {&x, 1}, y);

  CHECK(graph.nodes.size() == before + 1);
  CHECK(graph[result[0].node].op == Op::mul);
  CHECK(graph[result[0].node].inputs[1] == other);
}

TEST_CASE("gradient: is 0 where nothing flows, in the dtype of the value") {
  Graph graph;
  Builder build(graph);
  const Extent n = Extent::symbol(0);
  const Vector<Value> values{build.input({f32, {n}}), build.input({i32, {2}})};
  const Value later = build.input({f64, {3}}), output = values[0];
  Vector<Value> all = values;
  all.push_back(later);
  graph.outputs = autodiff::gradient(graph, build.mul(output, build.constant_like(output, 2)), all);

  CHECK(to_string(graph) ==
        "%0: f32[s0] = input\n"
        "%1: i32[2] = input\n"
        "%2: f64[3] = input\n"
        "%3: f32[s0] = constant value=2\n"
        "%4: f32[s0] = mul %0 %3\n"
        "%5: f32[s0] = constant value=1\n"
        "%6: f32[s0] = mul %5 %3\n"
        "%7: i32[2] = constant value=0\n"
        "%8: f64[3] = constant value=0\n"
        "return %6 %7 %8\n");
}

TEST_CASE("gradient: the values may be in the middle, and depend on each other") {
  Graph graph;
  Builder build(graph);
  const Value x = build.input({f64, {2}});
  const Value middle = build.mul(x, x);
  const Vector<Value> values{middle, x};
  graph.outputs = autodiff::gradient(graph, build.mul(middle, middle), values);

  const auto result = run(graph, {{3, 5}});

  CHECK(result[0] == Numbers{18, 50});
  CHECK(result[1] == Numbers{108, 500});
}

TEST_CASE("gradient: of a value with respect to itself is the seed") {
  Graph graph;
  Builder build(graph);
  const Value x = build.input({f32, {2}}), seed = build.input({f32, {2}});

  CHECK(autodiff::gradient(graph, x, {&x, 1}, seed) == Vector{seed});
}

TEST_CASE("gradient: integers and comparisons carry none") {
  Graph graph;
  Builder build(graph);
  const Value x = build.input({f64, {3}});
  const Value positive = build.elementwise(Op::gt, {x, build.constant_like(x, 0)});
  const Value largest = build.reduce(Op::argmax, x, {0});
  const Value output = build.select(positive, x, build.neg(x));
  graph.outputs = {autodiff::gradient(graph, output, {&x, 1})[0],
                   autodiff::gradient(graph, largest, {&x, 1})[0]};

  const auto result = run(graph, {{-1, 2, 3}});

  CHECK(result[0] == Numbers{-1, 1, 1});
  CHECK(result[1] == Numbers{0, 0, 0});
}

TEST_CASE("gradient: nodes carry the line and the module of what they differentiate") {
  const std::string path = "encoder.layers.3";
  Graph graph;
  Builder build(graph);
  const Value x = build.input({f32, {2}});
  const Where line = Where::current();
  build.at(line, &path);
  const Value output = build.elementwise(Op::cos, {x});
  const std::size_t before = graph.nodes.size();

  autodiff::gradient(graph, output, {&x, 1});

  REQUIRE(graph.nodes.size() > before);
  for (std::size_t id = before; id < graph.nodes.size(); ++id) {
    CHECK(graph.nodes[id].where.line() == line.line());
    CHECK(graph.nodes[id].path == &path);
  }
}

TEST_CASE("gradient: a seed of another type is our mistake") {
  Graph graph;
  Builder build(graph);
  const Value x = build.input({f32, {2}}), seed = build.input({f32, {3}});

  CHECK_THROWS_WITH_AS(autodiff::gradient(graph, x, {&x, 1}, seed),
                       doctest::Contains("gradient of f32[2] with a seed of f32[3]"),
                       InternalError);
}

TEST_CASE("gradient: third derivatives are gradients of gradients of gradients") {
  Graph graph;
  Builder build(graph);
  const Value x = build.input({f64, {2}});
  Value y = build.mul(build.mul(x, x), build.mul(x, x));
  for (int order = 0; order < 3; ++order) y = autodiff::gradient(graph, y, {&x, 1})[0];
  graph.outputs = {y};

  CHECK(run(graph, {{1, 2}})[0] == Numbers{24, 48});
}

TEST_CASE("gradient: of softmax, layer_norm and a small network is what differences give") {
  const auto rows = [](Program& program, Op op, Value x) {
    Builder& build = program.builder;
    const Shape shape = build.shape(x);
    return build.expand(build.reshape(build.reduce(op, x, {1}), {shape[0], 1}), shape);
  };
  static const auto along_rows = rows;
  check_derivatives([](Program& program) {
    Builder& build = program.builder;
    const Value x = program.input({program.size(3), program.size(4)});
    const Value e = build.elementwise(Op::exp, {build.sub(x, along_rows(program, Op::max, x))});
    return build.div(e, along_rows(program, Op::sum, e));
  });
  check_derivatives([](Program& program) {
    Builder& build = program.builder;
    const Value x = program.input({program.size(3), 4}), quarter = build.constant_like(x, 0.25);
    const Value centred = build.sub(x, build.mul(along_rows(program, Op::sum, x), quarter));
    const Value squares = along_rows(program, Op::sum, build.mul(centred, centred));
    const Value variance = build.add(build.mul(squares, quarter), build.constant_like(x, 1e-5));
    return build.div(centred, build.elementwise(Op::sqrt, {variance}));
  });
  check_derivatives([](Program& program) {
    Builder& build = program.builder;
    const Extent batch = program.size(3);
    const Value x = program.input({batch, 4}), up = program.input({4, 5});
    const Value bias = program.input({1, 5}), down = program.input({5, 2});
    const DotAxes matmul{.lhs_contract = {1}, .rhs_contract = {0}};
    const Value linear =
        build.add(build.dot_general(x, up, matmul), build.expand(bias, {batch, 5}));
    return build.dot_general(build.elementwise(Op::tanh, {linear}), down, matmul);
  });
}
