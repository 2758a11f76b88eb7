// Plans of concatenations and windows.

#include <doctest/doctest.h>
#include <sinter/schedule/plan.hpp>

#include "against_interpreter.hpp"
#include "programs.hpp"

using namespace sinter;
using namespace sinter::detail;
using against_interpreter::check;
using against_interpreter::Symbols;
using programs::Program;

namespace {

using Kernels = std::vector<std::string>;

const Extent s0 = Extent::symbol(0, {.min = 0, .max = 64});
const Extent s1 = Extent::symbol(1, {.min = 0, .max = 64});

std::string text_of(Program& p, Value output) {
  p.graph.outputs = {output};
  const schedule::Plan plan = schedule::plan(p.graph, {});
  schedule::verify(plan);
  std::string result;
  for (const schedule::Launch& launch : plan.launches) {
    result += to_string(plan.kernels[static_cast<std::size_t>(launch.kernel)]);
  }
  return result;
}

// The kernel names of the launches, after comparing the results with the interpreter.
Kernels kernels_of(Program& p, Vector<Value> outputs, const Symbols& symbols = {}) {
  p.graph.outputs = std::move(outputs);
  check(p.graph, symbols);
  const schedule::Plan plan = schedule::plan(p.graph, {});
  Kernels result;
  for (const schedule::Launch& launch : plan.launches) {
    result.push_back(plan.kernels[static_cast<std::size_t>(launch.kernel)].name);
  }
  return result;
}

}  // namespace

TEST_CASE("plan: operands of one shape are concatenated by one kernel") {
  Program p;
  const Value x = p.input({4, 3}), y = p.input({4, 3});
  const Vector<Value> parts{p.apply(Op::exp, x), y};
  CHECK(text_of(p, p.build.concatenate(parts, 1)) ==
        "exp_f32(read a0: f32[12], write a1: f32[24], read a2: f32[12])\n"
        "  grid r0 < 4, r1 < 3 vector\n"
        "  v0: f32 = a0[3*r0 + r1]\n"
        "  v1: f32 = exp v0\n"
        "  a1[6*r0 + r1] = v1\n"
        "  v3: f32 = a2[3*r0 + r1]\n"
        "  a1[6*r0 + r1 + 3] = v3\n");
}

TEST_CASE(
    "plan: a reader of a concatenation of few operands selects among them, and nothing is stored") {
  Program p;
  const Value x = p.input({4}), y = p.input({2});
  const Value z = p.build.concatenate(Vector<Value>{x, y}, 0);
  CHECK(text_of(p, p.apply(Op::exp, z)) ==
        "concatenate_select_exp_f32(read a0: f32[4], read a1: f32[2], write a2: f32[6])\n"
        "  grid r0 < 6 vector\n"
        "  v0: f32 = a0[r0] if 0 <= r0 < 4 else 0\n"
        "  v1: f32 = a1[r0 - 4] if 0 <= r0 - 4 < 2 else 0\n"
        "  v2: bool = 0 <= r0 < 4\n"
        "  v3: f32 = select v2 v0 v1\n"
        "  v4: f32 = exp v3\n"
        "  a2[r0] = v4\n");
}

TEST_CASE("plan: rows of a concatenation are reduced in one kernel") {
  Program p;
  const Value x = p.input({8, 16}), y = p.input({8, 4});
  const Value z = p.build.concatenate(Vector<Value>{x, y}, 1);
  CHECK(kernels_of(p, {p.softmax(z)}).size() == 1);
}

TEST_CASE("plan: concatenations of many, expensive or often read operands are stored") {
  Program many, expensive;
  Vector<Value> parts;
  for (int i = 0; i < 20; ++i) parts.push_back(many.input({3, 1 + i % 2}));
  const Value all = many.build.concatenate(parts, 1);
  CHECK(kernels_of(many, {many.build.reduce(Op::sum, all, {1})}) ==
        Kernels{"concatenate_f32", "concatenate_f32", "concatenate_f32", "concatenate_f32",
                "sum_f32_rows"});

  const Value x = expensive.input({8}), y = expensive.input({4});
  const Value slow = expensive.build.concatenate(Vector<Value>{expensive.apply(Op::exp, x), y}, 0);
  CHECK(kernels_of(expensive, {expensive.apply(Op::neg, slow)}) ==
        Kernels{"exp_f32", "concatenate_f32", "neg_f32"});
}

TEST_CASE(
    "plan: concatenated operands may be empty, equal, reduced elsewhere or of symbolic extents") {
  for (const Symbols& symbols : {Symbols{4, 6}, Symbols{0, 3}, Symbols{1, 0}, Symbols{0, 0}}) {
    Program p;
    const Value x = p.input({s0, 3}), y = p.input({s1, 3}), none = p.input({0, 3});
    const Value total = p.build.reshape(p.build.reduce(Op::sum, x, {0}), {1, 3});
    const Value z = p.build.concatenate(Vector<Value>{x, total, none, y, x}, 0);
    const Value few = p.build.concatenate(Vector<Value>{none, y, x}, 0);
    CHECK(kernels_of(p, {z, p.apply(Op::neg, few)}, symbols).size() >= 3);
  }
}

TEST_CASE("plan: an input that a concatenation overwrites is copied at the end") {
  Program p;
  const Value x = p.input({6}), y = p.input({2});
  const Value last = p.build.slice(x, {2}, {1}, {4});
  const Value moved = p.build.concatenate(Vector<Value>{last, y}, 0);
  p.graph.outputs = {moved, p.apply(Op::exp, x)};
  check(p.graph, {}, 0, {.updates = {{0, 0}}});
}

TEST_CASE("plan: a product reads windows in memory, without repeated elements") {
  Program p;
  const Value x = p.input({2, 9}), w = p.input({4, 3});
  const Value hidden = p.apply(Op::tanh, x);
  const Value windows = p.build.unfold(hidden, 1, 7, 3);
  const Value y = p.build.dot_general(windows, w, {.lhs_contract = {2}, .rhs_contract = {1}});
  CHECK(kernels_of(p, {y}) == Kernels{"tanh_f32", "dot_general_f32"});
}

TEST_CASE("plan: overlapping windows are of values in memory; disjoint ones are fused") {
  Program overlap, touch;
  const Value x = overlap.apply(Op::tanh, overlap.input({4, 9}));
  const Value most = overlap.build.reduce(Op::max, overlap.build.unfold(x, 1, 7, 3), {2});
  CHECK(kernels_of(overlap, {most}) == Kernels{"tanh_f32", "max_f32_columns"});

  const Value y = touch.apply(Op::tanh, touch.input({4, 9}));
  const Value largest = touch.build.reduce(Op::max, touch.build.unfold(y, 1, 3, 3, 3), {2});
  CHECK(kernels_of(touch, {largest}).size() == 1);
}
