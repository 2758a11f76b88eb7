#include <doctest/doctest.h>
#include <sinter/codegen/cpp/product/product_text.hpp>

#include "texts.hpp"

using namespace kernels;

TEST_CASE(
    "product_text: an operand that is contiguous along the depth is transposed into a panel") {
  Sizes many({64, 128, 32}, false), few({4, 64, 32}, false);
  const std::string text = cpp_text(product("p", many, true, f32, 4, 4));
  CHECK(in_order(text, "alignas(64) float panel[2048];", "pack_f32(panel, 64, in1 + c * (32)"));
  CHECK(in_order(text, "height > 4 ? multiply_6x4_f32x16", "multiply_4x4_f32x16"));
}

TEST_CASE("product_text: few rows use dot products specialised for the depth") {
  const auto text = [](std::int64_t depth) {
    Sizes few({4, 64, depth}, false);
    return cpp_text(product("p", few, true, f32, 4, 4));
  };
  CHECK(contains(text(32), " multiply_even_dots_4x6_f32x16("));
  CHECK(contains(text(15), " multiply_short_dots_4x6_f32x16("));
  CHECK(contains(text(17), " multiply_dots_4x6_f32x16("));
  CHECK(contains(text(2048), " multiply_dots_4x6_f32x16("));
}

TEST_CASE("product_text: an operand with stride 2 along the depth is packed in rows") {
  Sizes sizes({64, 128, 32}, false);
  Kernel kernel = product("p", sizes, true, f32, 4, 4);
  const Extent column = kernel.grid[1].variable, k = kernel.stages[0].loops[0].variable;
  for (auto& one : kernel.instructions) {
    if (one.code == schedule::Code::load && one.argument == 1) one.index = column * 64 + k * 2;
  }
  const std::string text = cpp_text(kernel);
  CHECK(contains(text, " = load_evens_f32x16(0, 16, p"));
  CHECK(contains(text, "pack_f32(panel + four, 64, columns, 32, live, 32)"));
}

TEST_CASE("product_text: few rows read the right operand in place") {
  Sizes few({4, 64, 32}, false), strict({4, 64, 32}, false);
  const std::string text = cpp_text(product("p", few, false, f32, 4, 2));
  CHECK(contains(text, "multiply_rows_f32x16("));
  CHECK_FALSE(contains(text, "panel"));
  const std::string in_order = cpp_text(product("p", strict, true, f32, 4, 4), {.strict = true});
  CHECK(contains(in_order, "multiply_rounded_4x4_f32x16"));
}

TEST_CASE("product_text: a large depth is split into blocks that fit in a cache") {
  Sizes deep({64, 64, 4096}, false), flat({64, 64, 1024}, false);
  CHECK(contains(cpp_text(product("p", deep, false, f32, 4, 2)), "least(k + (2048), 4096)"));
  CHECK_FALSE(contains(cpp_text(product("p", flat, false, f32, 4, 2)), "next"));
}

TEST_CASE(
    "product_text: a deep operand that is contiguous along the rows is transposed, others are "
    "packed") {
  const auto text_of = [](std::int64_t depth) {
    Sizes sizes({64, 128, depth}, false);
    Kernel kernel = product("p", sizes, false, f32, 4, 2);
    const Extent row = kernel.grid[0].variable, k = kernel.stages[0].loops[0].variable;
    for (auto& one : kernel.instructions) {
      if (one.code == schedule::Code::load && one.argument == 0) one.index = k * 64 + row;
    }
    return cpp_text(kernel);
  };
  CHECK(contains(text_of(512), "transpose_f32(block + (from - first) * (528), 528, in0 + from"));
  CHECK_FALSE(contains(text_of(256), "transpose_f32("));
  CHECK(contains(text_of(256), "% 48, 1, 48"));
}

TEST_CASE("product_text: bf16 operands are packed as pairs where the order of sums is free") {
  const auto text_of = [](std::int64_t rows, bool strict) {
    Sizes sizes({rows, 128, 33}, false);
    return cpp_text(product("p", sizes, true, bf16, 4, 4),
                    {.target = {.vectors = {.has_bf16_dot = true}}, .strict = strict});
  };
  const std::string text = text_of(64, false);
  CHECK(contains(text, "alignas(64) unsigned short panel[2176];"));
  CHECK(in_order(text, "pack_pairs_bf16(panel, 64, in1 + c * (33), 33, width, 33)",
                 "in0 + r * (33), 33, height, panel, 64, 33, false)"));
  CHECK_FALSE(contains(text_of(64, true), "pairs"));
  CHECK_FALSE(contains(text_of(4, false), "pairs"));
}
