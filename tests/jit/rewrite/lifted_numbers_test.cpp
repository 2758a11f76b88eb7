#include <doctest/doctest.h>
#include <sinter/graph/builder.hpp>
#include <sinter/graph/print.hpp>
#include <sinter/graph/verify.hpp>
#include <sinter/jit/rewrite/lifted_numbers.hpp>
#include <sinter/symbol/extent/interval.hpp>

using namespace sinter;
using namespace sinter::detail;
using namespace sinter::detail::jit;

namespace {

// x[3:7:2] * 2.5, where x has 10 elements.
Graph program() {
  Graph graph;
  Builder builder(graph);
  const Value x = builder.input({f32, {10}});
  const Value part = builder.slice(x, {3}, {2}, {2});
  graph.inputs = {x.node};
  graph.outputs = {builder.mul(part, builder.constant_like(part, 2.5))};
  return graph;
}

}  // namespace

TEST_CASE("lifted_numbers: constants and starts of slices are the numbers of a graph") {
  const Vector<GraphNumber> numbers = numbers_of(program());
  REQUIRE(numbers.size() == 2);
  CHECK(numbers[0].axis == 0);
  CHECK(numbers[0].bits == 3);
  CHECK(numbers[1].axis == GraphNumber::constant);
  CHECK(numbers[1].bits == constant(2.5).bits);
}

TEST_CASE("lifted_numbers: none, or all of them, are inputs") {
  const Graph graph = program();
  const Vector<GraphNumber> numbers = numbers_of(graph);
  const LiftedNumbers same = lift(graph, numbers, {false, false});
  CHECK(to_string(same.graph) == to_string(graph));
  CHECK(same.inputs.empty());
  CHECK(same.symbols.empty());

  const LiftedNumbers all = lift(graph, numbers, {true, true});
  verify(all.graph);
  REQUIRE(all.graph.inputs.size() == 2);
  CHECK(all.graph.type(all.graph.inputs[1]).shape.size() == 0);
  CHECK(all.symbols == std::vector<std::int64_t>{3});
  REQUIRE(all.inputs.size() == 1);
  CHECK(std::bit_cast<float>(static_cast<std::uint32_t>(all.inputs[0])) == 2.5f);
  CHECK(to_string(all.graph).find("constant") == std::string::npos);
}

TEST_CASE("lifted_numbers: a start may vary as long as the slice stays within its input") {
  const LiftedNumbers all = lift(program(), numbers_of(program()), {true, true});
  for (const Node& node : all.graph.nodes) {
    if (node.op != Op::slice) continue;
    const Interval interval = bounds(attribute<Shape>(node, "start")[0]);
    CHECK(interval.min == 0);
    CHECK(interval.max == 7);
  }
}
