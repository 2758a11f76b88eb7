#include <doctest/doctest.h>
#include <sinter/codegen/values.hpp>

#include <limits>

#include "harness.hpp"
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

TEST_CASE("values: positions are compared with a number as lane numbers, not as 64-bit integers") {
  kernels::Builder b("one_hot", VectorAxis::grid);
  const auto x = b.argument(i64, Access::read, 1), y = b.argument(f32, Access::write, 100);
  const Extent i = b.grid(100);
  b.stage();
  const auto chosen = b.load(x, 0), here = b.index(i);
  const auto hit = b.compute(Op::eq, boolean, {here, chosen});
  b.store(y, i, b.compute(Op::select, f32, {hit, b.number(1, f32), b.number(0, f32)}));
  const std::string text = cpp_text(b.kernel);
  CHECK(contains(text, "= lane_equal_i32x16(i0, v0);"));
  CHECK_FALSE(contains(text, "i64x16"));
}

TEST_CASE("values: comparisons of positions hold from both sides, for numbers far outside too") {
  const Op comparisons[] = {Op::eq, Op::ne, Op::lt, Op::le, Op::gt, Op::ge};
  std::vector<Source> sources;
  for (const bool swapped : {false, true}) {
    for (const Op op : comparisons) {
      kernels::Builder b(text(op, swapped ? "_number" : "_position"), VectorAxis::grid);
      const auto x = b.argument(i64, Access::read, 1), y = b.argument(boolean, Access::write, 37);
      const Extent i = b.grid(37);
      b.stage();
      const auto number = b.load(x, 0), here = b.index(i + 3);
      b.store(y, i, b.compute(op, boolean, {swapped ? number : here, swapped ? here : number}));
      sources.push_back(codegen::emit_cpp(b.kernel, {}));
    }
  }
  std::string all = codegen::cpp_prelude(sources);
  for (const Source& source : sources) all += source.text;
  const Library library(all);
  constexpr long most = std::numeric_limits<long>::max();
  for (const long number : {-most - 1, -1l, 2l, 3l, 4l, 18l, 19l, 39l, 40l, 1l << 32, most}) {
    for (std::size_t k = 0; k < sources.size(); ++k) {
      bool y[37];
      void* buffers[] = {const_cast<long*>(&number), y};
      Context context;
      library.function(sources[k].name)(buffers, nullptr, &context, 0, 1);
      for (long i = 0; i < 37; ++i) {
        const long lhs = k < 6 ? i + 3 : number, rhs = k < 6 ? number : i + 3;
        const bool wanted[] = {lhs == rhs, lhs != rhs, lhs<rhs, lhs <= rhs, lhs> rhs, lhs >= rhs};
        INFO(sources[k].name, " ", number, " ", i);
        CHECK(y[i] == wanted[k % 6]);
      }
    }
  }
}
