#pragma once
// Pixel shuffles: channels to spatial axes and back.

#include <cstdint>  // std::int64_t

#include <sinter/config.hpp>
#include <sinter/trace/core/tensor.hpp>

namespace sinter::inline SINTER_ABI {

/// Moves groups of factor^2 channels to blocks of factor x factor pixels.
///
/// Shapes   (..., channels * factor^2, height, width) -> (..., channels, height * factor, width *
///          factor)
/// Throws   ValueError unless factor >= 1; ShapeError unless factor^2 divides the channels
/// Source   https://arxiv.org/abs/1609.05158
Tensor pixel_shuffle(Operand x, std::int64_t upscale_factor);
/// The inverse.
///
/// Throws   ShapeError unless the factor divides height and width
Tensor pixel_unshuffle(Operand x, std::int64_t downscale_factor);

}  // namespace sinter::inline SINTER_ABI

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/functional/pixel_shuffle.ipp>
#endif
