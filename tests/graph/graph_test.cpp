#include <doctest/doctest.h>
#include <sinter/graph/graph.hpp>

using namespace sinter;
using namespace sinter::detail;

TEST_CASE("graph: append numbers nodes in order and lists inputs") {
  Graph graph;
  const NodeId x = graph.append({.op = Op::input, .results = {{f32, {4}}}});
  const NodeId y = graph.append({.op = Op::neg, .inputs = {x}, .results = {{f32, {4}}}});
  const NodeId z = graph.append({.op = Op::input, .results = {{i64, {}}}});

  CHECK(y == 1);
  CHECK(graph.inputs == Vector<NodeId>{x, z});
  CHECK(graph[y].op == Op::neg);
  CHECK(graph[y].inputs[0] == Value(x));
  CHECK(graph.type(z).dtype == i64);
}

TEST_CASE("graph: the type of a value is that of the result it names") {
  Graph graph;
  const NodeId x = graph.append({.op = Op::constant, .results = {{f32, {4}}, {i64, {2, 3}}}});
  CHECK(graph.type(x).dtype == f32);
  CHECK(same(graph.type({x, 1}), TensorType{i64, {2, 3}}));
}

TEST_CASE("graph: types are the same if dtype and shape are, also where sizes are symbols") {
  const Extent n = Extent::symbol(0), m = Extent::symbol(1);
  CHECK(same(TensorType{f32, {n, 4}}, TensorType{f32, {n, 4}}));
  CHECK_FALSE(same(TensorType{f32, {n, 4}}, TensorType{f32, {m, 4}}));
  CHECK_FALSE(same(TensorType{f32, {4}}, TensorType{f64, {4}}));
  CHECK_FALSE(same(TensorType{f32, {4}}, TensorType{f32, {4, 1}}));
}

TEST_CASE("graph: attributes are found by name, and a missing one is a bug of ours") {
  const Node node{.op = Op::argmax,
                  .attributes = {{"axis", constant(2)}, {"axes", std::vector<std::int64_t>{0, 2}}}};
  CHECK(number(node, "axis") == 2);
  CHECK(numbers(node, "axes") == std::vector<std::int64_t>{0, 2});
  CHECK_THROWS_AS(number(node, "step"), InternalError);
}

TEST_CASE("graph: a node owns the graphs that are its bodies") {
  Graph body;
  body.append({.op = Op::input, .results = {{f32, {4}}}});
  Graph graph;
  const NodeId id = graph.append({.op = Op::constant, .results = {{f32, {}}}, .bodies = {body}});
  const Graph copy = graph;
  graph.nodes[id].bodies[0].nodes.clear();
  CHECK(copy[id].bodies[0].nodes.size() == 1);
}
