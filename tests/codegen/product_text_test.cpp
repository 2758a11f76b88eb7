#include <doctest/doctest.h>
#include <sinter/codegen/product_text.hpp>

#include "texts.hpp"

using namespace kernels;
using codegen::tile_size;

TEST_CASE("product_text: a tile has as many sums as there are registers, and fits what is left") {
  const auto whole = tile_size(f32, 512, 600, 640), rest = tile_size(f32, 512, 64, 70);
  CHECK((whole.lanes == 16 && whole.rows == 6 && whole.vectors == 4));
  CHECK((whole.rest_rows == 0 && whole.rest_vectors == 0));
  CHECK((rest.rest_rows == 4 && rest.rest_vectors == 1));
  CHECK(tile_size(f64, 256, 600, 640).columns() == 8);
  CHECK(tile_size(f32, 512, 5, 640).rows == 5);
}

TEST_CASE("product_text: an operand that lies along the depth is transposed into a panel") {
  Sizes many({64, 128, 32}, false), few({4, 64, 32}, false);
  const std::string text = cpp_text(product("p", many, true, f32, 4, 4));
  CHECK(in_order(text, "alignas(64) float panel[2048];", "pack_f32(panel, 64, in1 + c * (32)"));
  CHECK(in_order(text, "height > 4 ? multiply_6x4_f32x16", "multiply_4x4_f32x16"));
  CHECK(contains(cpp_text(product("p", few, true, f32, 4, 4)), "multiply_dots_4x6_f32x16("));
}

TEST_CASE("product_text: few rows meet the other operand where it is") {
  Sizes few({4, 64, 32}, false), strict({4, 64, 32}, false);
  const std::string text = cpp_text(product("p", few, false, f32, 4, 2));
  CHECK(contains(text, "multiply_rows_f32x16("));
  CHECK_FALSE(contains(text, "panel"));
  const std::string in_order = cpp_text(product("p", strict, true, f32, 4, 4), {.strict = true});
  CHECK(contains(in_order, "multiply_rounded_4x4_f32x16"));
}

TEST_CASE("product_text: long sums are made in parts that fit in a cache") {
  Sizes deep({64, 64, 4096}, false), flat({64, 64, 1024}, false);
  CHECK(contains(cpp_text(product("p", deep, false, f32, 4, 2)), "least(k + (2048), 4096)"));
  CHECK_FALSE(contains(cpp_text(product("p", flat, false, f32, 4, 2)), "next"));
}

TEST_CASE("product_text: a deep operand that lies along the rows is turned, others are packed") {
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
