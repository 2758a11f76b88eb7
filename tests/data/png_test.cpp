#include "../trace/testing.hpp"

#include <sinter/data/image.hpp>
#include <sinter/data/png.hpp>

#include "images.hpp"

using namespace testing;
using data::ImageMode;
using data::read_image;
using images::File, images::bytes_of, images::has_png;

TEST_CASE("png: palettes are expanded, with the alpha of transparent colours") {
  if (!has_png()) return;
  const File file("png.palette", bytes_of(images::png_palette));
  const Tensor image = read_image(file.path);
  CHECK(to_string(image) == "u8[4, 2, 4]");
  CHECK(numbers(image[0]) == Numbers{25, 25, 152, 152, 25, 25, 152, 152});
  CHECK(numbers(image[3]) == Numbers{255, 255, 255, 255, 255, 255, 0, 0});
  const Tensor rgb = read_image(file.path, ImageMode::rgb);
  CHECK(to_string(rgb) == "u8[3, 2, 4]");
  CHECK(numbers(rgb[2]) == Numbers{229, 229, 166, 166, 199, 199, 136, 136});
}

TEST_CASE("png: 1 and 16 bits become 8, grey and alpha are two channels") {
  if (!has_png()) return;
  const File wide("png.16", bytes_of(images::png_16)), bit("png.1", bytes_of(images::png_1));
  CHECK(to_string(read_image(wide.path)) == "u8[1, 2, 3]");
  CHECK(numbers(read_image(wide.path)) == Numbers{0, 51, 102, 153, 204, 255});
  CHECK(numbers(read_image(bit.path)) == Numbers{0, 255, 0, 255, 0, 255});
  const File alpha("png.alpha", bytes_of(images::png_grey_alpha));
  CHECK(numbers(read_image(alpha.path)) == Numbers{0, 60, 120, 180, 30, 90, 150, 210});
  CHECK(numbers(read_image(alpha.path, ImageMode::rgb)) ==
        Numbers{0, 60, 120, 180, 0, 60, 120, 180, 0, 60, 120, 180});
}

TEST_CASE("png: a file that is cut or changed anywhere is an error, never a crash") {
  if (!has_png()) return;
  const std::string whole = bytes_of(images::png_palette);
  for (std::size_t size = 8; size + 12 < whole.size(); ++size) {
    const File file("png.cut", whole.substr(0, size));
    CHECK_THROWS_AS(read_image(file.path), IoError);
  }
  int refused = 0;
  for (std::size_t at = 8; at < whole.size(); ++at) {
    std::string changed = whole;
    changed[at] = static_cast<char>(changed[at] ^ 0x55);
    const File file("png.changed", changed);
    try {
      read_image(file.path);
    } catch (const IoError&) {
      ++refused;
    }
  }
  CHECK(refused > 50);
}

TEST_CASE("png: errors name the file and what libpng says") {
  if (!has_png()) return;
  std::string damaged = bytes_of(images::png_palette);
  damaged[20] = static_cast<char>(damaged[20] ^ 1);
  const File file("png.damaged", damaged);
  const File cut("png.short", damaged.substr(0, 30));
  MISTAKE(IoError, read_image(file.path), "data::read_image: ", "the PNG file is damaged", "CRC",
          file.path);
  MISTAKE(IoError, read_image(cut.path), "the PNG file is damaged");
}
