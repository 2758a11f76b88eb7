#include "../trace/testing.hpp"

#include <sinter/data/image.hpp>
#include <sinter/data/jpeg.hpp>

#include "images.hpp"

using namespace testing;
using data::ImageMode;
using data::read_image;
using images::File, images::bytes_of, images::has_jpeg;

TEST_CASE("jpeg: colours, and grey that is progressive") {
  if (!has_jpeg()) return;
  const File file("jpeg.rgb", bytes_of(images::jpeg_rgb));
  const File grey_file("jpeg.grey", bytes_of(images::jpeg_grey));
  const Tensor image = read_image(file.path), grey = read_image(grey_file.path);
  REQUIRE(to_string(image) == "u8[3, 8, 16]");
  REQUIRE(to_string(grey) == "u8[1, 8, 16]");
  const Numbers pixels = numbers(image), lumas = numbers(grey);
  double worst = 0, worst_grey = 0;
  for (std::size_t y = 0; y < 8; ++y) {
    for (std::size_t x = 0; x < 16; ++x) {
      const std::size_t i = y * 16 + x;
      const double column = static_cast<double>(x), row = static_cast<double>(y);
      const double red = column * 16, green = row * 32, blue = 255 - column * 8 - row * 8;
      worst = std::max({worst, std::fabs(pixels[i] - red), std::fabs(pixels[i + 128] - green),
                        std::fabs(pixels[i + 256] - blue)});
      const double luma = 0.299 * red + 0.587 * green + 0.114 * blue;
      worst_grey = std::max(worst_grey, std::fabs(lumas[i] - luma));
    }
  }
  CHECK(worst <= 8);  // 6 in Pillow
  CHECK(worst_grey <= 3);
  const Tensor rgb = read_image(grey_file.path, ImageMode::rgb);
  CHECK(to_string(rgb) == "u8[3, 8, 16]");
  CHECK(numbers(rgb[1]) == lumas);
}

TEST_CASE("jpeg: a file that is cut is an error, never a crash") {
  if (!has_jpeg()) return;
  for (const std::string& digits : {images::jpeg_rgb, images::jpeg_grey}) {
    const std::string whole = bytes_of(digits);
    for (std::size_t size = 3; size + 2 < whole.size(); size += 7) {
      const File file("jpeg.cut", whole.substr(0, size));
      CHECK_THROWS_AS(read_image(file.path), IoError);
    }
  }
}

TEST_CASE("jpeg: a file that is changed anywhere is read or refused") {
  if (!has_jpeg()) return;
  const std::string whole = bytes_of(images::jpeg_rgb);
  int refused = 0;
  for (std::size_t at = 3; at < whole.size(); ++at) {
    std::string changed = whole;
    changed[at] = static_cast<char>(changed[at] ^ 0x11);
    const File file("jpeg.changed", changed);
    try {
      read_image(file.path);
    } catch (const IoError&) {
      ++refused;
    }
  }
  CHECK(refused > 20);
}

TEST_CASE("jpeg: errors name the file and the reason") {
  if (!has_jpeg()) return;
  const File cut("jpeg.short", bytes_of(images::jpeg_rgb).substr(0, 330));
  const File cmyk("jpeg.cmyk", bytes_of(images::jpeg_cmyk));
  MISTAKE(IoError, read_image(cut.path), "the JPEG file is damaged", "remature end", cut.path);
  MISTAKE(IoError, read_image(cmyk.path), "CMYK", cmyk.path);
}
