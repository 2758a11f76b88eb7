#include <doctest/doctest.h>
#include <sinter/schedule/host_target.hpp>
#include <sinter/schedule/launch/finalizer.hpp>
#include <sinter/schedule/plan.hpp>

#include "against_interpreter.hpp"
#include "programs.hpp"

using namespace sinter;
using namespace sinter::detail;
using namespace sinter::detail::schedule;
using programs::Program;

namespace {

std::size_t launches(const Graph& graph, Options options = {}) {
  options.target = host_target();
  against_interpreter::check(graph, {}, 5, options);
  return plan(graph, options).launches.size();
}

}  // namespace

TEST_CASE("finalizer: the last thread of a kernel reduces its results") {
  Program p;
  const Value x = p.input({64, 48});
  const Value rows = p.build.reduce(Op::max, p.apply(Op::sin, x), {1});
  p.graph.outputs = {rows, p.apply(Op::exp, p.build.reduce(Op::sum, rows, {0}))};
  CHECK(plan(p.graph, {}).launches.size() == 2);
  const Plan host = plan(p.graph, {.target = host_target()});
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
        "finalizer sum_exp_f32_rows(read a0: f32[64], write a1: f32[1])\n"
        "  loop r0 < 64 vector\n"
        "    v0: f32 = a0[r0]\n"
        "    v1: f32 = reduce sum v0\n"
        "  v2: f32 = exp v1\n"
        "  a1[0] = v2\n");
  CHECK(host.launches[0].buffers.size() == 4);
  CHECK(launches(p.graph) == 1);
}

TEST_CASE("finalizer: kernels that depend on its scalars are part of it") {
  Program p;
  const Value x = p.input({40, 32}), y = p.input({7});
  const Value total = p.build.reduce(Op::sum, p.build.reduce(Op::max, x, {1}), {0});
  const Value other = p.build.reduce(
      Op::sum, p.build.mul(y, p.build.expand(p.build.reshape(total, {1}), {7})), {0});
  p.graph.outputs = {total, other};
  CHECK(launches(p.graph) == 1);
}

TEST_CASE("finalizer: a kernel that writes as much as it reads has its own launch") {
  Program p;
  const Value x = p.input({64, 48});
  p.graph.outputs = {p.softmax(p.build.permute(p.softmax(x), {1, 0}))};
  CHECK(launches(p.graph) == 2);
}

TEST_CASE("finalizer: a large product over an unknown number of rows has its own launch") {
  Program p;
  const Value x = p.input({Extent::symbol(0), 512}), gain = p.input({512}), bias = p.input({512});
  const Value up = p.input({2048, 512}), wide = p.input({2048});
  const Value down = p.input({512, 2048}), narrow = p.input({512});
  const Value middle = p.gelu(p.linear(p.layer_norm(x, gain, bias), up, wide));
  p.graph.outputs = {p.linear(middle, down, narrow)};
  const Plan host = plan(p.graph, {.target = host_target()});
  for (const Kernel& kernel : host.kernels) CHECK(kernel.finalizers.empty());
}

TEST_CASE("finalizer: work that threads could share has its own launch") {
  const auto launches_for = [](Extent columns) {
    Program p;
    const Value x = p.input({1024, 64}), y = p.input({columns, 64});
    const Value product = p.build.dot_general(x, y, {.lhs_contract = {1}, .rhs_contract = {1}});
    p.graph.outputs = {p.build.reduce(Op::max, product, {1})};
    return plan(p.graph, {.target = host_target()}).launches.size();
  };
  CHECK(launches_for(128) == 1);
  CHECK(launches_for(1024) == 2);
  CHECK(launches_for(Extent::symbol(0)) == 2);
}

TEST_CASE("finalizer: an input is not overwritten before all of its readers have run") {
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

TEST_CASE("finalizer: as much work as the main kernel has its own launch, whatever the sizes") {
  Program p;
  const Value x = p.input({Extent::symbol(0), 8}), up = p.input({8, 64}), down = p.input({64, 8});
  const auto product = [&](Value left, Value right) {
    return p.build.dot_general(left, right, {.lhs_contract = {1}, .rhs_contract = {0}});
  };
  p.graph.outputs = {product(p.apply(Op::sin, product(x, up)), down)};
  against_interpreter::check(p.graph, {9}, 1, {.target = host_target()});
  CHECK(plan(p.graph, {.target = host_target()}).launches.size() == 2);
}

TEST_CASE("finalizer: row results of any number and size are combined") {
  Program p;
  const Value x = p.input({Extent::symbol(0), Extent::symbol(1)});
  const Value rows = p.build.reduce(Op::max, p.apply(Op::sin, x), {1});
  p.graph.outputs = {p.build.reduce(Op::sum, rows, {0})};
  against_interpreter::check(p.graph, {9, 5}, 1, {.target = host_target()});
  CHECK(plan(p.graph, {.target = host_target()}).launches.size() == 1);
}
