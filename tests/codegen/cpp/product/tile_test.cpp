#include <doctest/doctest.h>
#include <sinter/codegen/cpp/product/tile.hpp>

using namespace sinter;
using namespace sinter::detail;
using codegen::tile_size;

TEST_CASE("tile: a tile fills the registers with sums, and fits the last rows and columns") {
  const auto whole = tile_size(f32, 600, 640, {}), rest = tile_size(f32, 64, 70, {});
  CHECK((whole.lanes == 16 && whole.rows == 6 && whole.vectors == 4));
  CHECK((whole.rest_rows == 0 && whole.rest_vectors == 0));
  CHECK((rest.rest_rows == 4 && rest.rest_vectors == 1));
  CHECK(tile_size(f64, 600, 640, {.target = {.vectors = {.bits = 256}}}).columns() == 8);
  CHECK(tile_size(f32, 5, 640, {}).rows == 5);
}

TEST_CASE("tile: numbers of 16 bits are summed as f32, all others as they are") {
  CHECK(codegen::detail::accumulated_as(bf16) == f32);
  CHECK(codegen::detail::accumulated_as(f16) == f32);
  CHECK(codegen::detail::accumulated_as(f64) == f64);
  CHECK(codegen::detail::accumulated_as(i8) == i8);
}
