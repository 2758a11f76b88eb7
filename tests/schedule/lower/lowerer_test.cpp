#include <doctest/doctest.h>
#include <sinter/schedule/host_target.hpp>
#include <sinter/schedule/plan.hpp>

#include "programs.hpp"

using namespace sinter;
using namespace sinter::detail;
using namespace sinter::detail::schedule;
using programs::Program;

namespace {

// The only kernel of a program.
std::string kernel_of(Program& p, Value output, const Options& options = {}) {
  p.graph.outputs = {output};
  const Plan made = plan(p.graph, options);
  verify(made);
  REQUIRE(made.kernels.size() == 1);
  return to_string(made.kernels[0]);
}

}  // namespace

TEST_CASE("lowerer: a pad of a load is a guard with the number of the pad") {
  Program p;
  const Value x = p.input({4});
  CHECK(kernel_of(p, p.build.pad(x, {1}, {2}, constant(0.5))) ==
        "copy_f32(read a0: f32[4], write a1: f32[7])\n"
        "  grid r0 < 7 vector\n"
        "  v0: f32 = a0[r0 - 1] if 0 <= r0 - 1 < 4 else 0.5\n"
        "  a1[r0] = v0\n");
}

TEST_CASE("lowerer: a pad of a computed value selects, and loads nothing outside") {
  Program p;
  const Value x = p.input({4});
  CHECK(kernel_of(p, p.build.pad(p.apply(Op::exp, x), {0}, {2}, constant(0.5))) ==
        "exp_select_f32(read a0: f32[4], write a1: f32[6])\n"
        "  grid r0 < 6 vector\n"
        "  v0: f32 = a0[r0] if 0 <= r0 < 4 else 0\n"
        "  v1: f32 = exp v0\n"
        "  v2: bool = 0 <= r0 < 4\n"
        "  v3: f32 = 0.5\n"
        "  v4: f32 = select v2 v1 v3\n"
        "  a1[r0] = v4\n");
}

TEST_CASE("lowerer: numbers of a row are loaded without the guard of a pad along it") {
  Program p;
  const Value x = p.input({3, 4}), scale = p.input({3});
  const Value rows = p.build.expand(p.build.reshape(scale, {3, 1}), {3, 4});
  CHECK(kernel_of(p, p.build.pad(p.build.mul(x, rows), {0, 1}, {0, 1}, constant(0.5))) ==
        "mul_select_f32(read a0: f32[12], read a1: f32[3], write a2: f32[18])\n"
        "  grid r0 < 3, r1 < 6 vector\n"
        "  v0: f32 = a0[4*r0 + r1 - 1] if 0 <= r1 - 1 < 4 else 0\n"
        "  v1: f32 = a1[r0]\n"
        "  v2: f32 = mul v0 v1\n"
        "  v3: bool = 0 <= r1 - 1 < 4\n"
        "  v4: f32 = 0.5\n"
        "  v5: f32 = select v3 v2 v4\n"
        "  a2[6*r0 + r1] = v5\n");
}

TEST_CASE("lowerer: a gather binds a variable and loads there") {
  Program p;
  const Value x = p.input({10, 4}), at = p.input({3}, i64);
  CHECK(kernel_of(p, p.build.gather(x, at, 0)) ==
        "gather_f32(read a0: i64[3], read a1: f32[40], write a2: f32[12])\n"
        "  grid r0 < 3, r1 < 4 vector\n"
        "  v0: i64 = a0[r0]\n"
        "  bind r2 = v0 in 10\n"
        "  v2: f32 = a1[r1 + 4*r2]\n"
        "  a2[4*r0 + r1] = v2\n");
}

TEST_CASE("lowerer: positions and random bits are computed from the index") {
  Program p;
  const Value seed = p.input({}, i64), offset = p.input({}, i64);
  const Value bits = p.build.append({.op = Op::random_bits,
                                     .inputs = {seed, offset},
                                     .attributes = {{"number", constant(7)}},
                                     .results = {{i32, {4, 2}}}});
  const Value column = p.build.iota({i32, {4, 2}}, 1);
  CHECK(kernel_of(p, p.build.add(bits, column)) ==
        "random_add_i32(read a0: i64[1], read a1: i64[1], write a2: i32[8])\n"
        "  grid r0 < 2 unroll 2, r1 < 4 vector\n"
        "  v0: i64 = a0[0]\n"
        "  v1: i64 = a1[0]\n"
        "  v2: i32 = random v0 v1 7 r0 + 2*r1\n"
        "  v3: i32 = r0\n"
        "  v4: i32 = add v2 v3\n"
        "  a2[r0 + 2*r1] = v4\n");
}

TEST_CASE("lowerer: argmax returns the position in all reduced axes") {
  Program p;
  CHECK(kernel_of(p, p.build.reduce(Op::argmax, p.input({4, 3, 2}), {1, 2})) ==
        "argmax_i64_rows(read a0: f32[24], write a1: i64[4])\n"
        "  grid r0 < 4\n"
        "  loop r1 < 6 vector\n"
        "    v0: f32 = a0[6*r0 + r1]\n"
        "    v1: i64 = reduce argmax v0 at r1\n"
        "  a1[r0] = v1\n");
}

TEST_CASE("lowerer: 16-bit sums are taken in f32") {
  Program p;
  CHECK(kernel_of(p, p.build.reduce(Op::sum, p.input({4, 8}, f16), {1})) ==
        "cast_sum_cast_f16_rows(read a0: f16[32], write a1: f16[4])\n"
        "  grid r0 < 4\n"
        "  loop r1 < 8 vector\n"
        "    v0: f16 = a0[8*r0 + r1]\n"
        "    v1: f32 = cast v0\n"
        "    v2: f32 = reduce sum v1\n"
        "  v3: f16 = cast v2\n"
        "  a1[r0] = v3\n");
}

