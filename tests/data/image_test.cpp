#include "../trace/testing.hpp"

#include <sinter/data/image.hpp>
#include <sinter/trace/ops/movement/movement.hpp>

#include <cstdint>

#include "images.hpp"

using namespace testing;
using data::ImageMode;
using data::read_image;
using images::File;

namespace {

// An image whose pixels are all different in their channels.
Tensor pattern(std::int64_t channels, std::int64_t height, std::int64_t width) {
  std::vector<std::uint8_t> pixels;
  for (std::int64_t i = 0; i < channels * height * width; ++i) {
    pixels.push_back(static_cast<std::uint8_t>(i * 37 % 256));
  }
  return from_vector(pixels, {channels, height, width});
}

}  // namespace

TEST_CASE("write_png, read_image: pixels come back as they were") {
  if (!images::has_png()) return;
  const std::string path = std::string(SINTER_TEST_DIR) + "/image.pattern.png";
  for (const std::int64_t channels : {1, 2, 3, 4}) {
    const Tensor image = pattern(channels, 5, 7);
    data::write_png(path, image);
    const Tensor found = read_image(path);
    CHECK(to_string(found) == text("u8[", channels, ", 5, 7]"));
    CHECK(numbers(found) == numbers(image));
    CHECK(to_string(read_image(path, ImageMode::rgb)) == "u8[3, 5, 7]");
  }
  data::write_png(path, pattern(1, 5, 7)[0]);
  CHECK(to_string(read_image(path)) == "u8[1, 5, 7]");
  data::write_png(path, transpose(pattern(3, 5, 7), 1, 2));
  CHECK(numbers(read_image(path)) == numbers(transpose(pattern(3, 5, 7), 1, 2)));
  std::remove(path.c_str());
}

TEST_CASE("read_image: a file of another kind, an empty one and none are mistakes") {
  const File other("image.other", "GIF89a and so on"), empty("image.empty", "");
  MISTAKE(IoError, read_image(other.path), "data::read_image: ", "neither a PNG nor a JPEG",
          "GIF89a", other.path);
  MISTAKE(IoError, read_image(empty.path), "neither a PNG nor a JPEG");
  MISTAKE(IoError, read_image("/nowhere/image.png"), "/nowhere/image.png");
}

TEST_CASE("write_png: tensors that are no images are mistakes") {
  const std::string path = std::string(SINTER_TEST_DIR) + "/image.mistake.png";
  MISTAKE(ShapeError, data::write_png(path, ones({5, 4, 4}, u8)),
          "data::write_png: ", "u8[5, 4, 4]");
  MISTAKE(ShapeError, data::write_png(path, ones({4}, u8)), "u8[4]");
  MISTAKE(ShapeError, data::write_png(path, ones({1, 0, 4}, u8)), "u8[1, 0, 4]");
  MISTAKE(DTypeError, data::write_png(path, ones({4, 4})), "f32[4, 4]", "to(u8)");
  if (!images::has_png()) return;
  MISTAKE(IoError, data::write_png("/nowhere/x.png", ones({4, 4}, u8)), "/nowhere/x.png");
}
