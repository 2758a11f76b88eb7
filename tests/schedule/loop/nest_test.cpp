#include <doctest/doctest.h>
#include <sinter/schedule/loop/nest.hpp>

#include "handwritten_kernels.hpp"

using namespace sinter;
using namespace sinter::detail;
using namespace sinter::detail::schedule;
using handwritten_kernels::row_sum;
using handwritten_kernels::sine;

namespace {

const Extent s3 = Extent::symbol(3), s5 = Extent::symbol(5);

Kernel merged(Kernel kernel) {
  fuse_loops(kernel);
  rename_variables(kernel);
  return kernel;
}

}  // namespace

TEST_CASE("nest: adjacent loops are fused if every access continues from one to the other") {
  const Kernel numbers = merged(sine(8, 4, 4, 1));
  REQUIRE(numbers.grid.size() == 1);
  CHECK(to_string(numbers.grid[0].extent) == "32");
  CHECK(to_string(numbers.instructions[0].index) == "r0");

  const Kernel symbolic = merged(sine(s3, s5, s5, 1));
  REQUIRE(symbolic.grid.size() == 1);
  CHECK(to_string(symbolic.grid[0].extent) == "s0*s1");
}

TEST_CASE("nest: an access in another order prevents loop fusion") {
  CHECK(merged(sine(8, 4, 1, 8)).grid.size() == 2);  // transposed
  CHECK(merged(sine(8, 4, 0, 1)).grid.size() == 2);  // repeated along rows
  CHECK(merged(row_sum(8, 4)).stages[0].loops.size() == 1);
}

TEST_CASE("nest: the loops of each stage are fused for themselves") {
  Kernel kernel = row_sum(8, 4);
  const Stage& rows = kernel.stages[0];
  const Loop loop = rows.loops[0];
  const Extent outer = Extent::range(20, 3), inner = Extent::range(21, 5);
  Instruction load = kernel.instructions[static_cast<std::size_t>(rows.body[0])];
  load.index = kernel.grid[0].variable * 15 + outer * 5 + inner;
  const auto next = static_cast<ValueId>(kernel.instructions.size());
  kernel.instructions.push_back(load);
  kernel.stages.insert(kernel.stages.begin(), {{{outer, 3}, {inner, 5}}, {next}});
  fuse_loops(kernel);
  REQUIRE(kernel.stages[0].loops.size() == 1);
  CHECK(to_string(kernel.stages[0].loops[0].extent) == "15");
  REQUIRE(kernel.stages[1].loops.size() == 1);
  CHECK(same(kernel.stages[1].loops[0].variable, loop.variable));
}

TEST_CASE("nest: the loop with contiguous stores becomes the last") {
  Kernel kernel = sine(8, 4, 4, 1);
  const Extent r0 = kernel.grid[0].variable, r1 = kernel.grid[1].variable;
  kernel.instructions[2].index = r0 + r1 * 8;
  order_grid(kernel);
  CHECK(same(kernel.grid.back().variable, r0));
  order_grid(kernel);
  CHECK(same(kernel.grid.back().variable, r0));
}

TEST_CASE("nest: renamed kernels over other symbols and ranges are equal") {
  Kernel one = row_sum(s3, s5), other = row_sum(Extent::symbol(8), Extent::symbol(2));
  const auto sizes = rename_variables(one);
  CHECK(sizes.size() == 2);
  CHECK(same(sizes[0], s3));
  CHECK(to_string(rename_variables(other)[0]) == "s8");
  CHECK(hash_of(one) == hash_of(other));
  CHECK(to_string(one) == to_string(other));
  CHECK_NOTHROW(verify(one));

  Kernel square = row_sum(s3, s3);
  rename_variables(square);
  CHECK_FALSE(hash_of(square) == hash_of(one));
}
