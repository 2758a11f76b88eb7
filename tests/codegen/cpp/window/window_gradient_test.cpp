#include <doctest/doctest.h>

#include "cpp/window/convolutions.hpp"

using namespace kernels;

TEST_CASE("window_gradient: the rows are positions in windows, the depth is points of images") {
  const Gradient one({16, 64, 64, 56, 3, 1, 1});
  REQUIRE(one.windows.has_value());
  const codegen::WindowGradient& windows = *one.windows;
  CHECK(windows.all_channels() == 64);
  CHECK(windows.positions() == 9);
  CHECK(windows.points() == 56);
  CHECK(windows.stride(windows.line) == 1);
  CHECK(windows.stride(windows.across) == 1);
  CHECK(windows.stride(windows.lines[0]) == 58);
  CHECK_FALSE(codegen::window_product(one.kernel, one.form, for_avx2()).has_value());
}

TEST_CASE("window_gradient: windows of two channels, or parts of a wide one, fill a tile") {
  const codegen::WindowGradient narrow = *Gradient({16, 64, 64, 56, 3, 1, 1}).windows;
  CHECK(narrow.group == 2);
  CHECK(narrow.parts == Vector<std::int64_t>{3});
  const codegen::WindowGradient wide = *Gradient({16, 3, 64, 224, 11, 4, 2}).windows;
  CHECK(wide.group == 1);
  CHECK(wide.parts == Vector<std::int64_t>{6, 5});
  CHECK(wide.tile.vectors == 2);
}

TEST_CASE("window_gradient: a block has lines of a large image, or several small images") {
  const codegen::WindowGradient large = *Gradient({16, 64, 64, 56, 3, 1, 1}).windows;
  CHECK(large.block_images == 1);
  CHECK(large.block_lines == 5);
  const codegen::WindowGradient small = *Gradient({16, 512, 512, 7, 3, 1, 1}).windows;
  CHECK(small.block_images == 6);
  CHECK(small.block_lines == 7);
  CHECK(small.strip_elements() * 4 <= for_avx2().target.caches.l2 / 2);
  CHECK(Gradient({16, 64, 64, 56, 3, 1, 1}, true).windows.has_value());
}

TEST_CASE("window_gradient: gradients for few channels, and strict ones, are other products") {
  CHECK_FALSE(Gradient({16, 64, 4, 56, 3, 1, 1}).windows.has_value());
  CHECK_FALSE(Gradient({16, 64, 64, 56, 1, 1, 0}).windows.has_value());
  codegen::CppOptions strict = for_avx2();
  strict.strict = true;
  const Gradient one({16, 64, 64, 56, 3, 1, 1});
  CHECK_FALSE(codegen::window_gradient(one.kernel, one.form, strict).has_value());
}
