#include <doctest/doctest.h>
#include <sinter/codegen/cpp/product/helper_names.hpp>

#include "texts.hpp"

using namespace kernels;

namespace {

std::string name_for(std::int64_t rows, std::int64_t columns, bool strict) {
  Sizes sizes({rows, columns, 32}, false);
  const Kernel kernel = product("p", sizes, true, f32, 4, 4);
  const codegen::CppOptions options{.target = {.vectors = {.bits = 256}}, .strict = strict};
  const codegen::ProductForm form = *codegen::product_form(kernel, strict);
  const codegen::ProductDecision how(kernel, form, options);
  return how.method == codegen::ProductDecision::Method::tiles ? codegen::tile_helper(how, "width")
                                                               : codegen::few_rows_helper(how);
}

}  // namespace

TEST_CASE("helper names: a tile has one for whole tiles, and others for its rest") {
  CHECK(name_for(60, 64, false) == "multiply_6x2_f32x8");
  CHECK(name_for(64, 64, false) == "height > 4 ? multiply_6x2_f32x8 : multiply_4x2_f32x8");
  CHECK(name_for(60, 64, true) == "multiply_rounded_6x2_f32x8");
}

TEST_CASE("helper names: few rows that are contiguous along the depth are dot products") {
  CHECK(name_for(4, 64, false).find("multiply_even_dots_4x") == 0);
}
