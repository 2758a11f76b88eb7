#pragma once

#include <sinter/data/image.hpp>
#include <sinter/data/jpeg.hpp>
#include <sinter/data/png.hpp>
#include <sinter/device/host/scoped_device.hpp>
#include <sinter/trace/core/evaluate.hpp>

namespace sinter::inline SINTER_ABI::data {

namespace detail {

SINTER_INLINE FileBytes whole_file(const Access& access) {
  const sinter::detail::disk::InputFile file(access);
  FileBytes result{access, std::vector<unsigned char>(file.size())};
  file.read(0, result.bytes.data(), result.bytes.size());
  return result;
}

SINTER_INLINE Pixels read_pixels(const Access& access, bool as_rgb) {
  const FileBytes file = whole_file(access);
  if (is_png(file)) return read_png(file, as_rgb);
  if (is_jpeg(file)) return read_jpeg(file, as_rgb);
  const std::string start(file.bytes.begin(),
                          file.bytes.begin() + std::min<std::ptrdiff_t>(8, std::ssize(file.bytes)));
  sinter::detail::disk::refuse(access, {.what = "the file is neither a PNG nor a JPEG image",
                                        .facts = {{"begins", sinter::detail::disk::shown(start)}},
                                        .rule = "images are PNG or JPEG files",
                                        .fix = "convert it to one of these"});
}

// Converts between planar channels and interleaved pixels, for 1 to 4 channels.
SINTER_INLINE void to_planes(const Pixels& pixels, unsigned char* planes) {
  const std::size_t count = pixels.width * pixels.height;
  for (std::size_t c = 0; c < pixels.channels; ++c) {
    for (std::size_t i = 0; i < count; ++i) {
      planes[c * count + i] = pixels.bytes[i * pixels.channels + c];
    }
  }
}

SINTER_INLINE Pixels from_planes(const Tensor& image, Where where) {
  const bool has_channels = image.ndim() == 3;
  const auto size = [&](int axis) {
    return static_cast<std::size_t>(image.shape()[axis].value(where));
  };
  Pixels result{size(-1), size(-2), has_channels ? size(0) : 1};
  result.bytes.resize(result.row_bytes() * result.height);
  const auto* const planes =
      static_cast<const unsigned char*>(sinter::detail::host_elements_of(image, where));
  const std::size_t count = result.width * result.height;
  for (std::size_t i = 0; i < count * result.channels; ++i) {
    result.bytes[i] = planes[i % result.channels * count + i / result.channels];
  }
  return result;
}

SINTER_INLINE void require_pixels(const Tensor& image, Where where) {
  const int axes = image.ndim(where);
  const bool is_image = axes == 2 || (axes == 3 && image.shape()[0].value(where) >= 1 &&
                                      image.shape()[0].value(where) <= 4);
  const bool is_empty = is_image && image.numel().value(where) == 0;
  if (!is_image || is_empty) {
    throw ShapeError({.op = "data::write_png",
                      .what = "the tensor is no image",
                      .facts = {{"image", to_string(image)}},
                      .rule = "an image is [channels, height, width] with 1 to 4 channels",
                      .fix = "permute(image, {2, 0, 1}) puts the channels in front",
                      .where = where});
  }
  if (image.dtype() == u8) return;
  throw DTypeError({.op = "data::write_png",
                    .what = "pixels are not of this dtype",
                    .facts = {{"image", to_string(image)}},
                    .rule = "pixels are u8, 0 to 255",
                    .fix = "clamp(round(image * 255), 0, 255).to(u8), for numbers in [0, 1]",
                    .where = where,
                    .see = "dtypes"});
}

}  // namespace detail

SINTER_INLINE Tensor read_image(const std::string& path, ImageMode mode, Where where) {
  const detail::Access access{"data::read_image", path, where};
  const detail::Pixels pixels = detail::read_pixels(access, mode == ImageMode::rgb);
  const auto storage = sinter::detail::Storage::allocate(pixels.bytes.size(), cpu(), where);
  detail::to_planes(pixels, static_cast<unsigned char*>(storage.data()));
  const auto size = [](std::size_t number) { return static_cast<std::int64_t>(number); };
  const Shape shape{size(pixels.channels), size(pixels.height), size(pixels.width)};
  return Tensor(sinter::detail::make_evaluated({u8, shape}, storage)).to(current_device(), where);
}

SINTER_INLINE void write_png(const std::string& path, const Tensor& image, Where where) {
  detail::require_pixels(image, where);
  const detail::Access access{"data::write_png", path, where};
  const auto bytes = detail::png_bytes(detail::from_planes(image, where), access);
  sinter::detail::disk::OutputFile file(access);
  file.write(bytes.data(), bytes.size());
  file.commit();
}

}  // namespace sinter::inline SINTER_ABI::data
