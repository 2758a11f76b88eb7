#include <doctest/doctest.h>
#include <sinter/graph/builder.hpp>
#include <sinter/jit/eager/blocks.hpp>
#include <sinter/runtime/host/thread_pool.hpp>
#include <sinter/runtime/interpreter/interpret.hpp>
#include <sinter/sinter.hpp>

#include <cstring>

using namespace sinter;
using namespace sinter::detail;
using jit::by_blocks;

namespace {

// Normal numbers of `shape`, about as randn() writes them.
Graph draw(const Shape& shape) {
  Graph graph;
  Builder build(graph);
  const auto number = [&](auto value, DType dtype, const Shape& of) {
    return build.constant(constant(value, dtype), {dtype, of});
  };
  const auto uniform = [&](std::int64_t draws) {
    const Value bits = build.append(
        {.op = Op::random_bits,
         .inputs = {number(std::int64_t{7}, i64, {}), number(std::int64_t{5}, i64, {})},
         .attributes = {{"number", constant(draws)}},
         .results = {{i32, shape}}});
    const Value masked = build.elementwise(Op::bitwise_and, {bits, number(0xffffff, i32, shape)});
    return build.elementwise(Op::mul, {build.cast(masked, f64), number(0x1p-24, f64, shape)});
  };
  const Value rest = build.elementwise(Op::sub, {number(1.0, f64, shape), uniform(0)});
  const Value radius = build.elementwise(Op::log, {rest});
  const Value angle = build.elementwise(Op::cos, {uniform(1)});
  graph.outputs = {build.cast(build.elementwise(Op::mul, {radius, angle}), f32)};
  return graph;
}

// Evaluates node by node, because there are two outputs.
Vector<Storage> node_by_node(Graph graph) {
  graph.outputs.push_back(graph.outputs[0]);
  return runtime::interpret(graph, {});
}

}  // namespace

TEST_CASE("blocks: random numbers are those of the nodes one after the other") {
  for (const Shape& shape : {Shape{20'001}, Shape{5, 7, 1'000}, Shape{4 * 4'096}}) {
    const Graph graph = draw(shape);
    const auto blocks = by_blocks(graph);
    REQUIRE(blocks.has_value());
    const Storage nodes = node_by_node(graph)[0];
    REQUIRE(blocks->bytes() == nodes.bytes());
    CHECK(std::memcmp(blocks->data(), nodes.data(), nodes.bytes()) == 0);
  }
}

TEST_CASE("blocks: small graphs, and those of one number, are left to the nodes") {
  CHECK_FALSE(by_blocks(draw({100})).has_value());
  Graph graph;
  Builder build(graph);
  graph.outputs = {build.constant(constant(0.0, f32), {f32, {1 << 20}})};
  CHECK_FALSE(by_blocks(graph).has_value());
}

TEST_CASE("blocks: graphs with inputs, and sums, are left to the nodes") {
  const Shape shape{1 << 16};
  Graph graph;
  Builder build(graph);
  const Value x = build.input({f32, shape});
  graph.outputs = {build.elementwise(Op::sin, {x})};
  CHECK_FALSE(by_blocks(graph).has_value());
  Graph reduced = draw(shape);
  Builder sums(reduced);
  reduced.outputs = {sums.reduce(Op::sum, reduced.outputs[0], {0})};
  CHECK_FALSE(by_blocks(reduced).has_value());
}

TEST_CASE("blocks: a large draw of normal numbers needs no memory but its own") {
  Tensor x = sinter::randn({1'000'000});
  const runtime::ThreadLimit one(1);  // each has intermediates of its own
  reset_memory_stats();
  const std::int64_t before = memory_stats().live_bytes;
  x.data<float>();
  CHECK(memory_stats().peak_bytes - before < 5'000'000);
}
