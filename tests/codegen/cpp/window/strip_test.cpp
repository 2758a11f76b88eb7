#include <doctest/doctest.h>
#include <sinter/codegen/cpp/window/strip.hpp>

#include "cpp/window/convolutions.hpp"

using namespace kernels;

TEST_CASE("strip: lines of points need lines of the image, and more for their windows") {
  const codegen::WindowStrip plain = *Convolution({1, 64, 64, 56, 3, 1, 1}).windows;
  CHECK(plain.line_step() == 1);
  CHECK(plain.image_lines(1) == 3);
  CHECK(plain.image_lines(4) == 6);
  const codegen::WindowStrip strided = *Gradient({2, 3, 64, 224, 7, 2, 3}).windows;
  CHECK(strided.line_step() == 2);
  CHECK(strided.image_lines(4) == 13);
}

TEST_CASE("strip: planes are an odd number of cache lines apart") {
  CHECK(codegen::detail::spread_over_sets(1, 4) == 48);
  CHECK(codegen::detail::spread_over_sets(48, 4) == 80);
  CHECK(codegen::detail::spread_over_sets(8, 8) == 24);
}
