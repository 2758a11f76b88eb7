#pragma once
// Grouped and depthwise convolutions.

#include <cstdint>      // std::int64_t
#include <string_view>  // std::string_view

#include <sinter/base/container/vector.hpp>
#include <sinter/config.hpp>
#include <sinter/trace/core/tensor.hpp>
#include <sinter/trace/ops/movement/window.hpp>

namespace sinter::inline SINTER_ABI::detail {

/// x (batch, in, ...) by weight (out, in / groups, kernel...): (batch, out, ...).
Tensor convolve_grouped(const Tensor& x, const Tensor& weight, std::int64_t groups,
                        const Vector<WindowAxis>& axes, std::string_view op, Where where);

/// The same without a gradient of its own.
Tensor convolve_groups(const Tensor& x, const Tensor& weight, std::int64_t groups,
                       const Vector<WindowAxis>& axes, std::string_view op, Where where);

/// `x` with axis `from` moved to `to`.
Tensor move_axis(const Tensor& x, int from, int to, Where where);

/// (in, out / groups, kernel...) as the weight of a convolution: (out, in / groups, kernel...),
/// reversed along the kernel.
Tensor transposed_weight(const Tensor& weight, std::int64_t groups, Where where);

}  // namespace sinter::inline SINTER_ABI::detail

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/functional/convolution/grouped.ipp>
#endif
