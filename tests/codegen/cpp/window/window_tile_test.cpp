#include <doctest/doctest.h>
#include <sinter/codegen/cpp/window/window_tile.hpp>

#include "cpp/window/convolutions.hpp"

using namespace kernels;
using codegen::WindowTile;

namespace {

std::string text_of(const WindowTile& tile) {
  const Convolution one({1, 64, 64, 56, 5, 1, 2});
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

TEST_CASE("window_tile: tiles of two heights divide a line evenly") {
  const codegen::LineTiles wide{56, 6};
  CHECK(wide.count() == 10);
  CHECK(wide.points_in_high() == 36);  // and four tiles of five points
  CHECK(wide.heights() == Vector<int>{6, 5});
  const codegen::LineTiles even{12, 6};
  CHECK(even.points_in_high() == 12);
  CHECK(even.heights() == Vector<int>{6});
}

TEST_CASE("window_tile: tiles are chosen for the points of a line, and for the channels") {
  const schedule::Target target = for_avx2().target;
  const auto narrow = codegen::choose_window_tile(target, 8, 7, 512);
  REQUIRE(narrow.has_value());
  CHECK(narrow->rows == 4);
  CHECK(narrow->vectors == 3);
  const auto wide = codegen::choose_window_tile(target, 8, 56, 64);
  REQUIRE(wide.has_value());
  CHECK(wide->rows == 6);
  CHECK(wide->vectors == 2);
  CHECK_FALSE(codegen::choose_window_tile(target, 8, 56, 4).has_value());
}
