#include <doctest/doctest.h>
#include <sinter/codegen/cpp/window/window_text.hpp>
#include <sinter/codegen/cpp/window/winograd_text.hpp>

#include "cpp/window/convolutions.hpp"

using namespace kernels;

namespace {

codegen::WinogradText text_of(const Kernel& kernel, const codegen::WinogradProduct& squares) {
  return {kernel, squares, for_avx2()};
}

std::string function_of(const Image& image, bool invariant = false) {
  Kernel kernel = convolution(image);
  kernel.arguments[0].call_invariant = invariant;
  const codegen::ProductForm form = *codegen::product_form(kernel, false);
  return text_of(kernel, *codegen::winograd_product(kernel, form, for_avx2())).function("k");
}

}  // namespace

TEST_CASE("winograd_text: squares are transformed, multiplied, and transformed to points") {
  const std::string all = function_of({2, 64, 64, 56, 3, 1, 1});
  const std::string body = all.substr(all.find("extern"));
  CHECK(in_order(body, "transform_weights_f32x8(panels", "k_strip(buffers, sizes, strip"));
  CHECK(in_order(body, "k_strip(buffers, sizes, strip", "transform_squares_f32x8(squares"));
  CHECK(in_order(body, "transform_squares_f32x8(squares", "k_tile"));
  CHECK(in_order(body, "k_tile", "points_of_squares_f32x8(sums"));
  CHECK(in_order(body, "points_of_squares_f32x8(sums", "transpose_f32(results"));
  CHECK(in_order(body, "transpose_f32(results", "k_finish(buffers"));
}

TEST_CASE("winograd_text: weights that stay the same are transformed in the first call") {
  const std::string all = function_of({1, 64, 64, 28, 3, 1, 1}, true);
  CHECK(contains(all, "if (!is_packed && packed != 0)"));
  CHECK(contains(all, "if (packs_all) kept[1] = 1;"));
}

TEST_CASE("winograd_text: transformed panels are not shared with products of windows") {
  Kernel kernel = convolution({1, 64, 64, 28, 3, 1, 1});
  kernel.arguments[0].call_invariant = true;
  const codegen::ProductForm form = *codegen::product_form(kernel, false);
  const auto squares = codegen::winograd_product(kernel, form, for_avx2());
  REQUIRE(squares.has_value());
  const schedule::PackedInput transformed = text_of(kernel, *squares).packed_input();
  const auto windows = codegen::window_product(kernel, form, for_avx2());
  const codegen::WindowProductText other(kernel, *windows, for_avx2());
  CHECK(transformed.input == other.packed_input().input);
  CHECK(transformed.key != other.packed_input().key);
  CHECK(transformed.bytes > other.packed_input().bytes);
}
