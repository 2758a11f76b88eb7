#include <doctest/doctest.h>
#include <sinter/schedule/plan.hpp>
#include <sinter/schedule/rewrite/split_reductions.hpp>

#include "against_interpreter.hpp"
#include "programs.hpp"

using namespace sinter;
using namespace sinter::detail;
using namespace sinter::detail::schedule;
using programs::Program;

TEST_CASE("split: a large sum is taken over 64 parts, and then over these") {
  Program p;
  const Value x = p.input({1 << 20});
  p.graph.outputs = {p.build.reduce(Op::sum, p.apply(Op::sin, x), {0})};
  const Plan fast = plan(p.graph, {});
  REQUIRE(fast.launches.size() == 2);
  CHECK(to_string(fast.kernels[0]) ==
        "sin_sum_f32_rows(read a0: f32[1048576], write a1: f32[64])\n"
        "  grid r0 < 64\n"
        "  loop r1 < 16384 vector\n"
        "    v0: f32 = a0[16384*r0 + r1]\n"
        "    v1: f32 = sin v0\n"
        "    v2: f32 = reduce sum v1\n"
        "  a1[r0] = v2\n");
  CHECK(plan(p.graph, {.strict = true}).launches.size() == 1);  // keeps the order of the sum
}

TEST_CASE("split: small reductions, many results and unknown sizes are left alone") {
  const auto is_split = [](const Shape& shape, AxisList axes, Op op = Op::sum) {
    Program p;
    p.graph.outputs = {p.build.reduce(op, p.input(shape), std::move(axes))};
    return split_reductions(p.graph).has_value();
  };
  CHECK(is_split({1 << 17}, {0}));
  CHECK(is_split({1 << 17, 3}, {0}, Op::max));
  CHECK_FALSE(is_split({1 << 10}, {0}));
  CHECK_FALSE(is_split({1 << 12, 64}, {0}));
  CHECK_FALSE(is_split({1 << 17}, {0}, Op::argmax));
  CHECK_FALSE(is_split({Extent::symbol(0)}, {0}));
}

TEST_CASE("split: rows of products that each have factors of their own are left to blocks") {
  const auto splits = [](Extent batch, bool blocks) {
    Program p;
    const Value x = p.input({batch, 1, 8}), y = p.input({batch, 1 << 17, 8});
    const Value product = p.build.dot_general(x, y, {{0}, {0}, {2}, {2}});
    p.graph.outputs = {p.build.reduce(Op::max, p.build.mul(product, p.number(0.5, product)), {2})};
    return split_reductions(p.graph, blocks).has_value();
  };
  CHECK_FALSE(splits(3, true));
  CHECK(splits(3, false));  // a grid of blocks of threads
  CHECK(splits(1, true));   // one row is shared in parts
}

TEST_CASE("split: on a GPU there are parts for thousands of threads") {
  const auto parts = [](const Shape& shape, AxisList axes) {
    Program p;
    p.graph.outputs = {p.build.reduce(Op::sum, p.input(shape), std::move(axes))};
    const Plan fast = plan(p.graph, {.gpu = true});
    if (fast.launches.size() == 1) return Extent(1);
    return fast.buffers[static_cast<std::size_t>(fast.launches[0].buffers[1])].elements;
  };
  CHECK(same(parts({1 << 26}, {0}), 1024));
  CHECK(same(parts({16, 1 << 22}, {1}), 16 * 64));
  CHECK(same(parts({1 << 16, 64}, {0}), 16 * 64));
  CHECK(same(parts({100000, 64}, {0}), 16 * 64));
  CHECK(same(parts({4096, 1024}, {0}), 1));  // enough blocks of columns
  CHECK(same(parts({4096, 1024}, {1}), 1));  // a block for each row
  CHECK(same(parts({1 << 16}, {0}), 8));
  CHECK(same(parts({256, 1024}, {0}), 1));  // soon done
  CHECK(same(parts({Extent::symbol(0)}, {0}), 256));
  CHECK(same(parts({Extent::symbol(0, {.min = 0, .max = 4096})}, {0}), 1));
  CHECK(same(parts({0, Extent::symbol(0)}, {0, 1}), 1));  // nothing, however long
}

TEST_CASE("split: the parts make the whole, whichever axis is cut and whether it divides or not") {
  const auto check = [](Op op, AxisList axes) {
    Program p;
    const Value x = p.input({11003, 3, 2});
    p.graph.outputs = {p.build.reduce(op, p.build.mul(x, x), std::move(axes))};
    against_interpreter::check(p.graph, {}, 3);
    against_interpreter::check(p.graph, {}, 3, {.gpu = true});
  };
  check(Op::sum, {0, 2});
  check(Op::max, {0});
  check(Op::min, {0, 1, 2});
}
