// Plans of scans and sorts.

#include <doctest/doctest.h>
#include <sinter/schedule/host_target.hpp>
#include <sinter/schedule/plan.hpp>

#include "against_interpreter.hpp"
#include "programs.hpp"

using namespace sinter;
using namespace sinter::detail;
using namespace sinter::detail::schedule;
using programs::Program;

namespace {

std::string kernels_of(const Graph& graph) {
  std::string result;
  for (const Kernel& kernel : plan(graph, {}).kernels) {
    verify(kernel);
    result += to_string(kernel);
  }
  return result;
}

std::string names_of(Program& p, Value output) {
  p.graph.outputs = {output};
  std::string result;
  const Plan all = plan(p.graph, {});
  for (const Launch& launch : all.launches) {
    result += all.kernels[static_cast<std::size_t>(launch.kernel)].name + " ";
  }
  return result;
}

}  // namespace

TEST_CASE("scan: a cumsum is a serial loop with cheap operands inlined, accumulated in f64") {
  Program p;
  const Value x = p.input({4, Extent::symbol(0)}), twice = p.build.add(x, x);
  p.graph.outputs = {p.build.cumulate(Op::cumsum, twice, 1)};
  CHECK(kernels_of(p.graph) ==
        "add_cast_cumsum_cast_f32_rows(read a0: f32[4*s0], write a1: f32[4*s0], sizes [s0])\n"
        "  grid r0 < 4\n"
        "  loop r1 < s0\n"
        "    v0: f32 = a0[s0*r0 + r1]\n"
        "    v1: f32 = add v0 v0\n"
        "    v2: f64 = cast v1\n"
        "    v3: f64 = scan cumsum v2\n"
        "    v4: f32 = cast v3\n"
        "    a1[s0*r0 + r1] = v4\n");
}

TEST_CASE("scan: columns are vectorized; expensive operands are computed before, vectorized too") {
  Program p;
  const Value x = p.input({9, 40}), expensive = p.apply(Op::exp, x);
  CHECK(names_of(p, p.build.cumulate(Op::cumsum, expensive, 0)) ==
        "exp_f32 cast_cumsum_cast_f32_columns ");
  CHECK(plan(p.graph, {}).kernels[1].vector_axis == VectorAxis::grid);
}

TEST_CASE("scan: on the host, cheap readers are fused into its loop") {
  for (const int axis : {0, 1}) {
    Program p;
    const Value x = p.input({70, 9});
    const Value total = p.build.cumulate(Op::cumsum, x, axis);
    p.graph.outputs = {p.build.mul(p.build.add(total, x), x), p.apply(Op::exp, total)};
    CHECK(plan(p.graph, {.target = host_target()}).launches.size() == 2);
    CHECK(plan(p.graph, {.target = host_target()}).kernels[0].stages.size() == 1);
    against_interpreter::check(p.graph, {}, 2, {.target = host_target()});
    p.graph.outputs = {p.build.mul(p.build.add(total, x), x)};
    CHECK(plan(p.graph, {.target = host_target()}).launches.size() == 1);
    against_interpreter::check(p.graph, {}, 2, {.target = host_target()});
  }
}

TEST_CASE("scan: rows of one element are copies; readers load longer ones") {
  Program p;
  const Value x = p.input({6, 1});
  CHECK(names_of(p, p.build.cumulate(Op::cumsum, x, 1)) == "copy_f32 ");
  const Value y = p.input({3, 4});
  const Value sum = p.build.cumulate(Op::cumsum, y, 1);
  CHECK(names_of(p, p.build.mul(sum, sum)) == "cast_cumsum_cast_f32_rows mul_f32 ");
}

TEST_CASE("argsort: sorts rows that are in memory in the order in which they are read") {
  Program p;
  const Value x = p.input({3, 5}, i32);
  p.graph.outputs = {p.build.argsort(x, 0, true)};
  CHECK(kernels_of(p.graph) ==
        "argsort_i32(write a0: i64[15], read a1: i32[15])\n"
        "  grid r0 < 5\n"
        "  a0[r0 + 5*r1] = positions of sorted a1 along r1 < 3 descending\n");

  Program moved;
  const Value y = moved.build.permute(moved.input({3, 5}), {1, 0});
  CHECK(names_of(moved, moved.build.argsort(y, 1, false)) == "copy_f32 argsort_f32 ");
}

TEST_CASE("argsort: does not run in place") {
  Graph graph;
  Builder build(graph);
  const Value x = build.input({i64, {3, 7}});
  graph.outputs = {build.argsort(x, 1, false)};
  against_interpreter::check(graph, {}, 1, {.updates = {{0, 0}}});
  CHECK(plan(graph, {.updates = {{0, 0}}}).launches.size() == 2);  // and a copy
}

TEST_CASE("scan: may run in place") {
  Graph graph;
  Builder build(graph);
  const Value x = build.input({f32, {3, 7}});
  graph.outputs = {build.cumulate(Op::cumsum, x, 1)};
  against_interpreter::check(graph, {}, 1, {.updates = {{0, 0}}});
  CHECK(plan(graph, {.updates = {{0, 0}}}).launches.size() == 1);
}

TEST_CASE(
    "scan, argsort: each element is read and written once, and the cost of sorting is counted") {
  Graph graph;
  Builder build(graph);
  const Value x = build.input({f32, {8, 16}});
  graph.outputs = {build.cumulate(Op::cumsum, x, 1), build.argsort(x, 1, false)};
  const Plan both = plan(graph, {});
  REQUIRE(both.launches.size() == 2);
  for (const Launch& launch : both.launches) CHECK(same(launch.bytes_read, Extent(512)));
  CHECK(same(both.launches[0].bytes_written, Extent(512)));
  CHECK(same(both.launches[1].bytes_written, Extent(1024)));
  CHECK(both.launches[1].work.number() > both.launches[0].work.number());
}
