#include <doctest/doctest.h>
#include <sinter/schedule/lower/lowered_kernel.hpp>

#include "handwritten_kernels.hpp"

using namespace sinter;
using namespace sinter::detail;
using namespace sinter::detail::schedule;
using namespace handwritten_kernels;

namespace {

// A kernel that copies node 7, and has arguments for node 8, which it does not use, and node 9.
LoweredKernel copy() {
  const Extent r0 = Extent::range(0, 8);
  LoweredKernel result;
  result.nodes = {7, 8, 9};
  result.kernel.grid = {{r0, 8}};
  result.kernel.arguments = {
      {f32, Access::read, 8}, {f32, Access::read, 8}, {f32, Access::write, 8}};
  result.kernel.stages = {{{}, {0, 1}}};
  result.kernel.instructions = {load(0, r0), store(2, r0, 0)};
  return result;
}

}  // namespace

TEST_CASE("lowered_kernel: each argument that is not local has a node") {
  LoweredKernel lowered = copy();
  lowered.kernel.arguments[0].access = Access::local;
  lowered.nodes = {8, 9};
  CHECK(schedule::detail::argument_of(lowered, 8) == 1);
  CHECK(schedule::detail::argument_of(lowered, 9) == 2);
  CHECK(schedule::detail::argument_of(lowered, 7) == -1);
}

TEST_CASE("lowered_kernel: arguments that no instruction uses are dropped, with their nodes") {
  LoweredKernel lowered = copy();
  drop_unused_arguments(lowered);
  CHECK(lowered.nodes == Vector<NodeId>{7, 9});
  CHECK(lowered.kernel.arguments.size() == 2);
  CHECK(lowered.kernel.instructions[1].argument == 1);
}

TEST_CASE("lowered_kernel: checks that an earlier kernel has made cannot fail again") {
  LoweredKernel lowered = copy();
  CHECK_FALSE(can_fault(lowered));
  lowered.kernel.instructions[0].code = Code::bind;
  CHECK(can_fault(lowered));
  lowered.is_checked = true;
  CHECK_FALSE(can_fault(lowered));
}