TEST_CASE("lowerer: reductions and products over one element have no loop") {
  Program p;
  const Value x = p.input({4, 1});
  CHECK(kernel_of(p, p.build.reduce(Op::sum, x, {1})) ==
        "copy_f32(read a0: f32[4], write a1: f32[4])\n"
        "  grid r0 < 4 vector\n"
        "  v0: f32 = a0[r0]\n"
        "  a1[r0] = v0\n");
  Program q;
  const Value a = q.input({4, 1}), b = q.input({1, 3});
  CHECK(kernel_of(q, q.build.dot_general(a, b, {.lhs_contract = {1}, .rhs_contract = {0}})) ==
        "dot_general_f32(read a0: f32[4], read a1: f32[3], write a2: f32[12])\n"
        "  grid r0 < 4 unroll 4, r1 < 3 unroll 2 vector\n"
        "  v0: f32 = a0[r0]\n"
        "  v1: f32 = a1[r1]\n"
        "  v2: f32 = mul v0 v1\n"
        "  a2[3*r0 + r1] = v2\n");
}

TEST_CASE(
    "lowerer: an expensive row value is kept in scratch memory if the row is short, else "
    "recomputed") {
  const auto text_of = [](std::int64_t width, const Options& options) {
    Program p;
    return kernel_of(p, p.softmax(p.input({1000, width})), options);
  };
  CHECK(text_of(1000, {}).find("local a1: f32[1000]") != std::string::npos);
  CHECK(text_of(10000, {}).find("local") == std::string::npos);
  const Options host{.target = host_target()};  // the L2 cache counts as near
  CHECK(text_of(10000, host).find("local a1: f32[10000]") != std::string::npos);
  CHECK(text_of(100000, host).find("local") == std::string::npos);
}

TEST_CASE("lowerer: a long row value of many cheap operations is recomputed") {
  const auto text_of = [](std::int64_t width) {
    Program p;
    Value x = p.input({1000, width});
    for (int i = 0; i < 9; ++i) x = p.apply(Op::neg, x);
    return kernel_of(p, p.build.mul(x, p.along_row(Op::sum, x)), {.target = host_target()});
  };
  CHECK(text_of(1000).find("local") != std::string::npos);
  CHECK(text_of(10000).find("local") == std::string::npos);
}

TEST_CASE("lowerer: a divisor is checked where it is computed, unless it is a constant") {
  Program p;
  const Value x = p.input({4, 6}, i64), y = p.input({4, 1}, i64);
  const Value wide = p.build.expand(y, {4, 6});
  const Value rest = p.build.elementwise(Op::remainder, {x, wide});
  const Value halves = p.build.elementwise(Op::floor_divide, {rest, p.number(2, rest)});
  CHECK(kernel_of(p, p.build.reduce(Op::sum, halves, {1})) ==
        "remainder_floor_divide_sum_i64_rows(read a0: i64[24], read a1: i64[4], write a2: i64[4])\n"
        "  grid r0 < 4\n"
        "  v0: i64 = a1[r0]\n"
        "  v1: i64 = divisor v0\n"
        "  loop r1 < 6 vector\n"
        "    v2: i64 = a0[6*r0 + r1]\n"
        "    v3: i64 = remainder v2 v1\n"
        "    v4: i64 = 2\n"
        "    v5: i64 = floor_divide v3 v4\n"
        "    v6: i64 = reduce sum v5\n"
        "  a2[r0] = v6\n");
}

TEST_CASE("lowerer: a divisor is not at fault outside of a pad, nor where there is no element") {
  Program p;
  const Extent size = Extent::symbol(0, {.min = 0});
  const Value x = p.input({size}, i64), y = p.input({}, i64);
  const Value wide = p.build.expand(p.build.reshape(y, {1}), {size});
  const Value quotient = p.build.elementwise(Op::floor_divide, {x, wide});
  const std::string text = kernel_of(p, p.build.pad(quotient, {1}, {0}, constant(7, i64)));
  CHECK(text.find("divisor v1 if 0 <= r0 - 1 < s0 and 0 <= 0 < s0\n") != std::string::npos);
}

TEST_CASE("lowerer: an empty tensor is not loaded at a constant index") {
  Program p;
  const Value none = p.build.reshape(p.input({5, 0}), {0});
  const Value sums = p.apply(Op::exp, p.build.reduce(Op::sum, none, {0}));
  CHECK(kernel_of(p, sums).find("= a") == std::string::npos);
}

TEST_CASE("lowerer: an empty tensor is not loaded before a loop without iterations") {
  Program p;
  const Value none = p.build.reshape(p.input({2, 0, 3}), {0, 3});
  CHECK(kernel_of(p, p.build.cumulate(Op::cumsum, none, 0)).find("= a") == std::string::npos);
}

TEST_CASE("lowerer: an index that is computed before the loops is not at fault without elements") {
  Program p;
  const Extent size = Extent::symbol(0, {.min = 0});
  const Value x = p.input({10, 4}), at = p.input({size}, i64), one = p.input({}, i64);
  const Value same = p.build.expand(p.build.reshape(one, {1}), {size});
  CHECK(kernel_of(p, p.build.gather(x, at, 0)).find("bind r2 = v0 in 10\n") != std::string::npos);
  CHECK(kernel_of(p, p.build.gather(x, same, 0)).find("bind r2 = v0 in 10 if 0 <= 0 < s0\n") !=
        std::string::npos);
}
