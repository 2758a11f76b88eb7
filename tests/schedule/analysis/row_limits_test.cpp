#include <doctest/doctest.h>
#include <sinter/schedule/analysis/row_limits.hpp>

using namespace sinter;
using namespace sinter::detail;
using namespace sinter::detail::schedule;

TEST_CASE("row_limits: scans and serial kernels cannot be row-tiled, checks of indices can") {
  Kernel kernel;
  kernel.grid = {{Extent::range(0, 8), 8}};
  CHECK(schedule::detail::can_be_tiled(kernel));
  kernel.instructions.push_back({.code = Code::scan, .op = Op::cumsum});
  CHECK_FALSE(schedule::detail::can_be_tiled(kernel));
  kernel.instructions[0] = {.code = Code::bind};
  CHECK(schedule::detail::can_be_tiled(kernel));
  kernel.instructions.clear();
  kernel.serial = true;
  CHECK_FALSE(schedule::detail::can_be_tiled(kernel));
}

TEST_CASE("row_limits: products with unbounded sizes are unbounded") {
  CHECK(schedule::detail::times(3, 4) == 12);
  CHECK(schedule::detail::times(3, unbounded) == unbounded);
}
