// Problems as text: builder calls, attributes, bodies, data.

#include <doctest/doctest.h>

#include <cmath>

#include <sinter/debug/fault/graph_source.hpp>

#include "make_problem.hpp"

using namespace fault_tests;

namespace {

bool contains_text(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("graph_source: operations are calls of a builder") {
  Graph graph;
  Builder build(graph);
  const Value x = build.input({f32, {4, 6}});
  const Value padded = build.pad(x, {0, 1}, {2, 0}, constant(0.5, f32));
  const Value cut = build.slice(padded, {1, 0}, {1, 2}, {4, 3});
  graph.outputs = {build.reduce(Op::sum, build.permute(cut, {1, 0}), {0})};
  const std::string text = debug::graph_function(graph, "program");
  CHECK(contains_text(text, "Graph program() {"));
  CHECK(contains_text(text, "const Value x0 = build.input({f32, {4, 6}});"));
  CHECK(contains_text(text, "build.pad(x0, Shape{0, 1}, Shape{2, 0}, constant(0.5, f32))"));
  CHECK(contains_text(text, "build.slice(v1, Shape{1, 0}, {1, 2}, Shape{4, 3})"));
  CHECK(contains_text(text, "build.permute(v2, {1, 0})"));
  CHECK(contains_text(text, "build.reduce(Op::sum, v3, {0})"));
  CHECK(contains_text(text, "result.outputs = {v4};"));
}

TEST_CASE("graph_source: other operations have all of their attributes") {
  Graph graph;
  Builder build(graph);
  const Value x = build.input({f32, {4, 6}}), y = build.input({f32, {6, 2}});
  DotAxes axes;
  axes.lhs_contract = {1}, axes.rhs_contract = {0};
  graph.outputs = {build.dot_general(x, y, axes)};
  const std::string text = debug::graph_function(graph, "program");
  CHECK(contains_text(text, "build.append({.op = Op::dot_general,"));
  CHECK(contains_text(text, "{\"lhs_contract\", AxisList{1}}"));
}

TEST_CASE("graph_source: options, symbols and data of a program") {
  debug::Problem problem;
  Builder build(problem.graph);
  const Value x = build.input({f32, {Extent::symbol(0) * 2}});
  problem.graph.outputs = {build.elementwise(Op::exp, {x})};
  problem.symbols = {2};
  problem.inputs = {floats({1, NAN, -INFINITY, 0.1f})};
  problem.options.numerics = Numerics::strict;
  const std::string text = debug::program_text(problem, debug::FailureKind::kernels, "about\nit");
  CHECK(contains_text(text, "// about\n// it\n"));
  CHECK(contains_text(text, "const Extent s0 = Extent::symbol(0);"));
  CHECK(contains_text(text, "{f32, {2*s0}}"));
  CHECK(contains_text(text, "replay.symbols = {2};"));
  CHECK(contains_text(text, "replay.options.numerics = Numerics::strict;"));
  CHECK(contains_text(text, "replay.floats({1, NAN, -INFINITY, 0.1});"));
  CHECK(contains_text(text, "debug::FailureKind::kernels"));
}
