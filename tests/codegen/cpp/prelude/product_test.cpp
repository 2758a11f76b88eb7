#include <doctest/doctest.h>
#include <sinter/codegen/cpp/prelude/product.hpp>

#include "texts.hpp"

using namespace kernels;
using codegen::laned;
using codegen::multiply_tile;

TEST_CASE("cpp_product: a tile keeps its sums in named registers, never in arrays") {
  const std::string text = multiply_tile("multiply_6x4", laned("f32x16"));
  CHECK(in_order(text, "void multiply_6x4_f32x16(", "c5_3 = c5_3 + x5 * b3"));
  CHECK(count(text, "splat_f32x16(") == 6 * 2);  // in several steps along the depth, or one
  CHECK_FALSE(contains(text, "f32x16 c["));
}

TEST_CASE("cpp_product: a rounded tile rounds each product before it adds it") {
  const std::string text = multiply_tile("multiply_rounded_2x1", laned("f64x8"));
  CHECK(contains(text, "c1_0 = c1_0 + product_f64x8(x1 * b0)"));
}

TEST_CASE("cpp_product: a tile of pairs reads two numbers along the depth, the last one alone") {
  const std::string text = multiply_tile("multiply_pairs_6x4", laned("f32x16"));
  CHECK(contains(text, "const unsigned short* left, long row, long height"));
  CHECK(in_order(text, "splat_u32x16(pair_bf16(a5 + k))", "c5_3 = add_pairs_f32x16(c5_3, x5, b3)"));
  CHECK(in_order(text, "if (odd)", "splat_u32x16((unsigned)a5[k])"));
}

TEST_CASE("cpp_product: other names are no tiles") {
  for (const std::string name :
       {"multiply", "multiply_", "multiply_rows", "multiply_6x", "add_6x4"}) {
    CHECK(multiply_tile(name, laned("f32x16")).empty());
  }
}
