#include <doctest/doctest.h>
#include <sinter/schedule/lower/one_hot_sum.hpp>

#include "hand_kernels.hpp"

using namespace sinter;
using namespace sinter::detail;
using namespace sinter::detail::schedule;
using namespace hand_kernels;

namespace {

const schedule::Index grid{Extent::range(0, 8)}, rows{Extent::range(1, 4)};

}  // namespace

TEST_CASE("one-hot sum: is the element at the position that a mask has") {
  Lowering lowering(grid, rows);
  Instruction bind{.code = Code::bind, .dtype = i64};
  bind.bound = 4;
  const Extent chosen = lowering.bind(first_slot, bind);
  const auto position = [&](Extent index) {
    Instruction result{.code = Code::index, .dtype = i64};
    result.index = index;
    return lowering.append(1, result);
  };
  const ValueId own = position(rows[0]), other = position(chosen);
  const ValueId equal = lowering.append(1, compute(Op::eq, {own, other}));
  const ValueId element = lowering.append(1, load(0, grid[0] * 4 + rows[0]));
  Instruction zero{.code = Code::constant, .dtype = f32};
  zero.constant = constant(0, f32);
  const ValueId nothing = lowering.append(1, zero);
  const ValueId masked = lowering.append(1, compute(Op::select, {equal, element, nothing}));

  const ValueId found = schedule::detail::one_hot_sum(lowering, rows, masked, 2);
  REQUIRE(found >= 0);
  CHECK(lowering[found].code == Code::load);
  CHECK(same(lowering[found].index, grid[0] * 4 + chosen));

  const ValueId whole = lowering.append(1, compute(Op::select, {equal, element, element}));
  CHECK(schedule::detail::one_hot_sum(lowering, rows, whole, 2) < 0);
  CHECK(schedule::detail::one_hot_sum(lowering, rows, element, 2) < 0);
}
