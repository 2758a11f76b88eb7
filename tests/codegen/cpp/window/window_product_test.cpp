#include <doctest/doctest.h>

#include "cpp/window/convolutions.hpp"

using namespace kernels;

TEST_CASE("window_product: a convolution reads a strip of the padded image") {
  const Convolution one({1, 64, 64, 56, 5, 1, 2});
  REQUIRE(one.windows.has_value());
  const codegen::WindowProduct& windows = *one.windows;
  CHECK(windows.axes.size() == 2);
  CHECK(windows.along().count == 60);
  CHECK(windows.planes.size() == 1);
  CHECK(windows.image_lines(4) == 8);
  CHECK(same(windows.stride(one.form.depth[1]), 60));
  CHECK(same(windows.stride(one.form.depth[2]), 1));
  CHECK(same(windows.stride(one.form.depth[0]), windows.plane_pitch));
  CHECK(windows.plane_pitch.number() / 16 % 2 == 1);  // neighbouring planes in other cache sets
}

TEST_CASE("window_product: strips divide the image evenly, and fit in half of the L2 cache") {
  const codegen::WindowProduct windows = *Convolution({1, 64, 64, 56, 5, 1, 2}).windows;
  const std::int64_t l2 = for_avx2().target.caches.l2;
  CHECK(windows.strip_lines == 7);
  CHECK(windows.strip_elements().number() * 4 <= l2 / 2);
  CHECK(2 * 7 * 56 * windows.tile.columns() * 4 <= l2 / 8);  // sums, and sums by channels
  CHECK(Convolution({1, 512, 512, 7, 3, 1, 1}).windows->strip_lines == 7);
}

TEST_CASE("window_product: two threads have as many strips of one image") {
  const codegen::WindowProduct stem = *Convolution({1, 3, 64, 224, 7, 2, 3}).windows;
  const std::int64_t strips = (112 + stem.strip_lines - 1) / stem.strip_lines;
  CHECK(strips > 1);
  CHECK(strips % 2 == 0);
}

TEST_CASE("window_product: tiles divide a line evenly, with as many sums as there are registers") {
  const codegen::WindowProduct wide = *Convolution({1, 64, 64, 56, 5, 1, 2}).windows;
  CHECK(wide.tile.rows == 6);
  CHECK(wide.tile.vectors == 2);
  const codegen::WindowProduct narrow = *Convolution({1, 512, 512, 7, 3, 1, 1}).windows;
  CHECK(narrow.tile.rows == 4);  // and a tile of three
  CHECK(narrow.tile.vectors == 3);
}

TEST_CASE("window_product: deep images are read some planes at a time") {
  const codegen::WindowProduct shallow = *Convolution({1, 256, 256, 14, 3, 2, 1}).windows;
  CHECK_FALSE(shallow.divides_planes());
  const codegen::WindowProduct deep = *Convolution({1, 512, 512, 14, 3, 2, 1}).windows;
  CHECK(deep.strip_lines == 7);
  CHECK(deep.divides_planes());
  CHECK(deep.strip_elements().number() * 4 <= for_avx2().target.caches.l2 / 2);
  CHECK(deep.strip_steps * deep.plane_pitch.number() == deep.strip_elements().number());
}

TEST_CASE("window_product: few points are read from strips if their weights are packed once") {
  const auto windows = [](const Image& image, bool invariant) {
    Convolution one(image);
    one.kernel.arguments[0].call_invariant = invariant;
    return codegen::window_product(one.kernel, one.form, for_avx2());
  };
  CHECK(windows({1, 512, 2048, 7, 1, 1, 0}, true).has_value());
  CHECK_FALSE(windows({1, 512, 2048, 7, 1, 1, 0}, false).has_value());
  CHECK_FALSE(windows({8, 512, 2048, 7, 1, 1, 0}, true).has_value());
  CHECK_FALSE(windows({1, 512, 256, 14, 1, 1, 0}, true).has_value());
  const auto strided = windows({1, 1024, 2048, 14, 1, 2, 0}, true);
  REQUIRE(strided.has_value());
  CHECK(strided->along().count == 7);  // what lies between the points is not staged
}

TEST_CASE("window_product: strides move the strip, and groups are a batch") {
  const codegen::WindowProduct strided = *Convolution({2, 3, 64, 224, 7, 2, 3}).windows;
  CHECK(strided.line_step() == 2);
  CHECK(strided.point_step() == 2);
  CHECK(strided.outer.size() == 1);  // the images
  const codegen::WindowProduct grouped = *Convolution({2, 16, 16, 14, 3, 1, 1}, 8).windows;
  CHECK(grouped.form.batch.size() == 1);
}

TEST_CASE("window_product: windows without padding are found in the index") {
  const Convolution one({1, 16, 32, 20, 5, 1, 0});
  REQUIRE(one.windows.has_value());
  CHECK(one.windows->along().count == 20);
  CHECK(one.windows->image_lines(1) == 5);
}

TEST_CASE("window_product: points, few channels and strict sums are other products") {
  CHECK_FALSE(Convolution({1, 64, 64, 28, 1, 1, 0}).windows.has_value());
  CHECK_FALSE(Convolution({1, 64, 64, 28, 1, 2, 0}).windows.has_value());
  CHECK_FALSE(Convolution({1, 64, 4, 28, 3, 1, 1}).windows.has_value());
  codegen::CppOptions strict = for_avx2();
  strict.strict = true;
  const Convolution one({1, 64, 64, 28, 3, 1, 1});
  CHECK_FALSE(codegen::window_product(one.kernel, one.form, strict).has_value());
}

TEST_CASE("window_product: columns of a panel are transposed by fours, whatever the vectors") {
  const Kernel kernel = convolution({1, 8, 18, 13, 3, 1, 1}, 1, f64);
  codegen::CppOptions options;
  options.target.vectors = {.bits = 128};
  const codegen::ProductForm form = *codegen::product_form(kernel, false);
  const auto windows = codegen::window_product(kernel, form, options);
  REQUIRE(windows.has_value());
  CHECK(windows->tile.columns() % 4 == 0);
}

TEST_CASE("window_product: maps of few points, whose weights are read rarely, are packed") {
  CHECK_FALSE(Convolution({8, 256, 256, 2, 3, 1, 1}).windows.has_value());
}
