#include <doctest/doctest.h>
#include <sinter/schedule/finish.hpp>
#include <sinter/schedule/plan.hpp>

#include "against_interpreter.hpp"
#include "programs.hpp"

using namespace sinter;
using namespace sinter::schedule;
using programs::Program;

namespace {

std::size_t launches(const Graph& graph, Options options = {}) {
  options.host = true;
  against_interpreter::check(graph, {}, 5, options);
  return plan(graph, options).launches.size();
}

}  // namespace

TEST_CASE(
    "finish: what combines the results of a kernel is run by the thread "
    "that ends last there") {
  Program p;
  const Value x = p.input({64, 48});
  const Value rows = p.build.reduce(Op::max, p.apply(Op::sin, x), {1});
  p.graph.outputs = {rows, p.apply(Op::exp, p.build.reduce(Op::sum, rows, {0}))};
  CHECK(plan(p.graph, {}).launches.size() == 2);
  const Plan host = plan(p.graph, {.host = true});
  REQUIRE(host.launches.size() == 1);
  REQUIRE(host.kernels.size() == 1);
  CHECK(to_string(host.kernels[0]) ==
        "sin_max_f32_rows(read a0: f32[3072], write a1: f32[64])\n"
        "  grid r0 < 64\n"
        "  loop r1 < 48 vector\n"
        "    v0: f32 = a0[48*r0 + r1]\n"
        "    v1: f32 = sin v0\n"
        "    v2: f32 = reduce max v1\n"
        "  a1[r0] = v2\n"
        "finish sum_exp_f32_rows(read a0: f32[64], write a1: f32[1])\n"
        "  loop r0 < 64 vector\n"
        "    v0: f32 = a0[r0]\n"
        "    v1: f32 = reduce sum v0\n"
        "  v2: f32 = exp v1\n"
        "  a1[0] = v2\n");
  CHECK(host.launches[0].buffers.size() == 4);
  CHECK(launches(p.graph) == 1);
}

TEST_CASE("finish: what follows from numbers in a finish is in it too") {
  Program p;
  const Value x = p.input({40, 32}), y = p.input({7});
  const Value total = p.build.reduce(Op::sum, p.build.reduce(Op::max, x, {1}), {0});
  const Value other = p.build.reduce(
      Op::sum, p.build.mul(y, p.build.expand(p.build.reshape(total, {1}), {7})), {0});
  p.graph.outputs = {total, other};
  CHECK(launches(p.graph) == 1);
}

TEST_CASE("finish: what makes as much as it reads is a launch of its own") {
  Program p;
  const Value x = p.input({64, 48});
  p.graph.outputs = {p.softmax(p.build.permute(p.softmax(x), {1, 0}))};
  CHECK(launches(p.graph) == 2);
}

TEST_CASE("finish: an input is not overwritten before all of its readers have run") {
  Program p;
  const Value x = p.input({64, 48}), state = p.input(Shape{});
  const Value total = p.build.reduce(Op::sum, p.build.reduce(Op::max, x, {1}), {0});
  const Value next = p.build.add(state, total);
  const Value late = p.build.reduce(
      Op::prod,
      p.build.mul(p.apply(Op::cos, x), p.build.expand(p.build.reshape(state, {1, 1}), {64, 48})),
      {1});
  p.graph.outputs = {next, late};
  CHECK(launches(p.graph, {.updates = {{1, 0}}}) >= 1);
}
