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
  const std::string all = text_of({2, 64, 64, 56, 5, 1, 2});
  CHECK(in_order(all, "k_strip(buffers, sizes, strip", "k_tile6(to"));
  CHECK(in_order(all, "k_tile6(to", "k_tile5(to"));
  CHECK(in_order(all, "for (long x = 0; x < 36; x += 6)", "for (long x = 36; x < 56; x += 5)"));
  CHECK(in_order(all, "k_tile5(to", "transpose_f32(results"));
  CHECK(in_order(all, "transpose_f32(results", "k_finish(buffers"));
}

TEST_CASE("window_text: the strips of all images are one loop") {
  const std::string several = text_of({2, 64, 64, 56, 5, 1, 2});
  CHECK(contains(several, "const long b0 = b / 8"));  // 7 lines of 56 at a time
  CHECK(contains(several, "first = b % 8 * 7, last = least(first + 7, 56)"));
  const std::string one = text_of({2, 64, 64, 14, 5, 1, 2});
  CHECK(contains(one, "const long first = 0, last = 14;"));
  CHECK(contains(one, "k_strip(buffers, sizes, strip, b0, 0, 64, first * 1, (last - 1) * 1 + 5);"));
}

TEST_CASE("window_text: tiles prefetch the packed weights of the next block") {
  const std::string all = text_of({1, 64, 64, 14, 5, 1, 2}, 1, true);
  CHECK(in_order(all, "if (is_packed) prefetch_part(panel + steps * ", "k_tile"));
  CHECK_FALSE(contains(text_of({1, 64, 64, 14, 5, 1, 2}), "prefetch_part"));
}

TEST_CASE("window_text: sums over some planes at a time are kept for all columns") {
  const std::string all = text_of({1, 512, 512, 14, 3, 2, 1});
  CHECK(in_order(all, "k_strip(buffers, sizes, strip, part_k, end", "sums + (c - part.column)"));
  CHECK(in_order(all, "panel, steps, k > 0)", "transpose_f32(results, 49, sums + (c - part."));
}

TEST_CASE("window_text: input tiles are transformed, multiplied, and transformed to points") {
  const std::string all = text_of({2, 64, 64, 56, 3, 1, 1});
  const std::string body = all.substr(all.find("extern"));
  CHECK(in_order(body, "winograd_weights_f32x8(panels", "k_strip(buffers, sizes, strip"));
  CHECK(in_order(body, "k_strip(buffers, sizes, strip", "winograd_input_f32x8(tiles"));
  CHECK(in_order(body, "winograd_input_f32x8(tiles", "k_tile"));
  CHECK(in_order(body, "k_tile", "winograd_output_f32x8(sums"));
  CHECK(in_order(body, "winograd_output_f32x8(sums", "transpose_f32(results"));
  CHECK(in_order(body, "transpose_f32(results", "k_finish(buffers"));
}

TEST_CASE("window_text: each of several small images in a strip is transformed") {
  const std::string all = text_of({5, 512, 512, 7, 3, 1, 1});
  const std::string body = all.substr(all.find("extern"));
  CHECK(contains(body, "const Part part({(3) * 1}"));
  CHECK(contains(body, "const long images = least(5 - b * 2, 2);"));
  CHECK(contains(body, "winograd_input_f32x8(tiles + image * 16 + plane * 32"));
  CHECK(count(body, "const long b0 = (b * 2 + image);") == 2);
}

TEST_CASE("window_text: transformed panels are not shared with products of windows") {
  Convolution one({1, 64, 64, 28, 3, 1, 1});
  one.kernel.arguments[0].call_invariant = true;
  const auto packed = [&](const codegen::WindowProduct& windows) {
    return codegen::WindowProductText(one.kernel, windows, for_avx2()).packed_input();
  };
  codegen::WindowProduct plain = *one.windows;
  plain.winograd = {};
  CHECK(packed(plain).input == packed(*one.windows).input);
  CHECK(packed(plain).key != packed(*one.windows).key);
  CHECK(packed(plain).bytes < packed(*one.windows).bytes);
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
