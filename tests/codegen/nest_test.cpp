#include <doctest/doctest.h>
#include <sinter/codegen/nest.hpp>

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

TEST_CASE("nest: a tile has a remainder on each of its sides") {
  Sizes sizes({9, 70, 8}, false), even({8, 64, 8}, false);
  const std::string text = cpp_text(product("p", sizes, false, f32, 4, 2));
  CHECK(contains(text, "i0 + 4 <= last"));
  CHECK(contains(text, "for (; i0 < last; ++i0)"));
  CHECK(contains(text, "i1 + 32 <= 70"));
  CHECK(contains(text, "for (; i1 < 70; i1 += 16)"));
  CHECK_FALSE(contains(cpp_text(product("p", even, false, f32, 4, 2)), "<= last"));
}

TEST_CASE("nest: an operand that lies along the summed axis is packed, a panel for many rows") {
  Sizes many({64, 64, 32}, false), few({4, 64, 32}, false);
  const std::string text = cpp_text(product("p", many, true, f32, 4, 4));
  CHECK(in_order(text, "alignas(64) float panel1[1024];", "pack_f32(panel1, 32, in1 + (32*i0)"));
  CHECK(in_order(text, "pack_f32(", "load_f32x16(panel1 + (32*k0 + 16))"));
  CHECK_FALSE(contains(text, "sum_lanes"));
  CHECK(contains(cpp_text(product("p", few, true, f32, 4, 4)), "sum_lanes"));
}

TEST_CASE("nest: registers are named, never arrays") {
  Sizes sizes({64, 64, 64}, false);
  const std::string text = cpp_text(product("p", sizes, false, f32, 4, 2));
  CHECK_FALSE(contains(text, "f32x16 a3["));
  CHECK(contains(text, "f32x16 a3_3_1 = "));
}

TEST_CASE("nest: rows of unknown length leave the stack where they are long") {
  Sizes known({8, 64}, false), any({8, 64}, true);
  CHECK(contains(cpp_text(softmax("s", known, f32)), "alignas(64) float row2[64];"));
  CHECK(contains(cpp_text(softmax("s", any, f32)),
                 "const Scratch memory_row2(n1 * (long)sizeof(float));"));
}

TEST_CASE("nest: a grid without points reads nothing, not even what does not depend on them") {
  Sizes none({0, 64}, false), no_columns({8, 0}, false);
  for (Sizes* sizes : {&none, &no_columns}) {
    const std::string text = cpp_text(bias_relu("b", *sizes, f32));
    CHECK_FALSE(contains(text, "buffers["));
  }
}
