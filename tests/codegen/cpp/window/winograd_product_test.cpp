#include <doctest/doctest.h>
#include <sinter/codegen/cpp/window/winograd_product.hpp>

#include "cpp/window/convolutions.hpp"

using namespace kernels;

namespace {

Optional<codegen::WinogradProduct> squares_of(const Image& image, DType dtype = f32,
                                              codegen::CppOptions options = for_avx2()) {
  const Kernel kernel = convolution(image, 1, dtype);
  return codegen::winograd_product(kernel, *codegen::product_form(kernel, false), options);
}

}  // namespace

TEST_CASE("winograd_product: 3 by 3 windows are products of transformed squares") {
  const auto found = squares_of({1, 128, 128, 28, 3, 1, 1});
  REQUIRE(found.has_value());
  CHECK(found->squares_of_line() == 14);
  CHECK(found->strip_lines == 4);
  CHECK(found->strip_squares() == 28);
  CHECK(16 * found->element_pitch * 4 <= for_avx2().target.caches.l2);
  CHECK(found->element_pitch / 16 % 2 == 1);  // the elements of a square in different cache sets
}

TEST_CASE("winograd_product: an odd size has a square that is half empty") {
  const auto found = squares_of({1, 384, 256, 13, 3, 1, 1});
  REQUIRE(found.has_value());
  CHECK(found->squares_of_line() == 7);
  CHECK(found->strip_lines == 8);  // of 13: the last strip ends with half a line of squares
}

TEST_CASE("winograd_product: deep weights are divided into blocks, and products into groups") {
  const auto found = squares_of({1, 512, 512, 14, 3, 1, 1});
  REQUIRE(found.has_value());
  const schedule::Caches caches = for_avx2().target.caches;
  CHECK(found->block_steps < 512);
  CHECK(found->block_steps * found->tile.columns() * 4 <= caches.l1);
  CHECK(found->group_panels * 16 * found->strip_squares() * found->tile.columns() * 4 <= caches.l2);
  CHECK(found->staged_planes * found->plane_pitch.number() * 4 <= caches.l1);
}

TEST_CASE("winograd_product: transforms pay for many channels and squares of dense windows") {
  CHECK_FALSE(squares_of({1, 512, 512, 7, 3, 1, 1}).has_value());  // each weight is read rarely
  CHECK_FALSE(squares_of({1, 16, 64, 28, 3, 1, 1}).has_value());
  CHECK_FALSE(squares_of({1, 64, 16, 28, 3, 1, 1}).has_value());
  CHECK_FALSE(squares_of({1, 64, 64, 28, 3, 2, 1}).has_value());
  CHECK_FALSE(squares_of({1, 64, 64, 28, 5, 1, 2}).has_value());
  CHECK_FALSE(squares_of({1, 64, 64, 28, 3, 1, 1}, f64).has_value());
}

TEST_CASE("winograd_product: strict sums are computed as they are written") {
  codegen::CppOptions strict = for_avx2();
  strict.strict = true;
  CHECK_FALSE(squares_of({1, 64, 64, 28, 3, 1, 1}, f32, strict).has_value());
}

TEST_CASE("winograd_product: panels have 16 elements for each 9 weights") {
  const Kernel kernel = convolution({1, 64, 64, 28, 3, 1, 1});
  const codegen::ProductForm form = *codegen::product_form(kernel, false);
  const auto found = codegen::winograd_product(kernel, form, for_avx2());
  REQUIRE(found.has_value());
  const codegen::ProductDecision how = codegen::weights_of(kernel, *found, for_avx2());
  CHECK(same(how.panel_depth(how.depth), 64 * 16));
}
