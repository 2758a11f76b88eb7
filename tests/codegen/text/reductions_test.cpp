#include <doctest/doctest.h>
#include <sinter/codegen/text/reductions.hpp>

#include "texts.hpp"

using namespace kernels;

namespace {

std::string row_sum(std::int64_t columns, const codegen::CppOptions& options) {
  Sizes sizes({8, columns}, false);
  return cpp_text(reduction("r", sizes, Op::sum, f32, VectorAxis::stage), options);
}

}  // namespace

TEST_CASE("reductions: sums keep several accumulators, which are added in a fixed order") {
  const std::string text = row_sum(1024, {});
  CHECK(contains(text, "a1_3 = a1_3 + v0_3;"));
  CHECK(contains(text, "sum_lanes_f32x16((a1_0 + a1_1) + (a1_2 + a1_3))"));
}

TEST_CASE("reductions: there are no more accumulators than vectors in a row") {
  CHECK(contains(row_sum(40, {}), "sum_lanes_f32x16(a1_0 + a1_1)"));
  CHECK(contains(row_sum(10, {}), "sum_lanes_f32x16(a1)"));
}

TEST_CASE("reductions: strict sums keep the order of the elements") {
  CHECK(contains(row_sum(1024, {.strict = true}), "a1 = sum_in_order_f32x16(a1, v0, 16);"));
}

TEST_CASE("reductions: strict maxima are exact in any order, and stay vectors") {
  Sizes sizes({8, 1024}, false);
  const std::string text =
      cpp_text(reduction("r", sizes, Op::max, f32, VectorAxis::stage), {.strict = true});
  CHECK(contains(text, "max_lanes_f32x16("));
}

TEST_CASE("reductions: lanes after the end of a row have the identity") {
  Sizes sizes({8, 20}, false);
  const std::string text = cpp_text(reduction("r", sizes, Op::max, f32, VectorAxis::stage));
  CHECK(contains(text, "keep_f32x16(lanes, v0, splat_f32x16((-__builtin_inff())))"));
}

TEST_CASE("reductions: what is loaded is 0 after the end of a row, as the identity of a sum is") {
  CHECK(in_order(row_sum(20, {}), "v0 = load_part_f32x16(lanes, ", " + v0;"));
  CHECK_FALSE(contains(row_sum(20, {}), "keep_"));
}

TEST_CASE("reductions: each column is reduced in its own lane") {
  Sizes sizes({64, 16}, false);
  const std::string text = cpp_text(reduction("r", sizes, Op::sum, f32, VectorAxis::grid));
  CHECK_FALSE(contains(text, "sum_lanes"));
  CHECK(contains(text, "store_f32x16(out1"));
}

TEST_CASE("reductions: stores come after all loads and reductions") {
  Sizes sizes({8, 1024}, false);
  const std::string text = cpp_text(softmax("s", sizes, f32));
  CHECK(in_order(text, "a6_1 = a6_1 + v4_1;", "store_f32x16(row2 + k1, v4_0);"));
}
