#include <doctest/doctest.h>
#include <sinter/schedule/rewrite/rfactor.hpp>

#include "against_interpreter.hpp"
#include "programs.hpp"

using namespace sinter;
using namespace sinter::detail;
using namespace sinter::detail::schedule;
using programs::Program;

namespace {

// `graph` with its first reduction rfactored as `how` says.
Graph rfactored(const Graph& graph, const Rfactor& how) {
  return rfactor(graph, [&](const Graph&, const Node&, NodeId) { return how; }).value();
}

void check_equal(const Graph& expected, const Graph& found) {
  const auto inputs = against_interpreter::random_inputs(expected, {}, 1);
  const auto a = runtime::interpret(expected, inputs, {}),
             b = runtime::interpret(found, inputs, {});
  Storage copy = b[0];
  const execute::Block block{static_cast<std::byte*>(copy.data()),
                             numel(expected.type(expected.outputs[0]).shape).number(),
                             expected.type(expected.outputs[0]).dtype};
  CHECK(against_interpreter::difference(a[0], block) < 2e-5);
}

}  // namespace

TEST_CASE("rfactor: parts of any axis, with and without padding, give the same result") {
  for (const Op op : {Op::sum, Op::prod, Op::max, Op::min}) {
    for (const int axis : {0, 1, 2}) {
      for (const std::int64_t parts : {2, 4, 5}) {
        INFO(info(op).name << " axis " << axis << " parts " << parts);
        Program p;
        const Shape shape{8, 12, 10};
        const AxisList axes = axis == 1 ? AxisList{0, 1} : AxisList{axis};
        const Value x = p.input(shape);  // products of numbers near 1 do not vanish
        p.graph.outputs = {p.build.reduce(op, p.build.add(x, p.number(1.5, x)), axes)};
        check_equal(
            p.graph,
            rfactored(p.graph, {.shape = shape, .axes = axes, .axis = axis, .parts = parts}));
      }
    }
  }
}

TEST_CASE("rfactor: partial results that fuse are found with their operand, not with its padding") {
  for (const std::int64_t rows : {60, 64}) {
    Program p;
    const Value x = p.input({rows, 16});
    p.graph.outputs = {p.build.reduce(Op::sum, x, {0})};
    Rfactor how{.shape = {rows, 16}, .axes = {0}, .parts = 8, .fuses = true};
    const Graph fused = rfactored(p.graph, how);
    const PartialReductions found = find_partial_reductions(fused);
    REQUIRE(found.size() == 1);
    CHECK(same(found.begin()->second.chunks, 8));
    CHECK(found.begin()->second.axes == 1);
    CHECK(fused[found.begin()->second.operand.node].op == Op::input);
    check_equal(p.graph, fused);

    how.fuses = false;
    CHECK(find_partial_reductions(rfactored(p.graph, how)).empty());
  }
}

TEST_CASE("rfactor: a sum in parts that the program writes is no partial reduction") {
  Program p;
  const Value parts = p.build.reshape(p.input({64, 16}), {8, 8, 16});
  p.graph.outputs = {p.build.reduce(Op::sum, p.build.reduce(Op::sum, parts, {1}), {0})};
  CHECK(find_partial_reductions(p.graph).empty());
}

TEST_CASE("rfactor: argmax, booleans, and integers without an identity stay whole") {
  const auto stays_whole = [](Op op, DType dtype, std::int64_t rows) {
    Program p;
    p.graph.outputs = {p.build.reduce(op, p.input({rows, 4}, dtype), {0})};
    const auto how = [&](const Graph&, const Node&, NodeId) {
      return Rfactor{.shape = {rows, 4}, .axes = {0}, .parts = 8};
    };
    return !rfactor(p.graph, how);
  };
  CHECK(stays_whole(Op::argmax, f32, 64));
  CHECK(stays_whole(Op::max, boolean, 64));
  CHECK(stays_whole(Op::max, i32, 60));
  CHECK_FALSE(stays_whole(Op::sum, i32, 60));
}

TEST_CASE("rfactor: partial results of 16 bits are f32") {
  for (const DType dtype : {f16, bf16}) {
    Program p;
    p.graph.outputs = {p.build.reduce(Op::sum, p.input({64, 4}, dtype), {0})};
    const Graph found = rfactored(p.graph, {.shape = {64, 4}, .axes = {0}, .parts = 8});
    std::vector<DType> reduced;
    for (const Node& node : found.nodes) {
      if (is_reduction(node.op)) reduced.push_back(node.results[0].dtype);
    }
    CHECK(reduced == std::vector<DType>{f32, f32});
    CHECK(found.type(found.outputs[0]).dtype == dtype);
  }
}
