#include <doctest/doctest.h>
#include <sinter/codegen/cpp/window/window_tile.hpp>

#include "cpp/window/convolutions.hpp"

using namespace kernels;
using codegen::WindowTile;

namespace {

std::string text_of(const WindowTile& tile) {
  const Convolution one({1, 64, 64, 56, 3, 1, 1});
  const auto how = codegen::weights_of(one.kernel, *one.windows, for_avx2());
  return codegen::window_tile(tile, how, "k");
}

}  // namespace

TEST_CASE("window_tile: each row has an element of a window and two vectors of sums") {
  const WindowTile tile{.rows = {{0, 0}, {2, 16}, {4, 32}}, .loops = {{"5", 10}}};
  const std::string all = text_of(tile);
  CHECK(in_order(all, "void k(float* sums", "bool more)"));
  CHECK(count(all, "add_product_f32x8(") == 3 * 2);
  CHECK(contains(all, "x2 = splat_f32x8(at0[4]);"));
  CHECK(contains(all, "store_f32x8(sums + 40, c2_1)"));
  CHECK(contains(all, "at0 += 10"));
}

TEST_CASE("window_tile: loops have known counts or parameters, and may be written out") {
  const WindowTile tile{.rows = {{0, 0}}, .loops = {{"steps", 100}, {"3", 1, true}}};
  const std::string all = text_of(tile);
  CHECK(in_order(all, "void k(float* sums", "long steps, bool more)"));
  CHECK(count(all, "splat_f32x8(") == 3);
  CHECK(contains(all, "panel += 48;"));
}
