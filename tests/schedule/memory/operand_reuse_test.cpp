#include <doctest/doctest.h>
#include <sinter/schedule/host_target.hpp>
#include <sinter/schedule/memory/arena.hpp>
#include <sinter/schedule/memory/operand_reuse.hpp>
#include <sinter/schedule/plan.hpp>
#include <sinter/symbol/solve/evaluate.hpp>

#include "against_interpreter.hpp"
#include "handwritten_kernels.hpp"
#include "programs.hpp"

using namespace sinter;
using namespace sinter::detail;
using namespace sinter::detail::schedule;
using namespace handwritten_kernels;
using programs::Program;

namespace {

// y = x - sum(x) of each row, where both loops over a row are `columns` long.
Kernel centred(Extent rows, Extent columns) {
  Kernel kernel = row_sum(rows, columns);
  const Extent r0 = kernel.grid[0].variable, r2 = Extent::range(2, columns);
  kernel.arguments[1].elements = rows * columns;
  kernel.stages = {kernel.stages[0], {{{r2, columns}}, {2, 3, 4}}};
  kernel.instructions[2] = load(0, r0 * columns + r2);
  kernel.instructions.push_back(compute(Op::sub, {2, 1}));
  kernel.instructions.push_back(store(1, r0 * columns + r2, 3));
  return kernel;
}

// Two kernels; a finalizer of the second sums its result. The first of `buffers` is an input, the
// fourth has the sums.
Plan plan_with_finalizer(int buffers) {
  Plan plan;
  plan.kernels = {sine(4, 8, 8, 1), sine(4, 8, 8, 1)};
  plan.kernels[1].finalizers = {row_sum(4, 8)};
  for (int i = 0; i < buffers; ++i) plan.buffers.push_back({f32, i == 3 ? 4 : 32, Home::arena});
  plan.buffers[0].home = Home::input;
  plan.launches.push_back({.kernel = 0, .buffers = {0, 1}});
  return plan;
}

}  // namespace

TEST_CASE("operand reuse: a result may be written over an operand with the same index") {
  CHECK(may_write_over(sine(4, 8, 8, 1), 0, 1));
  CHECK_FALSE(may_write_over(sine(8, 8, 1, 8), 0, 1));  // a transpose
}

TEST_CASE(
    "operand reuse: a row may be written over a row that was read before, not over one in use") {
  CHECK(may_write_over(centred(4, 8), 0, 1));
  CHECK_FALSE(may_write_over(row_sum(4, 8), 0, 1));

  Kernel read_again = centred(4, 8);
  read_again.stages[1].body = {3, 4, 2};
  CHECK_FALSE(may_write_over(read_again, 0, 1));

  Kernel next_row = centred(4, 8);
  next_row.instructions[0].index = next_row.instructions[0].index + 8;
  CHECK_FALSE(may_write_over(next_row, 0, 1));
}

TEST_CASE("operand reuse: an accumulated sum is not written over an operand") {
  Kernel kernel = sine(4, 8, 8, 1);
  kernel.instructions[2].accumulate = true;
  CHECK_FALSE(may_write_over(kernel, 0, 1));
}

TEST_CASE(
    "reuse: softmax between products reuses the memory of its operand, symbolic sizes included") {
  for (const Extent rows : {Extent(6), Extent::symbol(0)}) {
    Program p;
    const Value x = p.input({rows, 6}), w = p.input({6, 6});
    const auto times_w = [&](Value value) {
      return p.build.dot_general(value, w, {.lhs_contract = {1}, .rhs_contract = {1}});
    };
    p.graph.outputs.push_back(times_w(p.softmax(times_w(x))));
    const Options host{.target = host_target()};
    const Plan plan = schedule::plan(p.graph, host);
    Plan apart = plan;
    place_in_arena(apart, {});
    const std::int64_t symbols[]{6};
    CHECK(evaluate(apart.arena_bytes, symbols) == 384);
    CHECK(evaluate(plan.arena_bytes, symbols) == 192);
    against_interpreter::check(p.graph, {6}, 1, host);
  }
}

TEST_CASE("operand reuse: one of two results reuses the memory of the operand") {
  Plan plan;
  Kernel kernel = sine(4, 8, 8, 1);
  kernel.arguments.push_back(kernel.arguments[1]);
  kernel.instructions.push_back(store(2, kernel.instructions[2].index, 1));
  kernel.stages[0].body.push_back(3);
  plan.kernels = {sine(4, 8, 8, 1), kernel};
  for (int i = 0; i < 4; ++i) plan.buffers.push_back({f32, 32, Home::arena});
  plan.buffers[0].home = Home::input;
  plan.launches.push_back({.kernel = 0, .buffers = {0, 1}});
  plan.launches.push_back({.kernel = 1, .buffers = {1, 2, 3}});
  CHECK(reused_buffers(plan, plan.kernels) == Vector<std::int32_t>{-1, -1, 1, -1});
  place_in_arena(plan, plan.kernels);
  CHECK(same(plan.buffers[2].offset, plan.buffers[1].offset));
  CHECK(to_string(plan.arena_bytes) == "256");
}

TEST_CASE("operand reuse: a finalizer may read the result, but not the operand") {
  Plan plan = plan_with_finalizer(4);
  plan.launches.push_back({.kernel = 1, .buffers = {1, 2, 2, 3}});
  CHECK(reused_buffers(plan, plan.kernels)[2] == 1);
  plan.launches[1].buffers[2] = 1;
  CHECK(reused_buffers(plan, plan.kernels)[2] == -1);
}

TEST_CASE("operand reuse: the same in a launch of several kernels") {
  Plan plan = plan_with_finalizer(6);
  plan.launches.push_back({.kernel = 1, .buffers = {0, 4, 1, 2, 2, 3}});
  plan.launches[1].entries = {
      {.kernel = 0, .buffers = 2, .sizes = 0, .phase = LaunchPhase::prologue},
      {.kernel = 1, .buffers = 4, .sizes = 0}};
  CHECK(reused_buffers(plan, plan.kernels)[2] == 1);
  plan.launches[1].buffers[1] = 2;
  CHECK(reused_buffers(plan, plan.kernels)[2] == -1);
}
