#include <doctest/doctest.h>
#include <sinter/schedule/analysis/row_limits.hpp>

using namespace sinter;
using namespace sinter::detail;
using namespace sinter::detail::schedule;

TEST_CASE("block_limits: what runs in order is no piece, what checks indices is one") {
  Kernel kernel;
  kernel.grid = {{Extent::range(0, 8), 8}};
  CHECK(schedule::detail::can_be_piece(kernel));
  kernel.instructions.push_back({.code = Code::running, .op = Op::cumsum});
  CHECK_FALSE(schedule::detail::can_be_piece(kernel));
  kernel.instructions[0] = {.code = Code::bind};
  CHECK(schedule::detail::can_be_piece(kernel));
  kernel.instructions.clear();
  kernel.serial = true;
  CHECK_FALSE(schedule::detail::can_be_piece(kernel));
}

TEST_CASE("block_limits: sizes without a bound stay without one") {
  CHECK(schedule::detail::times(3, 4) == 12);
  CHECK(schedule::detail::times(3, unbounded) == unbounded);
}
