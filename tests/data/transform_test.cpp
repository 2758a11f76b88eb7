#include "../trace/testing.hpp"

#include <sinter/data/transform.hpp>
#include <sinter/sinter.hpp>

using namespace testing;

namespace {

// [channels, height, width] of numbers from 0 to 255.
Tensor image(std::int64_t channels, std::int64_t height, std::int64_t width) {
  const Tensor numbers = arange(channels * height * width) * 97 % 256;
  return reshape(numbers.to(u8), {channels, height, width});
}

// The rows of a resized image as Pillow computes them, in double and without its rounding.
Numbers resized_rows(const Numbers& from, std::size_t rows, std::size_t width, std::size_t out,
                     bool antialias) {
  Numbers result;
  const double scale = static_cast<double>(width) / static_cast<double>(out);
  const double support = antialias ? std::max(scale, 1.0) : 1.0;
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t x = 0; x < out; ++x) {
      const double center = scale * (static_cast<double>(x) + 0.5);
      double sum = 0, weights = 0;
      for (std::size_t i = 0; i < width; ++i) {
        const double distance = std::fabs(static_cast<double>(i) + 0.5 - center) / support;
        const double weight = std::max(0.0, 1 - distance);
        sum += weight * from[row * width + i];
        weights += weight;
      }
      result.push_back(sum / weights);
    }
  }
  return result;
}

Numbers transposed(const Numbers& from, std::size_t rows, std::size_t columns) {
  Numbers result;
  for (std::size_t x = 0; x < columns; ++x) {
    for (std::size_t y = 0; y < rows; ++y) result.push_back(from[y * columns + x]);
  }
  return result;
}

struct Grid {
  std::size_t height, width;
};
Numbers resized(const Numbers& from, Grid old, Grid size, bool antialias) {
  const Numbers wide = resized_rows(from, old.height, old.width, size.width, antialias);
  const Numbers turned = transposed(wide, old.height, size.width);
  const Numbers high = resized_rows(turned, size.width, old.height, size.height, antialias);
  return transposed(high, size.width, size.height);
}

}  // namespace

TEST_CASE("resize: what Pillow 13 and torch 2.15 compute") {
  const Tensor one = image(1, 5, 7);
  // Image.fromarray(x).resize((4, 3), Image.BILINEAR), which rounds twice
  const Numbers pillow{70, 123, 117, 160, 125, 93, 133, 131, 186, 138, 103, 156};
  const Numbers found = numbers(data::resize(one, {3, 4}));
  REQUIRE(found.size() == pillow.size());
  for (std::size_t i = 0; i < found.size(); ++i) CHECK(std::fabs(found[i] - pillow[i]) <= 1);
  // interpolate(x, size=(3, 4), mode="bilinear", antialias=True), and antialias=False
  CHECK(near(data::resize(one.to(f32), {3, 4}),
             {70.1361, 122.6571, 116.8171, 160.4218, 124.746, 93.1644, 132.8356, 131.0529, 185.7415,
              138.44, 103.3429, 155.8639},
             1e-5));
  CHECK(near(data::resize(one.to(f32), {3, 4}, {.antialias = false}),
             {60.0417, 155.125, 100.875, 153.2917, 114.375, 28.125, 197.875, 111.625, 190.0417,
              125.125, 70.875, 165.9583},
             1e-5));
}

TEST_CASE("resize: smaller and larger, several images, in any dtype") {
  const Tensor x = image(1, 9, 12).to(f32);
  for (const Grid size : {Grid{4, 5}, {9, 6}, {20, 13}, {1, 1}, {3, 40}}) {
    for (const bool antialias : {true, false}) {
      const Tensor found = data::resize(x, {size.height, size.width}, {.antialias = antialias});
      CHECK(near(found, resized(numbers(x), {9, 12}, size, antialias), 1e-4));
    }
  }
  const Tensor several = stack({x, x + 1});
  CHECK(to_string(data::resize(several, {4, 5})) == "f32[2, 1, 4, 5]");
  CHECK(to_string(data::resize(image(3, 6, 6), {3, 3})) == "u8[3, 3, 3]");
  CHECK(data::resize(x.to(f64), {4, 5}).dtype() == f64);
  CHECK(data::resize(x.to(bf16), {4, 5}).dtype() == bf16);
  CHECK(numbers(data::resize(image(3, 4, 5), {4, 5})) == numbers(image(3, 4, 5)));
}

