#include <doctest/doctest.h>
#include <sinter/codegen/cpp/window/window_text.hpp>

#include "cpp/window/convolutions.hpp"

using namespace kernels;

namespace {

std::string text_of(const Image& image, std::int64_t groups = 1, bool invariant = false) {
  Convolution one(image, groups);
  one.kernel.arguments[0].call_invariant = invariant;
  return codegen::WindowProductText(one.kernel, *one.windows, for_avx2()).function("k");
}

}  // namespace

TEST_CASE("window_text: a strip is staged, multiplied by blocks of weights, and finished") {
  const std::string all = text_of({2, 64, 64, 56, 3, 1, 1});
  CHECK(in_order(all, "k_strip(buffers, sizes, strip", "k_tile6(to"));
  CHECK(in_order(all, "k_tile6(to", "k_tile5(to"));
  CHECK(in_order(all, "k_tile5(to", "transpose_f32(results"));
  CHECK(in_order(all, "transpose_f32(results", "k_finish(buffers"));
}

TEST_CASE("window_text: weights are packed once, or again for each group") {
  CHECK(contains(text_of({2, 64, 64, 56, 3, 1, 1}), "if (packed != 0)"));
  CHECK(contains(text_of({2, 16, 16, 14, 3, 1, 1}, 8), "if (packed != b / "));
}

TEST_CASE("window_text: weights that stay the same are packed in the first call") {
  const std::string all = text_of({1, 64, 64, 14, 3, 1, 1}, 1, true);
  CHECK(contains(all, "if (!is_packed && packed != 0)"));
  CHECK(contains(all, "if (packs_all) kept[1] = 1;"));
}
