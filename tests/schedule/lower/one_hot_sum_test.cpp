#include <doctest/doctest.h>
#include <sinter/schedule/lower/one_hot_sum.hpp>

#include "handwritten_kernels.hpp"

using namespace sinter;
using namespace sinter::detail;
using namespace sinter::detail::schedule;
using namespace handwritten_kernels;

namespace {

const schedule::Index grid{Extent::range(0, 8)}, rows{Extent::range(1, 4)};

}  // namespace

TEST_CASE("one_hot_sum: loads the element at the position of the mask") {
  KernelBuilder builder(grid, rows);
  Instruction bind{.code = Code::bind, .dtype = i64};
  bind.bound = 4;
  const Extent chosen = builder.bind(first_slot, bind);
  const auto position = [&](Extent index) {
    Instruction result{.code = Code::index, .dtype = i64};
    result.index = index;
    return builder.append(1, result);
  };
  const ValueId own = position(rows[0]), other = position(chosen);
  const ValueId equal = builder.append(1, compute(Op::eq, {own, other}));
  const ValueId element = builder.append(1, load(0, grid[0] * 4 + rows[0]));
  Instruction zero{.code = Code::constant, .dtype = f32};
  zero.constant = constant(0, f32);
  const ValueId nothing = builder.append(1, zero);
  const ValueId masked = builder.append(1, compute(Op::select, {equal, element, nothing}));

  const ValueId found = schedule::detail::one_hot_sum(builder, rows, masked, 2);
  REQUIRE(found >= 0);
  CHECK(builder[found].code == Code::load);
  CHECK(same(builder[found].index, grid[0] * 4 + chosen));

  const ValueId whole = builder.append(1, compute(Op::select, {equal, element, element}));
  CHECK(schedule::detail::one_hot_sum(builder, rows, whole, 2) < 0);
  CHECK(schedule::detail::one_hot_sum(builder, rows, element, 2) < 0);
}
