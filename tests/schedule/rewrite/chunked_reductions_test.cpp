#include <doctest/doctest.h>
#include <sinter/schedule/host_target.hpp>
#include <sinter/schedule/plan.hpp>
#include <sinter/schedule/rewrite/chunked_reductions.hpp>
#include <sinter/schedule/rewrite/rfactor.hpp>

#include "against_interpreter.hpp"
#include "programs.hpp"

using namespace sinter;
using namespace sinter::detail;
using namespace sinter::detail::schedule;
using programs::Program;

namespace {

const Extent rows = Extent::symbol(0, {.min = 0});

std::string chunks(const Shape& shape, AxisList axes, Op op = Op::sum, DType dtype = f32) {
  Program p;
  p.graph.outputs = {p.build.reduce(op, p.input(shape, dtype), std::move(axes))};
  const auto split = rfactor_into_chunks(p.graph);
  if (!split) return "none";
  const PartialReductions found = find_partial_reductions(*split);
  REQUIRE(found.size() == 1);
  return text(found.begin()->second.chunks);
}

// The number of launches of the host plan, after comparing its results with the interpreter.
std::size_t launches(const Graph& graph, const against_interpreter::Symbols& symbols = {}) {
  against_interpreter::check(graph, symbols, 3, {.target = host_target()});
  return plan(graph, {.target = host_target()}).launches.size();
}

Value swapped(Program& p, Value x) { return p.build.permute(x, {1, 0}); }

}  // namespace

TEST_CASE("chunked_reductions: the number of chunks depends on sizes only") {
  CHECK(chunks({4096, 1024}, {0}) == "64");
  CHECK(chunks({77, 33}, {0}) == "9");
  CHECK(chunks({15, 1024}, {0}) == "2");
  CHECK(chunks({3, 5}, {0}) == "2");
  CHECK(chunks({8, 512, 64}, {0, 1}) == "64");
  CHECK(chunks({1, 128, 64}, {1}) == "16");
  CHECK(chunks({64, 16, 9}, {0, 2}) == "8");
  CHECK(chunks({1 << 20}, {0}) == "64");
  CHECK(chunks({rows, 128}, {0}) == "max(min(s0//8, 64), 2)");
  CHECK(chunks({4096, 8}, {0}, Op::max) == "64");
  CHECK(chunks({4096, 8}, {0}, Op::sum, i64) == "64");
}

TEST_CASE("chunked_reductions: axes whose product is a long expression are not merged") {
  const auto side = [](std::uint32_t id) { return Extent::symbol(id, {.min = 4}) - 3; };
  CHECK(chunks({side(1), side(2), 16}, {0, 1}) == "max(min((s1 + 5)//8 - 1, 64), 2)");
  CHECK(chunks({rows, 16, side(1), side(2)}, {0, 2, 3}) == "max(min(s0//8, 64), 2)");

  Program p;
  const Value x = p.input({side(1), side(2), side(3), side(4)}, f32);
  p.graph.outputs = {p.build.reduce(Op::sum, p.apply(Op::exp, x), {0, 1, 2, 3})};
  against_interpreter::check(p.graph, {0, 13, 9, 4, 20}, 3, {.target = host_target()});
}

TEST_CASE("chunked_reductions: few rows, many results and other axes are left alone") {
  CHECK(chunks({4096, 1024}, {1}) == "none");
  CHECK(chunks({3, 4096}, {0}) == "none");
  CHECK(chunks({4096, 1 << 16}, {0}) == "none");
  CHECK(chunks({1000}, {0}) == "none");
  CHECK(chunks({64, 4096, 8}, {1}) == "none");
  CHECK(chunks({4096, 8}, {0}, Op::argmax) == "none");
  CHECK(chunks({4096, 8}, {0}, Op::max, boolean) == "none");
}

TEST_CASE("chunked_reductions: a pad of the program is reduced with the rest") {
  Program p;
  const Value x = p.input({640, 16});
  const Value padded = p.build.pad(x, {0, 2}, {0, 1}, constant(0.5));
  p.graph.outputs = {p.build.reduce(Op::max, padded, {0}), p.build.reduce(Op::sum, padded, {0})};
  CHECK(launches(p.graph) == 1);
}

TEST_CASE("chunked_reductions: a single row of unknown length is not split") {
  CHECK(chunks({rows}, {0}) == "none");
}

TEST_CASE("chunked_reductions: transposed operands and all dtypes are correct") {
  for (const DType dtype : {f32, f64, f16, bf16, i64, i32, i8}) {
    INFO(dtype);
    Program p;
    const Value x = p.input({9, 160}, dtype);
    p.graph.outputs = {p.build.reduce(Op::sum, swapped(p, x), {0})};
    against_interpreter::check(p.graph, {}, 1, {.target = host_target()});
  }
  for (const Op op : {Op::prod, Op::max, Op::min}) {
    Program p;
    p.graph.outputs = {p.build.reduce(op, p.input({160, 9}), {0})};
    CHECK(launches(p.graph) == 1);
  }
}

TEST_CASE("chunked_reductions: strict mode splits no sum") {
  Program p;
  const Value x = p.input({4096, 64});
  p.graph.outputs = {p.build.reduce(Op::sum, x, {0})};
  const Plan strict = plan(p.graph, {.strict = true, .target = host_target()});
  CHECK(strict.buffers.size() == 2);
  CHECK(strict.kernels[0].finalizers.empty());
}
