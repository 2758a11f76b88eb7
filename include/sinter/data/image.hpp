#pragma once
// read_image and write_png: images in files as tensors.

#include <string>  // std::string

#include <sinter/base/where.hpp>
#include <sinter/config.hpp>
#include <sinter/trace/core/tensor.hpp>

namespace sinter::inline SINTER_ABI::data {

enum class ImageMode {
  unchanged,  ///< The channels of the file: 1 grey, 2 grey and alpha, 3 RGB, 4 RGB and alpha.
  rgb,        ///< 3 channels: grey is repeated, alpha is left out.
};

/// The pixels of a PNG or JPEG file: u8 [channels, height, width], 0 to 255, on the current device.
/// Palettes are expanded, 16 bits are scaled to 8, gamma and EXIF orientation are left alone.
///
/// libpng16 and libjpeg are opened at the first use; JPEG needs jpeglib.h where sinter is compiled.
///
/// Throws   IoError if there is no such file, it is damaged or of another kind, or the library is
///          missing
/// Source   https://docs.pytorch.org/vision/stable/generated/torchvision.io.read_image.html
Tensor read_image(const std::string& path, ImageMode mode = ImageMode::unchanged,
                  Where where = Where::current());

/// Writes u8 [channels, height, width] with 1 to 4 channels, or [height, width], as a PNG file.
///
/// Throws   ShapeError or DTypeError for another tensor; IoError if the file cannot be written
void write_png(const std::string& path, const Tensor& image, Where where = Where::current());

}  // namespace sinter::inline SINTER_ABI::data

#ifdef SINTER_DEFINITIONS
#include <sinter/data/image.ipp>
#endif
