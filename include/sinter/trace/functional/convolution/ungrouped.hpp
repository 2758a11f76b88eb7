#pragma once
// Convolutions with one group.

#include <cstdint>      // std::int64_t
#include <string_view>  // std::string_view
#include <vector>       // std::vector

#include <sinter/base/container/vector.hpp>
#include <sinter/config.hpp>
#include <sinter/trace/core/tensor.hpp>
#include <sinter/trace/ops/movement/window.hpp>

namespace sinter::inline SINTER_ABI::detail {

/// x (batch, in, ...) by weight (out, in, kernel...): (batch, out, ...).
Tensor convolve_whole(const Tensor& x, const Tensor& weight, const Vector<WindowAxis>& axes,
                      std::string_view op, Where where);

namespace whole {

/// The same without a gradient of its own.
Tensor product(const Tensor& x, const Tensor& weight, const Vector<WindowAxis>& axes,
               std::string_view op, Where where);
/// The sum over axes `of_lhs` of `lhs` and `of_rhs` of `rhs`, without batch axes.
Tensor contract(const Tensor& lhs, const Tensor& rhs, const std::vector<std::int64_t>& of_lhs,
                const std::vector<std::int64_t>& of_rhs, Where where);

}  // namespace whole

}  // namespace sinter::inline SINTER_ABI::detail

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/functional/convolution/ungrouped.ipp>
#endif
