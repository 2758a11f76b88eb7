#include <doctest/doctest.h>
#include <sinter/schedule/loop/window_lines.hpp>

#include "handwritten_kernels.hpp"

using namespace sinter;
using namespace sinter::detail;
using namespace sinter::detail::schedule;

namespace {

// Sums of windows of 3 lines of 5 elements of an image of 64 by 64, `step` lines apart.
Kernel window_sums(std::int64_t step) {
  using namespace handwritten_kernels;
  const Extent line = Extent::range(0, 12), column = Extent::range(1, 40), r2 = Extent::range(2, 3),
               r3 = Extent::range(3, 5);
  Kernel kernel = row_sum(12, 40);
  kernel.grid = {{line, 12}, {column, 40}};
  kernel.grid[0].unroll = 6;
  kernel.stages = {{{{r2, 3}, {r3, 5}}, {0, 1}}, {{}, {2}}};
  kernel.instructions = {load(0, (line * step + r2) * 64 + column + r3), kernel.instructions[1],
                         store(1, line * 40 + column, 1)};
  kernel.sums_windows = true;
  kernel.vector_axis = VectorAxis::grid;
  return kernel;
}

}  // namespace

TEST_CASE("window_lines: the loop along lines that windows below each other read twice") {
  for (const std::int64_t step : {1, 2}) {
    const Kernel kernel = window_sums(step);
    const Loop* const lines = shared_lines(kernel, kernel.grid[0]);
    REQUIRE(lines != nullptr);
    CHECK(same(lines->variable, kernel.stages[0].loops[0].variable));
  }
  const Kernel apart = window_sums(3);
  CHECK(shared_lines(apart, apart.grid[0]) == nullptr);
  const Kernel kernel = window_sums(1);
  const Loop* const columns = shared_lines(kernel, kernel.grid[1]);
  REQUIRE(columns != nullptr);
  CHECK(same(columns->variable, kernel.stages[0].loops[1].variable));
}

TEST_CASE("window_lines: the loop along the lines is the inner one of windows in one tile") {
  const Kernel kernel = window_sums(1), ordered = with_lines_inside(kernel);
  CHECK(same(ordered.stages[0].loops[1].variable, kernel.stages[0].loops[0].variable));
  CHECK(same(ordered.stages[0].loops[0].variable, kernel.stages[0].loops[1].variable));
  Kernel single = kernel, rows = kernel;
  single.grid[0].unroll = 1;
  rows.vector_axis = VectorAxis::stage;
  for (const Kernel& one : {single, rows, window_sums(3)}) {
    CHECK(
        same(with_lines_inside(one).stages[0].loops[0].variable, one.stages[0].loops[0].variable));
  }
}
