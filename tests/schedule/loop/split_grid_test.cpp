// test: deep
#include <doctest/doctest.h>
#include <sinter/schedule/gpu_target.hpp>
#include <sinter/schedule/host_target.hpp>
#include <sinter/schedule/loop/split_grid.hpp>
#include <sinter/schedule/plan.hpp>
#include <sinter/symbol/solve/variables.hpp>

#include "against_interpreter.hpp"
#include "programs.hpp"

using namespace sinter;
using namespace sinter::detail;
using namespace sinter::detail::schedule;
using programs::Program;

TEST_CASE("split_grid: the grid iterates over chunks, whose points are combined in order") {
  Program p;
  const Value x = p.input({128, 48});
  p.graph.outputs = {p.build.reduce(Op::sum, x, {0})};
  const Plan host = plan(p.graph, {.target = host_target()});
  REQUIRE(host.kernels.size() == 1);
  CHECK(to_string(host.kernels[0]) ==
        "sum_f32_rows(read a0: f32[6144], write a1: f32[768])\n"
        "  grid r0 < 16, r1 < 8\n"
        "  loop r2 < 48 vector\n"
        "    v0: f32 = a0[384*r0 + 48*r1 + r2]\n"
        "    a1[48*r0 + r2] = combine sum v0\n"
        "finalizer sum_f32_columns(read a0: f32[768], write a1: f32[48])\n"
        "  grid r0 < 48 vector\n"
        "  loop r1 < 16\n"
        "    v0: f32 = a0[r0 + 48*r1]\n"
        "    v1: f32 = reduce sum v0\n"
        "  a1[r0] = v1\n");
}

TEST_CASE("split_grid: points of a chunk that combine into a scalar become a row loop") {
  Program p;
  const Value x = p.input({1 << 17});
  p.graph.outputs = {p.build.reduce(Op::sum, p.apply(Op::sin, x), {0})};
  const Plan host = plan(p.graph, {.target = host_target()});
  REQUIRE(host.kernels.size() == 1);
  CHECK(to_string(host.kernels[0]) ==
        "sin_sum_f32_rows(read a0: f32[131072], write a1: f32[64])\n"
        "  grid r0 < 64\n"
        "  loop r1 < 2048 vector\n"
        "    v0: f32 = a0[2048*r0 + r1]\n"
        "    v1: f32 = sin v0\n"
        "    v2: f32 = reduce sum v1\n"
        "  a1[r0] = v2\n"
        "finalizer sum_f32_rows(read a0: f32[64], write a1: f32[1])\n"
        "  loop r0 < 64 vector\n"
        "    v0: f32 = a0[r0]\n"
        "    v1: f32 = reduce sum v0\n"
        "  a1[0] = v1\n");
}

TEST_CASE("split_grid: the last chunk is shorter if the number of rows is not divisible") {
  Program p;
  const Value x = p.input({70, 20});
  p.graph.outputs = {p.build.reduce(Op::sum, x, {0})};
  const Plan host = plan(p.graph, {.target = host_target()});
  REQUIRE(host.kernels[0].grid.size() == 2);
  const Kernel& kernel = host.kernels[0];
  CHECK(same(kernel.grid[0].extent, 8));
  CHECK(depends_on(kernel.grid[1].extent, kernel.grid[0].variable));
  against_interpreter::check(p.graph, {}, 1, {.target = host_target()});
}

TEST_CASE("split_grid: loops that are not adjacent are fused if the first is short") {
  Program p;
  const Value x = p.build.permute(p.input({520, 8, 512}), {1, 0, 2});
  const Value y = p.input({8, 520, 512}), e = p.softmax(p.build.mul(x, y));
  p.graph.outputs = {e, p.build.reduce(Op::sum, p.build.mul(e, y), {0, 1})};
  const Options options{.row_tiles = true, .target = gpu_target()};
  const Plan gpu = plan(p.graph, options);
  REQUIRE(has(gpu.kernels[0], Code::combine));
  REQUIRE(gpu.kernels[0].grid.size() == 2);
  CHECK(same(gpu.kernels[0].grid[0].extent, 1024));
  against_interpreter::check(p.graph, {}, 1, options);
}

TEST_CASE("split_grid: short loops of a host kernel are fused, so that no chunk is empty") {
  Program p;
  const Value x = p.build.permute(p.input({4, 8, 128, 32}), {0, 2, 1, 3});
  const Value rows = p.build.reshape(x, {4, 128, 256});
  const Value sines = p.apply(Op::sin, rows);
  p.graph.outputs = {sines, p.build.reduce(Op::sum, sines, {0, 1})};
  const Plan host = plan(p.graph, {.target = host_target()});
  REQUIRE(has(host.kernels[0], Code::combine));
  CHECK(same(host.kernels[0].grid[0].extent, 64));
  CHECK(same(host.kernels[0].grid[1].extent, 8));
  against_interpreter::check(p.graph, {}, 1, {.target = host_target()});
}

TEST_CASE("split_grid: kernels without partial reductions stay as they are") {
  Program p;
  p.graph.outputs = {p.softmax(p.input({128, 48}))};
  Kernel kernel = plan(p.graph, {}).kernels[0];
  const Hash before = hash_of(kernel);
  split_grid(kernel, 0);
  CHECK(hash_of(kernel) == before);
}
