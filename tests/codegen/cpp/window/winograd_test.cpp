#include <doctest/doctest.h>
#include <sinter/codegen/cpp/window/winograd.hpp>

#include "cpp/window/convolutions.hpp"

using namespace kernels;

namespace {

Optional<codegen::WindowProduct> transformed(const Image& image, DType dtype = f32,
                                             codegen::CppOptions options = for_avx2()) {
  const Kernel kernel = convolution(image, 1, dtype);
  auto found = codegen::window_product(kernel, *codegen::product_form(kernel, false), options);
  if (!found || !found->winograd) return {};
  return found;
}

}  // namespace

TEST_CASE("winograd: 3 by 3 windows are products of transformed tiles") {
  const auto found = transformed({1, 128, 128, 28, 3, 1, 1});
  REQUIRE(found.has_value());
  CHECK(found->line_tiles() == 14);
  CHECK(found->strip_lines == 4);
  CHECK(found->strip_tiles() == 28);
  CHECK(16 * found->winograd->element_pitch * 4 <= for_avx2().target.caches.l2);
  CHECK(found->winograd->element_pitch / 16 % 2 ==
        1);  // the elements of a tile in different cache sets
}

TEST_CASE("winograd: an odd size has a tile that is half empty") {
  const auto found = transformed({1, 384, 256, 13, 3, 1, 1});
  REQUIRE(found.has_value());
  CHECK(found->line_tiles() == 7);
  CHECK(found->strip_lines == 8);  // of 13: the last strip ends with half a line of tiles
}

TEST_CASE("winograd: strips have several images if these are small") {
  const auto found = transformed({8, 512, 512, 7, 3, 1, 1});
  REQUIRE(found.has_value());
  CHECK(found->image_tiles() == 16);
  CHECK(found->winograd->images == 2);
  CHECK(found->strip_tiles() == 32);
  CHECK(transformed({1, 64, 64, 14, 3, 1, 1})->winograd->images == 1);
}

TEST_CASE("winograd: deep weights are divided into blocks, and products into groups") {
  const auto found = transformed({1, 512, 512, 14, 3, 1, 1});
  REQUIRE(found.has_value());
  const schedule::Caches caches = for_avx2().target.caches;
  CHECK(found->block_steps < 512);
  CHECK(found->block_steps * found->tile.columns() * 4 <= caches.l1);
  CHECK(found->winograd->group_panels * 16 * found->strip_tiles() * found->tile.columns() * 4 <=
        caches.l2);
  CHECK(found->winograd->staged_planes * found->plane_pitch.number() * 4 <= caches.l1);
}

TEST_CASE("winograd: transforms pay for many channels and tiles of dense windows") {
  CHECK_FALSE(transformed({1, 512, 512, 7, 3, 1, 1}).has_value());  // reads each weight rarely
  CHECK_FALSE(transformed({1, 16, 64, 28, 3, 1, 1}).has_value());
  CHECK_FALSE(transformed({1, 64, 16, 28, 3, 1, 1}).has_value());
  CHECK_FALSE(transformed({1, 64, 64, 28, 3, 2, 1}).has_value());
  CHECK_FALSE(transformed({1, 64, 64, 28, 5, 1, 2}).has_value());
  CHECK_FALSE(transformed({1, 64, 64, 28, 3, 1, 1}, f64).has_value());
}

TEST_CASE("winograd: strict sums are computed as they are written") {
  codegen::CppOptions strict = for_avx2();
  strict.strict = true;
  CHECK_FALSE(transformed({1, 64, 64, 28, 3, 1, 1}, f32, strict).has_value());
}

TEST_CASE("winograd: panels have 16 elements for each 9 weights") {
  const Kernel kernel = convolution({1, 64, 64, 28, 3, 1, 1});
  const codegen::ProductForm form = *codegen::product_form(kernel, false);
  const auto found = codegen::window_product(kernel, form, for_avx2());
  REQUIRE(found.has_value());
  const codegen::ProductDecision how = codegen::weights_of(kernel, *found, for_avx2());
  CHECK(same(how.panel_depth(how.depth), 64 * 16));
}
