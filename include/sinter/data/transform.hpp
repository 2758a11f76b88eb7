#pragma once
// Resizing, cropping, flipping and normalising images, as functions of tensors.

#include <vector>  // std::vector

#include <sinter/config.hpp>
#include <sinter/trace/core/tensor.hpp>

// All of them take an image, [channels, height, width], or several, [..., height, width], and
// record like any function of tensors: in a compiled step they are part of its kernels.

namespace sinter::inline SINTER_ABI::data {

struct ImageSize {
  Extent height, width;
};

struct ResizeOptions {
  bool antialias = true;  ///< Averages over all pixels that become one.
};

/// Bilinear interpolation, as PIL and torchvision do it: computed in f32, of integers rounded. One
/// recording serves all sizes of images if they are dynamic.
///
/// Shapes   [..., height, width] -> [..., size]
/// DTypes   u8, or floating
/// Throws   ShapeError for fewer than 2 axes; DTypeError for other dtypes
/// Gradient of floating images
/// Source   https://docs.pytorch.org/vision/stable/transforms.html
Tensor resize(Operand image, ImageSize size, ResizeOptions options = {});

/// The region of `size` whose first pixel is at row `top` and column `left`.
///
/// Throws IndexError unless they are inside of the image
Tensor crop(Operand image, Extent top, Extent left, ImageSize size);

/// The center of the image. Half pixels round to even, as in torchvision.
///
/// Throws IndexError if the image is smaller
Tensor center_crop(Operand image, ImageSize size);

/// Mirrors the image left to right.
Tensor horizontal_flip(Operand image);
/// Mirrors the image top to bottom.
Tensor vertical_flip(Operand image);

/// (image - mean) / std for each channel; u8 becomes f32 in [0, 1] before.
///
/// Shapes   [..., channels, height, width], a mean and a std for each channel, or one for all
/// Throws   ShapeError if they do not fit; ValueError for a std of 0
/// Source   https://docs.pytorch.org/vision/stable/transforms.html
Tensor normalize(Operand image, const std::vector<double>& mean, const std::vector<double>& std);

}  // namespace sinter::inline SINTER_ABI::data

#ifdef SINTER_DEFINITIONS
#include <sinter/data/transform.ipp>
#endif
