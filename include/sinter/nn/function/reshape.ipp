#pragma once

#include <sinter/base/container/span.hpp>
#include <sinter/nn/function/reshape.hpp>

namespace sinter::inline SINTER_ABI::nn {

SINTER_INLINE Tensor Unflatten::forward(Operand x) const {
  return unflatten(x, axis, Shape(sinter::detail::Span(sizes)));
}

SINTER_INLINE Upsample::Upsample(InterpolateOptions options, Where where)
    : scale_factor(options.scale_factor.list().begin(), options.scale_factor.list().end()),
      mode(options.mode.value()),
      align_corners(options.align_corners) {
  for (const Extent& extent : options.size.list()) size.push_back(extent.value(where));
}

SINTER_INLINE Tensor Upsample::forward(Operand x) const {
  const std::vector<Extent> sizes(size.begin(), size.end());
  return interpolate(x, {sizes, scale_factor, mode, align_corners});
}

}  // namespace sinter::inline SINTER_ABI::nn
