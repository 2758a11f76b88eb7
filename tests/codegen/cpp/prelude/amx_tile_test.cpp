#include <doctest/doctest.h>
#include <sinter/codegen/cpp/prelude/register_tile.hpp>

#include "texts.hpp"

using namespace kernels;
using codegen::multiply_tile;
using codegen::parse_vector_type;

TEST_CASE(
    "cpp_amx_tile: a row tile is multiplied with all column tiles, the remainder of the depth "
    "last") {
  const std::string text = multiply_tile("multiply_squares_16x2", parse_vector_type("f32x16"));
  CHECK(in_order(text, "load_square_bf16<4>(left, row)", "add_square_f32<0, 4, 5>()"));
  CHECK(in_order(text, "load_square_bf16<5>(right + 32, 2 * width)", "add_square_f32<1, 4, 5>()"));
  CHECK(in_order(text, "if (rest > 0)", "add_square_f32<1, 6, 7>()"));
  CHECK(in_order(text, "add_square_f32<1, 6, 7>()", "store_square_f32<1>"));
}

TEST_CASE("cpp_amx_tile: only for sums in vectors of 16, in up to four registers") {
  CHECK(multiply_tile("multiply_squares_16x5", parse_vector_type("f32x16")).empty());
  CHECK(multiply_tile("multiply_squares_16x4", parse_vector_type("f32x8")).empty());
  CHECK(multiply_tile("multiply_squares_16x4", parse_vector_type("f64x8")).empty());
}
