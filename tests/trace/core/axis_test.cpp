#include "testing.hpp"

#include <sinter/trace/core/axis.hpp>

using namespace testing;

TEST_CASE("axis_of: counts from the end if the axis is negative") {
  const Tensor x = ones({2, 3, 4});
  const Where here = Where::current();

  CHECK(axis_of(0, x, "f", here) == 0);
  CHECK(axis_of(-1, x, "f", here) == 2);
  CHECK(axis_of(-3, x, "f", here) == 0);
}

TEST_CASE("axes_of: ascend, whatever their order was") {
  const Tensor x = ones({2, 3, 4});
  const Where here = Where::current();
  using List = std::vector<std::int64_t>;

  CHECK(axes_of(all_axes, x, "f", here) == List{0, 1, 2});
  CHECK(axes_of({-1, 0}, x, "f", here) == List{0, 2});
  CHECK(axes_of(1, x, "f", here) == List{1});
  CHECK(axes_of(std::vector<int>{}, x, "f", here).empty());
  CHECK(axes_of(all_axes, ones({}), "f", here).empty());
}

TEST_CASE("axis: mistakes name the line, the values, the rule and the way out") {
  const Tensor x = ones({2, 3});

  MISTAKE(IndexError, axis_of(2, x, "f", Where::current()), "f: x has no such axis", "f32[2, 3]");
  MISTAKE(IndexError, axis_of(0, ones({}), "f", Where::current()), "f32[]", "has no axes");
  MISTAKE(ValueError, axes_of({1, -1}, x, "f", Where::current()), "[1, -1]");
}
