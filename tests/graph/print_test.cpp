#include <doctest/doctest.h>
#include <sinter/graph/print.hpp>

using namespace sinter;
using namespace sinter::detail;

TEST_CASE("print: attributes, each result, and bodies below their node") {
  const TensorType type{f32, {4}};
  Graph negate;
  const NodeId y = negate.append({.op = Op::input, .results = {type}});
  negate.outputs = {negate.append({.op = Op::neg, .inputs = {y}, .results = {type}})};
  Graph graph;
  const NodeId x = graph.append(
      {.op = Op::constant, .attributes = {{"value", constant(2, f32)}}, .results = {type}});
  const NodeId two = graph.append(
      {.op = Op::add, .inputs = {x, x}, .results = {type, {i64, {}}}, .bodies = {negate}});
  graph.outputs = {two, {two, 1}};

  CHECK(to_string(graph) ==
        "%0: f32[4] = constant value=2\n"
        "%1: f32[4] i64[] = add %0 %0\n"
        "  %0: f32[4] = input\n"
        "  %1: f32[4] = neg %0\n"
        "  return %1\n"
        "return %1 %1.1\n");
}

TEST_CASE("print: every kind of attribute") {
  Graph graph;
  graph.append({.op = Op::constant,
                .attributes = {{"shape", Shape{Extent::symbol(0), 2}},
                               {"list", std::vector<std::int64_t>{1, -2}},
                               {"text", std::string("abc")},
                               {"none", std::vector<std::int64_t>{}}},
                .results = {{boolean, {}}}});
  CHECK(to_string(graph) ==
        "%0: bool[] = constant shape=[s0, 2] list=[1, -2] text=abc none=[]\nreturn\n");
}

TEST_CASE("print: types are a dtype and a shape") {
  CHECK(to_string(TensorType{bf16, {Extent::symbol(1) * 2, 128}}) == "bf16[2*s1, 128]");
  CHECK(to_string(TensorType{i64, {}}) == "i64[]");
}

TEST_CASE("origin: the operation and the user's line, without folders; constants say which") {
  Node node{.op = Op::mul, .where = Where::current()};
  CHECK(text(origin(node)) == text("mul, print_test.cpp:", Where::current().line() - 1));
  node.where = Where();
  CHECK(text(origin(node)) == "mul");
  CHECK(text(origin({.op = Op::constant, .attributes = {{"value", constant(0.5)}}})) ==
        "constant 0.5");
  CHECK(text(Origin()).empty());
}
