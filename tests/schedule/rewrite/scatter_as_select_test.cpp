#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include <sinter/schedule/rewrite/scatter_as_select.hpp>

#include "against_interpreter.hpp"
#include "programs.hpp"

using namespace sinter;
using namespace sinter::detail;
using programs::Program;

namespace {

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

bool has_scatter(const Graph& graph) {
  return std::any_of(graph.nodes.begin(), graph.nodes.end(),
                     [](const Node& node) { return node.op == Op::scatter_add; });
}

}  // namespace

TEST_CASE("scatter_as_select: adding one number to each row or column is a select") {
  for (const bool by_row : {true, false}) {
    const Graph graph = additions(3, 5, by_row);
    const Optional<Graph> found = schedule::scatter_as_select(graph);
    REQUIRE(found.has_value());
    CHECK(!has_scatter(*found));
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
