#include <doctest/doctest.h>
#include <sinter/schedule/lower/kernel_builder.hpp>

#include "handwritten_kernels.hpp"

using namespace sinter;
using namespace sinter::detail;
using namespace sinter::detail::schedule;
using namespace handwritten_kernels;

namespace {

const schedule::Index grid{Extent::range(0, 8)}, rows{Extent::range(1, 4)};

Instruction sum_of(ValueId value) {
  Instruction result{.code = Code::reduce, .op = Op::sum, .dtype = f32};
  result.operands = {value};
  return result;
}

}  // namespace

TEST_CASE("kernel_builder: axes of extent 1 have no loop") {
  CHECK(loops_over(ranges_over({4, 1, 5})).size() == 2);
}

TEST_CASE("kernel_builder: equal instructions in a slot are appended once") {
  KernelBuilder builder(grid, rows);
  const ValueId first = builder.append(1, load(0, rows[0]));
  CHECK(builder.append(1, load(0, rows[0])) == first);
  CHECK(builder.append(3, load(0, rows[0])) != first);
  CHECK(builder.append(1, load(0, grid[0])) != first);
}

TEST_CASE("kernel_builder: values that depend on the row, or on a bind in it, vary") {
  KernelBuilder builder(grid, rows);
  CHECK(builder.varies(rows[0] + grid[0]));
  CHECK_FALSE(builder.varies(grid[0]));
  Instruction bind{.code = Code::bind, .dtype = i64};
  bind.bound = 9;
  CHECK_FALSE(builder.varies(builder.bind(first_slot, bind)));
  CHECK(builder.varies(builder.bind(1, bind)));
}

TEST_CASE("kernel_builder: indices and guards are known from the slot that binds their variables") {
  KernelBuilder builder(grid, rows);
  Instruction bind{.code = Code::bind, .dtype = i64};
  bind.bound = 9;
  const Extent bound = builder.bind(2, bind);
  CHECK(builder.bound_from(grid[0] + rows[0]) == first_slot);
  CHECK(builder.bound_from(bound + 1) == 2);
  CHECK(builder.bound_from(Guards{{bound, 0, 4}}) == 2);
  CHECK(builder.bound_from(Guards{{grid[0], 0, bound}}) == 2);
  CHECK(builder.bound_from(Guards{{grid[0], 0, 4}}) == first_slot);
}

TEST_CASE("kernel_builder: slots become stages in order, without dead instructions") {
  KernelBuilder builder(grid, rows);
  const std::int32_t in = builder.argument(5, f32, 32, Access::read);
  const std::int32_t out = builder.argument(6, f32, 8, Access::write);
  const ValueId element = builder.append(1, load(in, grid[0] * 4 + rows[0]));
  builder.append(1, compute(Op::sin, {element}));  // dead
  const ValueId sum = builder.append(1, sum_of(element));
  CHECK(builder.known_from(element) == 1);
  CHECK(builder.known_from(sum) == 2);
  builder.append(2, store(out, grid[0], sum));
  const Kernel kernel = builder.build();
  CHECK(kernel.stages.size() == 2);
  CHECK(kernel.instructions.size() == 3);
  CHECK(builder.nodes == Vector<NodeId>{5, 6});
  CHECK_NOTHROW(verify(kernel));
}

TEST_CASE("kernel_builder: an argument that is read and written is read_write") {
  KernelBuilder builder(grid, {});
  const std::int32_t both = builder.argument(5, f32, 8, Access::read);
  CHECK(builder.argument(5, f32, 8, Access::write) == both);
  const ValueId value = builder.append(0, load(both, grid[0]));
  builder.append(0, store(both, grid[0], value));
  CHECK(builder.build().arguments[0].access == Access::read_write);
}
