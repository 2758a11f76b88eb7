#include <doctest/doctest.h>
#include <sinter/codegen/values.hpp>

#include "texts.hpp"

using namespace kernels;

TEST_CASE("values: what no inner loop changes is computed outside of it") {
  Sizes sizes({8, 64}, false);
  const std::string text = cpp_text(bias_relu("bias_relu", sizes, f32));
  CHECK(in_order(text, "v1 = in2[0]", "for ("));            // the scale, once
  CHECK(in_order(text, "s1 = splat_f32x16(v1)", "for ("));  // and in all lanes
  CHECK(count(text, "splat_f32x16(0x0p+0f)") == 1);
}

TEST_CASE("values: numbers are written where they are used, vectors of them are named") {
  Sizes sizes({8, 64}, false);
  const std::string vectors = cpp_text(bias_relu("bias_relu", sizes, f32));
  Sizes again({8, 64}, false);
  const std::string numbers = cpp_text(bias_relu("bias_relu", again, f32), {.vector_bits = 0});
  CHECK(contains(vectors, "< s5;"));
  CHECK(contains(numbers, "< 0x0p+0f;"));
}

TEST_CASE("values: 16-bit numbers are rounded at stores; where strict, at every operation") {
  Sizes sizes({8, 64}, false), again({8, 64}, false);
  CHECK(count(cpp_text(bias_relu("b", sizes, bf16)), "round_bf16") == 0);
  CHECK(count(cpp_text(bias_relu("b", again, bf16), {.strict = true}), "round_bf16x16(") >= 3);
}

TEST_CASE("values: strict products are not contracted with the sums that they enter") {
  Sizes sizes({8, 64}, false);
  const std::string text = cpp_text(bias_relu("b", sizes, f32), {.strict = true});
  CHECK(contains(text, "product_f32x16(v0 * s1)"));
}

TEST_CASE("values: remarks stand beside the value") {
  Sizes sizes({64}, false);
  CHECK(contains(cpp_text(unary_chain("a", sizes, Op::exp, Op::sin, f32)), "// sin\n"));
}

TEST_CASE("values: long functions are called where a tile has many of them") {
  Sizes tile({64, 64, 32}, false), line({1000}, false);
  Kernel many = product("p", tile, false, f32, 4, 2);
  many.serial = true;  // else it is written as a product is, with helpers
  CHECK(contains(cpp_text(many), "= call_tanh_f32x16("));
  CHECK_FALSE(contains(cpp_text(unary_chain("a", line, Op::tanh, Op::tanh, f32)), "call_"));
}

TEST_CASE("values: a divisor is looked at once for a vector, lane by lane only where one is 0") {
  Sizes plane({64, 64}, false), again({64, 64}, false);
  const std::string vectors = cpp_text(divided("divided", plane, i32));
  CHECK(in_order(vectors, "const int v2 = nonzero_i32(v1);", "for ("));
  CHECK(in_order(vectors, "if (v1 == 0) report(context, 1, 0, 0, 0);", "for ("));
  CHECK(in_order(vectors, "if (has_zero_i32x16(", "for (long lane = 0; lane < 16; ++lane) if ("));
  CHECK(contains(vectors, "== 0 && 1 <= i0"));
  CHECK_FALSE(contains(cpp_text(binary("b", again, Op::floor_divide, i32)), "report"));
}