TEST_CASE("resize: a compiled function serves images of all sizes") {
  const auto f = compile([](const Tensor& x) {
    return data::normalize(data::center_crop(data::resize(x, {8, 10}), {6, 6}), {0.5}, {0.25});
  });
  for (const std::int64_t height : {12, 17, 9, 30}) {
    Tensor x = image(3, height, height + 3);
    mark_dynamic(x, 1), mark_dynamic(x, 2);
    const Numbers plain = numbers(
        data::normalize(data::center_crop(data::resize(x, {8, 10}), {6, 6}), {0.5}, {0.25}));
    CHECK(near(f(x), plain, 0.016));  // rounding of halves: 1 / 255 / 0.25
  }
  CHECK(f.stats().recordings == 1);
}

TEST_CASE("resize: its gradient distributes over the pixels that were averaged") {
  const auto loss = [](const Tensor& x) { return sum(data::resize(x, {2, 2})); };
  // Of 4 pixels the outer two are 3 / 7 of one result each, the inner two of both 4 / 7.
  const double outer = 3.0 / 7, inner = 4.0 / 7;
  const Numbers row{outer * outer, outer * inner, outer * inner, outer * outer};
  const Tensor found = grad(loss)(ones({1, 4, 4}));
  CHECK(near(found[0][0], row, 1e-5));
  CHECK(near(found[0][2], {row[1], inner * inner, inner * inner, row[1]}, 1e-5));
}

TEST_CASE("crop, center_crop: where they are") {
  const Tensor x = reshape(arange(24), {1, 4, 6});
  CHECK(numbers(data::crop(x, 1, 2, {2, 3})) == Numbers{8, 9, 10, 14, 15, 16});
  CHECK(numbers(data::center_crop(x, {2, 2})) == Numbers{8, 9, 14, 15});
  // halves to the even number: (4 - 1) / 2 is 2, (6 - 1) / 2 is 2
  CHECK(numbers(data::center_crop(x, {1, 1})) == Numbers{14});
  CHECK(numbers(data::center_crop(x, {3, 5})) == numbers(data::crop(x, 0, 0, {3, 5})));
  CHECK(to_string(data::center_crop(ones({2, 3, 8, 8}), {4, 6})) == "f32[2, 3, 4, 6]");
}

TEST_CASE("horizontal_flip, vertical_flip") {
  const Tensor x = reshape(arange(6), {1, 2, 3});
  CHECK(numbers(data::horizontal_flip(x)) == Numbers{2, 1, 0, 5, 4, 3});
  CHECK(numbers(data::vertical_flip(x)) == Numbers{3, 4, 5, 0, 1, 2});
}

TEST_CASE("normalize: each channel with its numbers; u8 in [0, 1] before") {
  const Tensor x = full({2, 3, 1, 1}, 0.5f);
  CHECK(near(data::normalize(x, {0.5, 0.25, 0}, {1, 0.5, 2}), {0, 0.5, 0.25, 0, 0.5, 0.25}, 1e-6));
  CHECK(near(data::normalize(full({3, 1, 1}, 51, u8), {0.1}, {0.5}), {0.2, 0.2, 0.2}, 1e-6));
  CHECK(data::normalize(x.to(bf16), {0.5}, {1}).dtype() == bf16);
}

TEST_CASE("transforms: mistakes name the image, the rule and the way out") {
  const Tensor x = ones({3, 4, 6});
  MISTAKE(ShapeError, data::resize(ones({4}), {2, 2}), "data::resize: ", "f32[4]");
  MISTAKE(DTypeError, data::resize(ones({4, 4}, i64), {2, 2}), "i64[4, 4]", "to(f32)");
  MISTAKE(IndexError, data::crop(x, 2, 0, {3, 3}), "data::crop: ", "2 to 5", "f32[3, 4, 6]");
  MISTAKE(IndexError, data::center_crop(x, {2, 8}), "data::center_crop: ", "columns");
  MISTAKE(ShapeError, data::normalize(x, {1, 2}, {1}), "data::normalize: ", "f32[3, 4, 6]",
          "ImageMode::rgb");
  MISTAKE(ValueError, data::normalize(x, {0}, {0}), "std");
  MISTAKE(ShapeError, data::normalize(ones({4, 4}), {0}, {1}), "channels");
}
