#pragma once
// Flatten, Unflatten, Upsample, PixelShuffle and Identity layers.

#include <cstdint>  // std::int64_t
#include <vector>   // std::vector

#include <sinter/trace/functional/pixel_shuffle.hpp>
#include <sinter/trace/functional/pool/interpolate.hpp>
#include <sinter/trace/module/module.hpp>
#include <sinter/trace/module/walk.hpp>
#include <sinter/trace/ops/movement/movement.hpp>
#include <sinter/trace/ops/movement/rearrange.hpp>

namespace sinter::inline SINTER_ABI::nn {

/// Merges axes `first` to `last`; by default all but the batch.
struct Flatten {
  int first = 1;
  int last = -1;
  SINTER_MODULE(Flatten, first, last)
  Tensor forward(Operand x) const { return flatten(x, first, last); }
};

/// Splits `axis` into these sizes; one may be -1 and is inferred.
///
/// Throws ShapeError unless their product is the extent of the axis
struct Unflatten {
  int axis = 1;
  std::vector<std::int64_t> sizes{};
  SINTER_MODULE(Unflatten, axis, sizes)
  Tensor forward(Operand x) const;
};

/// pixel_shuffle by a fixed factor.
struct PixelShuffle {
  std::int64_t upscale_factor = 1;
  SINTER_MODULE(PixelShuffle, upscale_factor)
  Tensor forward(Operand x) const { return pixel_shuffle(x, upscale_factor); }
};

/// pixel_unshuffle by a fixed factor.
struct PixelUnshuffle {
  std::int64_t downscale_factor = 1;
  SINTER_MODULE(PixelUnshuffle, downscale_factor)
  Tensor forward(Operand x) const { return pixel_unshuffle(x, downscale_factor); }
};

struct Identity {
  SINTER_MODULE(Identity)
  Tensor forward(Operand x) const { return x.tensor(); }
};

/// interpolate with fixed options.
///
/// Shapes   (batch, channels, spatial axes) -> the same with other spatial sizes
struct Upsample {
  std::vector<std::int64_t> size;
  std::vector<double> scale_factor;
  Interpolation mode = Interpolation::nearest;
  bool align_corners = false;
  SINTER_MODULE(Upsample, size, scale_factor, mode, align_corners)

  Upsample() = default;
  Upsample(InterpolateOptions options, Where where = Where::current());

  Tensor forward(Operand x) const;
};

}  // namespace sinter::inline SINTER_ABI::nn

#ifdef SINTER_DEFINITIONS
#include <sinter/nn/function/reshape.ipp>
#endif
