#include <doctest/doctest.h>
#include <sinter/schedule/rewrite/scatter_as_add.hpp>

#include <algorithm>

#include "programs.hpp"

using namespace sinter;
using namespace sinter::detail;
using namespace sinter::detail::schedule;
using programs::Program;

namespace {

/// Adds [4, 8] numbers to `x` at positions `row` and `column`, each gathered from a list of all.
Graph added(Program& p, Value x, Value row, Value column) {
  const auto checked = [&](Value positions, std::int64_t extent) {
    return p.build.gather(p.build.iota({i64, {extent}}, 0), positions, 0);
  };
  const Value rows = checked(row, 4), columns = checked(column, 8);
  const Value eight = p.build.constant_like(rows, 8);
  const Value flat = p.build.add(p.build.mul(rows, eight), columns);
  p.graph.outputs = {
      p.build.elementwise(Op::neg, {p.build.scatter_add(x, flat, p.input({4, 8}), 0)})};
  return p.graph;
}

bool has(const Graph& graph, Op op) {
  return std::any_of(graph.nodes.begin(), graph.nodes.end(),
                     [op](const Node& node) { return node.op == op; });
}

}  // namespace

TEST_CASE("scatter_as_add: one addition to every element, in order") {
  Program p;
  const Value x = p.input({32});
  const Value rows = p.build.iota({i64, {4, 8}}, 0), columns = p.build.iota({i64, {4, 8}}, 1);
  const auto found = scatter_as_add(added(p, x, rows, columns));
  REQUIRE(found);
  CHECK_FALSE(has(*found, Op::scatter_add));
  CHECK(has(*found, Op::add));
  CHECK(found->inputs.size() == p.graph.inputs.size());
}

TEST_CASE(
    "scatter_as_add: not in another order, for some elements, or at positions that are loaded") {
  for (const bool turned : {false, true}) {
    Program p;
    const Value rows = p.build.iota({i64, {4, 8}}, 0), columns = p.build.iota({i64, {4, 8}}, 1);
    const Value other = turned ? p.build.sub(p.build.constant_like(columns, 7), columns) : columns;
    CHECK_FALSE(scatter_as_add(added(p, p.input({turned ? 32 : 33}), rows, other)));
  }
  Program p;
  const Value rows = p.build.iota({i64, {4, 8}}, 0);
  CHECK_FALSE(scatter_as_add(added(p, p.input({32}), rows, p.input({4, 8}, i64))));
}
