#include <doctest/doctest.h>
#include <sinter/codegen/cpp/nest/window_axes.hpp>

#include "cpp/window/convolutions.hpp"

using namespace kernels;
namespace parts = codegen::detail;

TEST_CASE("window_axes: an axis has the range of its positions, and a variable to replace") {
  const Extent x = Extent::range(0, 10), k = Extent::range(1, 3);
  const auto axis = parts::window_axis(x * 2 + k - 1);
  REQUIRE(axis.has_value());
  CHECK(axis->least == -1);
  CHECK(axis->count == 21);
  CHECK(same(axis->carrier, k));
  CHECK_FALSE(parts::window_axis(x * 2 + k * 2).has_value());  // every second position only
  CHECK_FALSE(parts::window_axis(Extent::symbol(0) + k).has_value());
}

TEST_CASE("window_axes: an element of an image depends on its position only") {
  const Kernel kernel = convolution({1, 8, 8, 10, 3, 1, 1});
  const Extent row = kernel.grid[2].variable, column = kernel.grid[3].variable;
  const Extent i = kernel.stages[0].loops[1].variable, j = kernel.stages[0].loops[2].variable;
  const Vector<parts::WindowAxis> axes{*parts::window_axis(row + i - 1),
                                       *parts::window_axis(column + j - 1)};
  const auto places = parts::places_of(kernel, axes);
  CHECK(
      same(parts::placed((row + i) * 10 + column + j, axes, places), (places[0]) * 10 + places[1]));
  CHECK(parts::is_element(kernel, 1, axes));
  CHECK_FALSE(parts::is_element(kernel, 0, axes));  // a weight
}
