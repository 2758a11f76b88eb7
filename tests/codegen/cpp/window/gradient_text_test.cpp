#include <doctest/doctest.h>
#include <sinter/codegen/cpp/window/gradient_text.hpp>

#include "cpp/window/convolutions.hpp"

using namespace kernels;

namespace {

std::string text_of(const Image& image, bool is_marked = false) {
  const Gradient one(image, is_marked);
  return codegen::WindowGradientText(one.kernel, *one.windows, for_avx2()).function("k");
}

}  // namespace

TEST_CASE("gradient_text: gradients are packed, images staged, sums accumulated, then finished") {
  const std::string all = text_of({16, 64, 64, 56, 3, 1, 1});
  CHECK(in_order(all, "k_lines(buffers, sizes, gradients", "pack_f32(panels"));
  CHECK(in_order(all, "pack_f32(panels", "k_strip(buffers, sizes, strip"));
  CHECK(in_order(all, "k_strip(buffers, sizes, strip", "k_tile2x3(of"));
  CHECK(in_order(all, "k_tile2x3(of", "more = true;"));
  CHECK(in_order(all, "more = true;", "transpose_f32(results"));
}

TEST_CASE("gradient_text: a last channel, and the parts of a wide window, have their own tiles") {
  const std::string odd = text_of({16, 5, 64, 56, 3, 1, 1});
  CHECK(contains(odd, "if (to - group >= 2)"));
  CHECK(contains(odd, "k_tile1x3(of"));
  const std::string wide = text_of({16, 3, 64, 224, 11, 4, 2});
  CHECK(in_order(wide, "k_tile1x6(of", "k_tile1x5(of"));
}

TEST_CASE("gradient_text: the sums over no images are zeros") {
  CHECK(contains(text_of({16, 64, 64, 56, 3, 1, 1}, true), "if (!more)"));
  CHECK_FALSE(contains(text_of({16, 64, 64, 56, 3, 1, 1}), "if (!more)"));
}
