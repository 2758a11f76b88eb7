#include <doctest/doctest.h>
#include <sinter/schedule/host_target.hpp>
#include <sinter/schedule/memory/output_buffers.hpp>
#include <sinter/schedule/plan.hpp>

#include "against_interpreter.hpp"
#include "handwritten_kernels.hpp"
#include "programs.hpp"

using namespace sinter;
using namespace sinter::detail;
using namespace sinter::detail::schedule;
using namespace handwritten_kernels;
using programs::Program;

namespace {

// A chain of `count` sines of 32 numbers, from an input to an output; the rest is in the arena.
Plan chain(int count) {
  Plan plan;
  plan.kernels = {sine(8, 4, 1, 8)};  // a transpose: nothing is written over an operand
  for (std::int32_t i = 0; i <= count; ++i) plan.buffers.push_back({f32, 32, Home::arena});
  plan.buffers[0].home = Home::input;
  plan.buffers[0].position = 0;
  plan.buffers.back().home = Home::output;
  plan.buffers.back().position = 0;
  plan.outputs = {count};
  for (std::int32_t i = 0; i < count; ++i)
    plan.launches.push_back({.kernel = 0, .buffers = {i, i + 1}});
  return plan;
}

std::vector<Home> homes(const Plan& plan) {
  std::vector<Home> result;
  for (const Buffer& buffer : plan.buffers) result.push_back(buffer.home);
  return result;
}

const Home in = Home::input, out = Home::output, arena = Home::arena;

}  // namespace

TEST_CASE("output buffers: a buffer that ends before an output begins uses its memory") {
  Plan plan = chain(3);
  reuse_output_buffers(plan, {});
  CHECK(homes(plan) == std::vector<Home>{in, out, arena, out});
  plan = chain(5);
  reuse_output_buffers(plan, {});
  CHECK(homes(plan) == std::vector<Home>{in, out, arena, out, arena, out});
  CHECK(plan.buffers[3].position == 0);
}

TEST_CASE("output buffers: the next value of an input is not reused") {
  Plan plan = chain(3);
  reuse_output_buffers(plan, Vector<Update>{{0, 0}});
  CHECK(homes(plan) == std::vector<Home>{in, arena, arena, out});
}

TEST_CASE("output buffers: a smaller output is not reused") {
  Plan plan = chain(3);
  plan.buffers[1].elements = 33;
  reuse_output_buffers(plan, {});
  CHECK(homes(plan) == std::vector<Home>{in, arena, arena, out});
}

TEST_CASE("output buffers: an output is written over the operand that ends there") {
  Plan plan = chain(3);
  plan.kernels = {sine(4, 8, 8, 1)};
  reuse_output_buffers(plan, {});
  CHECK(homes(plan) == std::vector<Home>{in, out, out, out});
  plan = chain(3);
  plan.kernels = {sine(4, 8, 8, 1)};
  plan.buffers.push_back({f32, 32, Home::arena});
  plan.launches.push_back({.kernel = 0, .buffers = {2, 4}});  // the operand is read again
  reuse_output_buffers(plan, {});
  CHECK(homes(plan) == std::vector<Home>{in, arena, arena, out, arena});
}

TEST_CASE("output buffers: buffers that are live when the arena is fullest go first") {
  Plan plan = chain(4);  // the third of five also writes a buffer twice as large
  plan.buffers.push_back({f32, 64, Home::arena});
  plan.launches[2].buffers.push_back(5);
  reuse_output_buffers(plan, {});
  CHECK(homes(plan) == std::vector<Home>{in, arena, out, arena, out, arena});
}

TEST_CASE("output buffers: results are right for constant and symbolic sizes") {
  for (const Extent rows : {Extent(6), Extent::symbol(0)}) {
    Program p;
    const Value x = p.input({rows, 6}), w = p.input({6, 6});
    Value y = x;
    for (int i = 0; i < 4; ++i) {
      y = p.build.dot_general(y, w, {.lhs_contract = {1}, .rhs_contract = {1}});
    }
    p.graph.outputs = {y};
    const Options host{.target = host_target()};
    const Plan plan = schedule::plan(p.graph, host);
    const std::int64_t symbols[]{6};
    CHECK(evaluate(plan.arena_bytes, symbols) == 192);  // for three buffers between the products
    against_interpreter::check(p.graph, {6}, 1, host);
  }
}
