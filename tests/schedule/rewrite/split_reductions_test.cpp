#include <doctest/doctest.h>
#include <sinter/schedule/gpu_target.hpp>
#include <sinter/schedule/plan.hpp>
#include <sinter/schedule/rewrite/split_reductions.hpp>

#include "against_interpreter.hpp"
#include "programs.hpp"

using namespace sinter;
using namespace sinter::detail;
using namespace sinter::detail::schedule;
using programs::Program;

namespace {

const Target splits{.rewrites = {split_reductions}};

}  // namespace

TEST_CASE("split_reductions: a large sum is a sum of 64 splits") {
  Program p;
  const Value x = p.input({1 << 20});
  p.graph.outputs = {p.build.reduce(Op::sum, p.apply(Op::sin, x), {0})};
  const Plan fast = plan(p.graph, {.target = splits});
  REQUIRE(fast.launches.size() == 2);
  CHECK(to_string(fast.kernels[0]) ==
        "sin_sum_f32_rows(read a0: f32[1048576], write a1: f32[64])\n"
        "  grid r0 < 64\n"
        "  loop r1 < 16384 vector\n"
        "    v0: f32 = a0[16384*r0 + r1]\n"
        "    v1: f32 = sin v0\n"
        "    v2: f32 = reduce sum v1\n"
        "  a1[r0] = v2\n");
  CHECK(plan(p.graph, {.strict = true, .target = splits}).launches.size() ==
        1);  // keeps the order of the sum
}

TEST_CASE("split_reductions: small reductions, many results and unknown sizes are left alone") {
  const auto is_split = [](const Shape& shape, AxisList axes, Op op = Op::sum) {
    Program p;
    p.graph.outputs = {p.build.reduce(op, p.input(shape), std::move(axes))};
    return split_reductions(p.graph, {}).has_value();
  };
  CHECK(is_split({1 << 17}, {0}));
  CHECK(is_split({1 << 17, 3}, {0}, Op::max));
  CHECK_FALSE(is_split({1 << 10}, {0}));
  CHECK_FALSE(is_split({1 << 12, 64}, {0}));
  CHECK_FALSE(is_split({1 << 17}, {0}, Op::argmax));
  CHECK_FALSE(is_split({Extent::symbol(0)}, {0}));
}

TEST_CASE("split_reductions: rows of batched products are left to row tiles") {
  const auto is_split = [](Extent batch, bool row_tiles) {
    Program p;
    const Value x = p.input({batch, 1, 8}), y = p.input({batch, 1 << 17, 8});
    const Value product = p.build.dot_general(x, y, {{0}, {0}, {2}, {2}});
    p.graph.outputs = {p.build.reduce(Op::max, p.build.mul(product, p.number(0.5, product)), {2})};
    return (row_tiles ? split_untiled_reductions : split_reductions)(p.graph, {}).has_value();
  };
  CHECK_FALSE(is_split(3, true));
  CHECK(is_split(3, false));
  CHECK(is_split(1, true));   // threads share the splits of one row
}

TEST_CASE("split_reductions: on a GPU there are splits for thousands of threads") {
  const auto splits = [](const Shape& shape, AxisList axes) {
    Program p;
    p.graph.outputs = {p.build.reduce(Op::sum, p.input(shape), std::move(axes))};
    const Plan fast = plan(p.graph, {.target = gpu_target()});
    if (fast.launches.size() == 1) return Extent(1);
    return fast.buffers[static_cast<std::size_t>(fast.launches[0].buffers[1])].elements;
  };
  CHECK(same(splits({1 << 26}, {0}), 1024));
  CHECK(same(splits({16, 1 << 22}, {1}), 16 * 64));
  CHECK(same(splits({1 << 16, 64}, {0}), 16 * 64));
  CHECK(same(splits({100000, 64}, {0}), 16 * 64));
  CHECK(same(splits({4096, 1024}, {0}), 1));  // enough blocks of columns
  CHECK(same(splits({4096, 1024}, {1}), 1));  // a block for each row
  CHECK(same(splits({1 << 16}, {0}), 8));
  CHECK(same(splits({256, 1024}, {0}), 1));  // too short
  CHECK(same(splits({Extent::symbol(0)}, {0}), 256));
  CHECK(same(splits({Extent::symbol(0, {.min = 0, .max = 4096})}, {0}), 1));
  CHECK(same(splits({0, Extent::symbol(0)}, {0, 1}), 1));  // empty, however long
}

TEST_CASE("split_reductions: results are correct for any axis, divisible or not") {
  const auto check = [](Op op, AxisList axes) {
    Program p;
    const Value x = p.input({11003, 3, 2});
    p.graph.outputs = {p.build.reduce(op, p.build.mul(x, x), std::move(axes))};
    against_interpreter::check(p.graph, {}, 3);
    against_interpreter::check(p.graph, {}, 3, {.target = gpu_target()});
  };
  check(Op::sum, {0, 2});
  check(Op::max, {0});
  check(Op::min, {0, 1, 2});
}
