#include <doctest/doctest.h>
#include <sinter/schedule/launch/in_place_updates.hpp>

#include "handwritten_kernels.hpp"

using namespace sinter;
using namespace sinter::detail;
using namespace sinter::detail::schedule;
using namespace handwritten_kernels;

namespace {

constexpr NodeId before = 1, after = 2, other = 3;

// A kernel that reads `before` at r0 + shift and then writes `after` at r0.
LoweredKernel update(Extent shift = 0) {
  const Extent r0 = Extent::range(0, 8);
  LoweredKernel result;
  result.nodes = {before, after};
  result.kernel.grid = {{r0, 8}};
  result.kernel.arguments = {{f32, Access::read, 8}, {f32, Access::write, 8}};
  result.kernel.stages = {{{}, {0, 1}}};
  result.kernel.instructions = {load(0, r0 + shift), store(1, r0, 0)};
  return result;
}

// The same with `instruction` after the store.
LoweredKernel followed_by(const Instruction& instruction) {
  LoweredKernel result = update();
  result.kernel.instructions.push_back(instruction);
  result.kernel.stages[0].body.push_back(2);
  return result;
}

bool in_place(const LoweredKernel& lowered) {
  return schedule::detail::may_write_in_place(lowered, before, after);
}

}  // namespace

TEST_CASE("in-place updates: a kernel reads only the element that it writes next") {
  CHECK(in_place(update()));
  CHECK_FALSE(in_place(update(1)));
}

TEST_CASE("in-place updates: a kernel reads no element after it has written it") {
  const Extent r0 = Extent::range(0, 8);
  CHECK_FALSE(in_place(followed_by(load(0, r0))));
  CHECK(in_place(followed_by(load(1, r0))));  // the new value
}

TEST_CASE("in-place updates: each element is written once, as a whole") {
  CHECK_FALSE(in_place(followed_by(store(1, Extent::range(0, 8), 0))));
  LoweredKernel adds = update();
  adds.kernel.instructions[1].accumulate = true;
  CHECK_FALSE(in_place(adds));
}

TEST_CASE("in-place updates: a sort needs its operand until the end") {
  CHECK_FALSE(in_place(followed_by({.code = Code::sort})));
}

TEST_CASE("in-place updates: a kernel that does not read the old value may overwrite it") {
  LoweredKernel lowered = update(1);
  lowered.nodes = {other, after};
  CHECK(in_place(lowered));
}
