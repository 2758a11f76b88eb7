#include <doctest/doctest.h>
#include <sinter/schedule/rewrite/scatter.hpp>

#include <algorithm>
#include <cstring>
#include <optional>

#include "against_interpreter.hpp"
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

// Adds `y` to x at the position i * columns + at[i], or at[i] * columns + i.
Graph additions(Extent rows, Extent columns, bool by_row, std::int64_t offset = 0) {
  Program p;
  Builder& builder = p.build;
  const Extent count = by_row ? rows : columns, extent = by_row ? columns : rows;
  const Value at = builder.input({i64, {count}});
  const Value y = builder.input({f32, {count}});
  const TensorType type{i64, {count}};
  const Value taken = builder.gather(builder.iota({i64, {extent}}, 0), at, 0);
  const Value line = builder.iota(type, 0);
  const auto times = [&](Value value) {
    return builder.mul(value, builder.constant_like(value, columns.number()));
  };
  Value position = by_row ? builder.add(times(line), taken) : builder.add(times(taken), line);
  if (offset != 0) position = builder.add(position, builder.constant_like(position, offset));
  const Value x = builder.constant(constant(2, f32), {f32, {rows * columns}});
  p.graph.outputs = {builder.scatter_add(x, position, y, 0)};
  return p.graph;
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

TEST_CASE("scatter_as_select: adding one number to each row or column is a select") {
  for (const bool by_row : {true, false}) {
    const Graph graph = additions(3, 5, by_row);
    const Optional<Graph> found = schedule::scatter_as_select(graph);
    REQUIRE(found.has_value());
    CHECK(!has(*found, Op::scatter_add));
    const auto inputs = against_interpreter::random_inputs(graph, {}, 1);
    const auto expected = runtime::interpret(graph, inputs, {});
    const auto computed = runtime::interpret(*found, inputs, {});
    CHECK(expected[0].bytes() == computed[0].bytes());
    CHECK(std::memcmp(expected[0].data(), computed[0].data(), expected[0].bytes()) == 0);
  }
}

TEST_CASE("scatter_as_select: shifted positions, and positions of a part only, stay scatter_add") {
  CHECK(!schedule::scatter_as_select(additions(3, 5, true, 1)).has_value());
}
