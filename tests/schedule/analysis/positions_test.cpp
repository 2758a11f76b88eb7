#include <doctest/doctest.h>

#include <sinter/schedule/analysis/positions.hpp>

#include "programs.hpp"

using namespace sinter;
using namespace sinter::detail;
using programs::Program;
using namespace sinter::detail::schedule;

TEST_CASE("positions: sums and products of positions are extents") {
  Program p;
  Builder& builder = p.build;
  const TensorType type{i64, {4, 6}};
  const Value row = builder.iota(type, 0), column = builder.iota(type, 1);
  const Value flat = builder.add(builder.mul(row, builder.constant_like(row, 6)), column);
  p.graph.outputs = {flat};
  const Graph& graph = p.graph;
  REQUIRE(is_position(graph, graph.outputs[0]));
  const schedule::Index index = ranges_over({4, 6});
  const auto none = [](NodeId, const schedule::Index&) { return Extent(0); };
  CHECK(same(position_of(graph, graph.outputs[0], index, none), index[0] * 6 + index[1]));
}

TEST_CASE("positions: the gathers that a position is made of, also within sums") {
  Program p;
  Builder& builder = p.build;
  const Value list = builder.iota({i64, {9}}, 0);
  const Value gathered = builder.gather(list, builder.input({i64, {4}}), 0);
  const Value sum = builder.add(gathered, builder.iota({i64, {4}}, 0));
  const Value plain = builder.mul(builder.iota({i64, {4}}, 0), builder.constant_like(sum, 2));
  p.graph.outputs = {sum, plain};
  const auto is = [](Value value) { return [value](NodeId id) { return id == value.node; }; };
  CHECK(any_gather(p.graph, p.graph.outputs[0], is(gathered)));
  CHECK(any_gather(p.graph, p.graph.outputs[0], is(sum)));
  CHECK_FALSE(any_gather(p.graph, p.graph.outputs[0], is(list)));
  CHECK_FALSE(any_gather(p.graph, p.graph.outputs[1], is(plain)));
}

TEST_CASE("positions: a gather from a list of positions is a position, loaded integers are not") {
  Program p;
  Builder& builder = p.build;
  const Value at = builder.input({i64, {4}});
  const Value gathered = builder.gather(builder.iota({i64, {9}}, 0), at, 0);
  p.graph.outputs = {gathered, builder.add(at, at)};
  const Graph& graph = p.graph;
  REQUIRE(is_position(graph, graph.outputs[0]));
  CHECK(!is_position(graph, graph.outputs[1]));
  CHECK(!is_position(graph, Value{graph.inputs[0], 0}));
  const Extent variable = Extent::range(7, 9);
  const auto found = [&](NodeId, const schedule::Index&) { return variable; };
  const schedule::Index index = ranges_over({4});
  CHECK(same(position_of(graph, graph.outputs[0], index, found), variable));
}
