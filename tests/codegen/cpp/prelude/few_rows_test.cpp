#include <doctest/doctest.h>
#include <sinter/codegen/cpp/prelude/few_rows.hpp>

#include "texts.hpp"

using namespace kernels;
using codegen::multiply_few_rows;
using codegen::parse_vector_type;

TEST_CASE("cpp_few_rows: rows of another type are widened as they are read") {
  const std::string plain = multiply_few_rows("multiply_rows", parse_vector_type("f32x16"));
  CHECK(in_order(plain, "void multiply_rows_f32x16(float* sums", "const float* right"));
  CHECK_FALSE(contains(plain, "widen"));
  const std::string half = multiply_few_rows("multiply_rows_bf16", parse_vector_type("f32x16"));
  CHECK(in_order(half, "void multiply_rows_bf16_f32x16(", "const unsigned short* right"));
  CHECK(contains(half, "widen_bf16_f32x16(from)"));
  CHECK(in_order(half, "sizeof(unsigned short) < sizeof(float)", "__builtin_prefetch(from + n"));
  CHECK(contains(multiply_few_rows("widen_i8", parse_vector_type("f32x8")),
                 "widen_i8_f32x8(const signed char* p) { return f32_of_i8x8(load_i8x8(p)); }"));
}

TEST_CASE("cpp_few_rows: sums of lanes are in named registers") {
  const std::string text = multiply_few_rows("multiply_dots_3x2_i8", parse_vector_type("f32x16"));
  CHECK(in_order(text, "void multiply_dots_3x2_i8_f32x16(", "c2_1 = c2_1 + x2 * w1"));
  CHECK(in_order(text, "fold_16_f32x16(c2_0, c2_1);", "store_part_f32x16(width - j < 2"));
  CHECK(contains(multiply_few_rows("multiply_dots_1x6", parse_vector_type("f32x4")),
                 "if (width - j - 4 > 0) store_part_f32x4("));
  CHECK_FALSE(contains(text, "c3_"));
}

TEST_CASE("cpp_few_rows: the text for a depth of whole vectors, or of less than one, is shorter") {
  const std::string any = multiply_few_rows("multiply_dots_2x2", parse_vector_type("f32x16"));
  const std::string even = multiply_few_rows("multiply_even_dots_2x2", parse_vector_type("f32x16"));
  const std::string brief =
      multiply_few_rows("multiply_short_dots_2x2_bf16", parse_vector_type("f32x16"));
  CHECK(in_order(any, "load_f32x16(a1 + k)", "load_part_f32x16(rest, a1 + k)"));
  CHECK(in_order(even, "void multiply_even_dots_2x2_f32x16(", "load_f32x16(a1 + k)"));
  CHECK_FALSE(contains(even, "load_part_"));
  CHECK_FALSE(contains(even, "kept"));
  CHECK(
      in_order(brief, "void multiply_short_dots_2x2_bf16_f32x16(", "load_part_f32x16(depth, a1)"));
  CHECK(contains(brief, "widen_part_bf16_f32x16(depth, b1)"));
  CHECK_FALSE(contains(brief, "k <"));
}

TEST_CASE("cpp_few_rows: other names give no helper") {
  for (const std::string name : {"multiply", "multiply_dots", "multiply_dots_4x", "widen",
                                 "widen_f32", "multiply_6x4", "multiply_even_dots_4", "load_i8"}) {
    CHECK(multiply_few_rows(name, parse_vector_type("f32x16")).empty());
  }
}
