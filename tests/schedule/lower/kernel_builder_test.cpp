#include <doctest/doctest.h>
#include <sinter/schedule/lower/kernel_builder.hpp>

#include "hand_kernels.hpp"

using namespace sinter;
using namespace sinter::detail;
using namespace sinter::detail::schedule;
using namespace hand_kernels;

namespace {

const schedule::Index grid{Extent::range(0, 8)}, rows{Extent::range(1, 4)};

Instruction sum_of(ValueId value) {
  Instruction result{.code = Code::reduce, .op = Op::sum, .dtype = f32};
  result.operands = {value};
  return result;
}

}  // namespace

TEST_CASE("lowering: loops over extents of 1 are none") {
  CHECK(loops_over(ranges_over({4, 1, 5})).size() == 2);
}

TEST_CASE("lowering: an equal instruction in the same slot is there already") {
  Lowering lowering(grid, rows);
  const ValueId first = lowering.append(1, load(0, rows[0]));
  CHECK(lowering.append(1, load(0, rows[0])) == first);
  CHECK(lowering.append(3, load(0, rows[0])) != first);
  CHECK(lowering.append(1, load(0, grid[0])) != first);
}

TEST_CASE("lowering: what depends on the row, or on what a row binds, varies") {
  Lowering lowering(grid, rows);
  CHECK(lowering.varies(rows[0] + grid[0]));
  CHECK_FALSE(lowering.varies(grid[0]));
  Instruction bind{.code = Code::bind, .dtype = i64};
  bind.bound = 9;
  CHECK_FALSE(lowering.varies(lowering.bind(first_slot, bind)));
  CHECK(lowering.varies(lowering.bind(1, bind)));
}

TEST_CASE("lowering: slots become stages in order, without what nothing uses") {
  Lowering lowering(grid, rows);
  const std::int32_t in = lowering.argument(5, f32, 32, Access::read);
  const std::int32_t out = lowering.argument(6, f32, 8, Access::write);
  const ValueId element = lowering.append(1, load(in, grid[0] * 4 + rows[0]));
  lowering.append(1, compute(Op::sin, {element}));  // which nothing uses
  const ValueId sum = lowering.append(1, sum_of(element));
  CHECK(lowering.known_from(element) == 1);
  CHECK(lowering.known_from(sum) == 2);
  lowering.append(2, store(out, grid[0], sum));
  const Kernel kernel = lowering.finish();
  CHECK(kernel.stages.size() == 2);
  CHECK(kernel.instructions.size() == 3);
  CHECK(lowering.nodes == std::vector<NodeId>{5, 6});
  CHECK_NOTHROW(verify(kernel));
}

TEST_CASE("lowering: an argument that is read and written is both") {
  Lowering lowering(grid, {});
  const std::int32_t both = lowering.argument(5, f32, 8, Access::read);
  CHECK(lowering.argument(5, f32, 8, Access::write) == both);
  const ValueId value = lowering.append(0, load(both, grid[0]));
  lowering.append(0, store(both, grid[0], value));
  CHECK(lowering.finish().arguments[0].access == Access::read_write);
}
