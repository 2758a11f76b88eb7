#include <doctest/doctest.h>
#include <sinter/codegen/cpp/nest/nest.hpp>

#include "texts.hpp"

using namespace kernels;

TEST_CASE("nest: threads share the first loop that is long enough") {
  Sizes tall({1000, 64}, false), flat({2, 6400}, false), any({0, 64}, true);
  CHECK(contains(cpp_text(bias_relu("b", tall, f32)), "share(1000, 1, thread, threads)"));
  CHECK(contains(cpp_text(bias_relu("b", flat, f32)), "share(6400, 16, thread, threads)"));
  CHECK(contains(cpp_text(bias_relu("b", any, f32)), "share(n0, 1, thread, threads)"));
}

TEST_CASE("nest: kernels without a grid, and serial ones, run on one thread") {
  Sizes mean({8, 64}, false), rows({4, 64, 8}, false);
  CHECK(contains(cpp_text(full_mean("m", mean)), "if (thread != 0) return;"));
  CHECK(contains(cpp_text(scatter("s", rows)), "if (thread != 0) return;"));
}

TEST_CASE("nest: a loop that cannot fill a vector is one masked iteration") {
  Sizes sizes({64, 10}, false);
  const std::string text = cpp_text(bias_relu("b", sizes, f32));
  CHECK(contains(text, "const long lanes = 10 - i1;"));
  CHECK_FALSE(contains(text, "i1 += 16"));
}

TEST_CASE("nest: long rows of dynamic length are in heap memory") {
  Sizes known({8, 64}, false), any({8, 64}, true);
  CHECK(contains(cpp_text(softmax("s", known, f32)), "alignas(64) float row2[64];"));
  CHECK(contains(cpp_text(softmax("s", any, f32)),
                 "const Scratch memory_row2(n1 * (long)sizeof(float));"));
}

TEST_CASE("nest: an empty grid reads nothing, not even loop-invariant values") {
  Sizes none({0, 64}, false), no_columns({8, 0}, false);
  for (Sizes* sizes : {&none, &no_columns}) {
    const std::string text = cpp_text(bias_relu("b", *sizes, f32));
    CHECK_FALSE(contains(text, "buffers["));
  }
}

TEST_CASE("nest: loops are peeled to align stores of rows") {
  Sizes odd({30000, 1029}, false), small({300, 1029}, false), even({30000, 1024}, false),
      line({30000001}, false), again({300, 1029}, false), narrow({300, 50}, false);
  const std::string text = cpp_text(softmax("s", odd, f32));
  CHECK(in_order(text, "if (const long lanes = before_line(p", "k3 = lanes;"));
  CHECK(in_order(text, "for (; k3 + 16 <= 1029; k3 += 16)", "const long lanes = 1029 - k3;"));
  CHECK(contains(cpp_text(softmax("s", small, f32)), "before_line(p"));
  CHECK(contains(cpp_text(bias_relu("b", again, f32)), "before_line(p"));
  CHECK_FALSE(contains(cpp_text(softmax("s", even, f32)), "before_line"));
  CHECK_FALSE(contains(cpp_text(binary("b", line, Op::add, f32)), "before_line"));
  CHECK_FALSE(contains(cpp_text(softmax("s", narrow, f32)), "before_line"));
}

TEST_CASE("nest: full vectors after an unrolled loop have no mask") {
  const auto text_of = [](std::int64_t width) {
    Sizes sizes({30, width}, false);
    return cpp_text(softmax("s", sizes, f32));
  };
  const std::string text = text_of(178);
  CHECK(in_order(text, "for (; k0 + 64 <= 178; k0 += 64)", "for (; k0 + 16 <= 178; k0 += 16)"));
  CHECK(in_order(text, "for (; k0 + 16 <= 178; k0 += 16)", "if (k0 < 178) {"));
  CHECK_FALSE(contains(text, "for (; k1 + 16"));          // exp is unrolled enough already
  CHECK_FALSE(contains(text_of(135), "for (; k0 + 16"));  // 2 * 64 + 7
  CHECK_FALSE(contains(text_of(144), "if (k0 < 144)"));   // 2 * 64 + 16
}

TEST_CASE("nest: short loops that are non-temporal only for large sizes are written twice") {
  Sizes any({1}, true), again({1}, true), known({16 << 20}, false);
  const std::string text = cpp_text(binary("a", any, Op::add, f32));
  CHECK(in_order(text, "if (past2) {", "stream_f32x16(past2, out2 + i0"));
  CHECK(in_order(text, "stream_f32x16(past2, out2 + i0", "else {"));
  CHECK(in_order(text, "else {", " store_f32x16(out2 + i0"));
  CHECK(in_order(text, " store_f32x16(out2 + i0", "if (past2) stream_end();"));
  CHECK_FALSE(contains(cpp_text(unary_chain("b", again, Op::exp, Op::exp, f32)), "else {"));
  CHECK_FALSE(contains(cpp_text(binary("c", known, Op::add, f32)), "else {"));
}
