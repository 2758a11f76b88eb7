#include <doctest/doctest.h>
#include <sinter/codegen/cpp/window/window_tile.hpp>

#include "cpp/window/convolutions.hpp"

using namespace kernels;

namespace {

std::string tile_of(const Image& image, int points) {
  const Convolution one(image);
  const auto how = codegen::weights_of(one.kernel, *one.windows, Convolution::options());
  return codegen::window_tile(*one.windows, how, points, "k");
}

}  // namespace

TEST_CASE("window_tile: a row of weights is multiplied by neighbouring elements") {
  const std::string tile = tile_of({1, 64, 64, 56, 3, 1, 1}, 6);
  CHECK(contains(tile, "void k_tile6(float* sums"));
  CHECK(count(tile, "add_product_f32x8(") == 3 * 6 * 2);  // the last axis of the window is unrolled
  CHECK(contains(tile, "x5 = splat_f32x8(at1[7]);"));
  CHECK(contains(tile, "at1 += 58"));
}

TEST_CASE("window_tile: elements are a stride apart") {
  CHECK(contains(tile_of({1, 64, 64, 56, 3, 2, 1}, 5), "x4 = splat_f32x8(at1[10]);"));
}
