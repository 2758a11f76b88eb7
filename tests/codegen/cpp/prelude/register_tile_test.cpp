#include <doctest/doctest.h>
#include <sinter/codegen/cpp/prelude/register_tile.hpp>

#include "texts.hpp"

using namespace kernels;
using codegen::multiply_tile;
using codegen::parse_vector_type;

TEST_CASE("register_tile: a tile keeps its sums in named registers, never in arrays") {
  const std::string text = multiply_tile("multiply_6x4", parse_vector_type("f32x16"));
  CHECK(in_order(text, "void multiply_6x4_f32x16(", "c5_3 = add_product_f32x16(c5_3, x5, b3)"));
  CHECK(count(text, "splat_f32x16(") == 6 * 2);  // in several steps along the depth, or one
  CHECK_FALSE(contains(text, "f32x16 c["));
}

TEST_CASE("register_tile: in 16 steps a tile prefetches as much as it reads in one") {
  const std::string wide = multiply_tile("multiply_ahead_6x4", parse_vector_type("f32x16"));
  CHECK(in_order(wide, "prefetch(ahead + 192);", "ahead += 256;"));
  const std::string narrow = multiply_tile("multiply_ahead_6x2", parse_vector_type("f32x8"));
  CHECK(in_order(narrow, "prefetch(ahead + 0);", "ahead += 64;"));
  CHECK_FALSE(contains(multiply_tile("multiply_6x2", parse_vector_type("f32x8")), "ahead"));
}

TEST_CASE("register_tile: a rounded tile rounds each product before it adds it") {
  const std::string text = multiply_tile("multiply_rounded_2x1", parse_vector_type("f64x8"));
  CHECK(contains(text, "c1_0 = c1_0 + product_f64x8(x1 * b0)"));
}

TEST_CASE("register_tile: a bf16 tile reads pairs along the depth, and the last number alone") {
  const std::string text = multiply_tile("multiply_pairs_6x4", parse_vector_type("f32x16"));
  CHECK(contains(text, "const unsigned short* left, long row, long height"));
  CHECK(in_order(text, "splat_u32x16(pair_bf16(a5 + k))", "c5_3 = add_pairs_f32x16(c5_3, x5, b3)"));
  CHECK(in_order(text, "if (odd)", "splat_u32x16((unsigned)a5[k])"));
}

TEST_CASE("register_tile: other names give no tile") {
  for (const std::string name :
       {"multiply", "multiply_", "multiply_rows", "multiply_6x", "add_6x4"}) {
    CHECK(multiply_tile(name, parse_vector_type("f32x16")).empty());
  }
}
