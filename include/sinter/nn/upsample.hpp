#pragma once
// Images and signals in another size, as a layer.

#include <cstdint>  // std::int64_t
#include <vector>   // std::vector

#include <sinter/trace/interpolate.hpp>
#include <sinter/trace/module.hpp>
#include <sinter/trace/walk.hpp>

namespace sinter::inline SINTER_ABI::nn {

/// interpolate with its options, whose sizes are numbers.
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
#include <sinter/nn/upsample.ipp>
#endif
