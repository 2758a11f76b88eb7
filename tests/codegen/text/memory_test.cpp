#include <doctest/doctest.h>
#include <sinter/codegen/text/memory.hpp>

#include "texts.hpp"

using namespace kernels;

TEST_CASE("memory: contiguous elements are one vector, others are gathered lane by lane") {
  Sizes sizes({64}, false), planes({64, 64}, false);
  CHECK(contains(cpp_text(binary("a", sizes, Op::add, f32)), "load_f32x16(in0 + i0)"));
  Kernel across = transposed("t", planes);
  across.serial = true;  // otherwise it goes through tiles
  const std::string text = cpp_text(across);
  CHECK(contains(text, "for (long lane = 0; lane < 16; ++lane) v0[lane] = "));
  CHECK(contains(text, "store_f32x16("));
}

TEST_CASE("memory: a tail loads and stores only the remaining lanes") {
  Sizes sizes({67}, false), even({64}, false);
  const std::string text = cpp_text(binary("a", sizes, Op::add, f32));
  CHECK(contains(text, "load_part_f32x16(lanes, in0 + i0)"));
  CHECK(contains(text, "store_part_f32x16(lanes, "));
  CHECK_FALSE(contains(cpp_text(binary("a", even, Op::add, f32)), "_part_"));
}

TEST_CASE("memory: guards become ranges of lanes, and excluded elements are not read") {
  Sizes sizes({40, 100}, false);
  const std::string text = cpp_text(padded("p", sizes));
  CHECK(in_order(text, "load_within_f32x16(", "splat_f32x16((-0x1.8p+0f))"));
  CHECK(contains(text, "else if (!("));  // the guards themselves, as booleans
}

TEST_CASE("memory: concatenated rows are loaded as vectors if a vector lies in one of them") {
  Sizes sizes({33}, false);
  const std::string text = cpp_text(merged_heads("p", sizes, f32));
  CHECK(in_order(text, "v0 = load_f32x16(in0 + ", "splat_f32x16((-0x1.8p+0f))"));
  CHECK(in_order(text, "if ((i1 % 16) == 0) v3 = load_f32x16(in0 + ", "else for (long lane"));
  CHECK(in_order(text, "v1 = splat_f32x16(0x1p-1f)", "else for (long lane"));
}

TEST_CASE("memory: every second element is read as two vectors, every third lane by lane") {
  Sizes one({40, 100}, false), two({40, 100}, false), three({40, 100}, false);
  CHECK(count(cpp_text(windows("w", one, 1, f32)), "load_within_f32x16(") == 2);
  const std::string text = cpp_text(windows("w", two, 2, f32));
  CHECK(in_order(text, "load_evens_f32x16(lanes_before(", ", 2), 1 <= i0 ? least("));
  CHECK_FALSE(contains(text, "lane < "));
  CHECK(contains(cpp_text(windows("w", three, 3, f32)), "lane < "));
}

TEST_CASE("memory: converting loads have ranges of lanes if the fallback is 0, else tests") {
  Sizes sizes({40, 100}, false);
  const std::string text = cpp_text(windows("w", sizes, 1, bf16));
  CHECK(contains(text, "f32_of_bf16x16(load_within_u16x16("));
  CHECK(contains(text, "else for (long lane"));
}

TEST_CASE("memory: a gathered index is used only if the axis is not empty") {
  Sizes known({4, 64, 8}, false), any({4, 64, 8}, true);
  CHECK_FALSE(contains(cpp_text(gather_rows("g", known)), " ? "));
  CHECK(contains(cpp_text(gather_rows("g", any)), "0 < n0 ? "));
}

TEST_CASE("memory: 16-bit numbers and booleans are converted by loads and stores") {
  Sizes halves({64}, false), truths({64}, false);
  const std::string text = cpp_text(binary("a", halves, Op::add, bf16));
  CHECK(contains(text, "f32_of_bf16x16(load_u16x16(in0 + i0))"));
  CHECK(contains(text, "store_u16x16(out2 + i0, bf16_of_f32x16(v2))"));
  CHECK(contains(cpp_text(binary("a", truths, Op::add, boolean)),
                 "truth_i32x16(load_u8x16(in0 + i0))"));
}

TEST_CASE("memory: outputs that are larger than the caches have non-temporal stores") {
  Sizes small({1 << 20}, false), large({1 << 24}, false), any({0}, true);
  CHECK_FALSE(contains(cpp_text(binary("a", small, Op::add, f32)), "stream"));
  const std::string text = cpp_text(binary("a", large, Op::add, f32));
  CHECK(in_order(text, "stream_f32x16(past2, out2 + i0, v2);", "stream_end();"));
  CHECK(contains(cpp_text(binary("a", any, Op::add, f32)), "const bool past2 = n0 >= 8388608;"));
}

TEST_CASE(
    "memory: while expensive operations of a long row are computed, the next row is prefetched") {
  Sizes large({64, 32000}, false), small({64, 1024}, false), any({64, 32000}, true);
  const std::string text = cpp_text(softmax("a", large, f32));
  CHECK(count(text, "// the next row") > 0);
  CHECK(in_order(text, "prefetch(", "= exp_f32x16("));
  CHECK_FALSE(contains(cpp_text(softmax("a", small, f32)), "prefetch"));
  CHECK(contains(cpp_text(softmax("a", any, f32)), "prefetch("));
  Sizes huge({64, 200000}, false);  // two rows do not fit in the L2 cache
  CHECK_FALSE(contains(cpp_text(softmax("a", huge, f32)), "prefetch"));
}
