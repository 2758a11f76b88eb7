#include <doctest/doctest.h>
#include <sinter/codegen/cpp/prelude/product.hpp>

#include "texts.hpp"

using namespace kernels;
using codegen::laned;
using codegen::multiply_tile;

TEST_CASE("cpp_squares: a square of rows meets those of all columns, the rest of a depth behind") {
  const std::string text = multiply_tile("multiply_squares_16x2", laned("f32x16"));
  CHECK(in_order(text, "load_square_bf16<4>(left, row)", "add_square_f32<0, 4, 5>()"));
  CHECK(in_order(text, "load_square_bf16<5>(right + 32, 2 * width)", "add_square_f32<1, 4, 5>()"));
  CHECK(in_order(text, "if (rest > 0)", "add_square_f32<1, 6, 7>()"));
  CHECK(in_order(text, "add_square_f32<1, 6, 7>()", "store_square_f32<1>"));
}

TEST_CASE("cpp_squares: only sums in vectors of 16, of four registers") {
  CHECK(multiply_tile("multiply_squares_16x5", laned("f32x16")).empty());
  CHECK(multiply_tile("multiply_squares_16x4", laned("f32x8")).empty());
  CHECK(multiply_tile("multiply_squares_16x4", laned("f64x8")).empty());
}
