#pragma once
// Convolutions, channels first.

#include <cstdint>   // std::int64_t
#include <optional>  // std::optional

#include <sinter/base/container/vector.hpp>
#include <sinter/config.hpp>
#include <sinter/trace/core/tensor.hpp>
#include <sinter/trace/ops/movement/window.hpp>
#include <sinter/trace/ops/product/optional_operand.hpp>

namespace sinter::inline SINTER_ABI {

struct ConvolutionOptions {
  detail::ByName by_name = detail::ByName();
  detail::PerAxis stride = 1;
  detail::Padding padding = 0;  ///< Zeros around the input; "same" needs a stride of 1.
  detail::PerAxis dilation = 1;
  std::int64_t groups = 1;  ///< The number of groups that channels are divided into.
};

/// result[n, o, i] = sum over c, k of x[n, c, i * stride + k * dilation - padding] * weight[o, c,
/// k], + bias[o].
///
/// Shapes   x (batch, in, size) or (in, size), weight (out, in / groups, kernel), bias (out)
///          -> (batch, out, result) or (out, result)
/// DTypes   numbers; promoted as in matmul
/// Throws   ShapeError if they do not fit; ValueError for a stride or dilation below 1
/// Gradient x: a transposed convolution of g with the weight; weight: a convolution of x with g
/// Source   https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.conv1d.html
Tensor conv1d(Operand x, Operand weight, ConvolutionOptions options = {});
Tensor conv1d(Operand x, Operand weight, Operand bias, ConvolutionOptions options = {});
/// The same over two spatial axes: x (batch, in, height, width).
Tensor conv2d(Operand x, Operand weight, ConvolutionOptions options = {});
Tensor conv2d(Operand x, Operand weight, Operand bias, ConvolutionOptions options = {});
/// The same over three spatial axes: x (batch, in, depth, height, width).
Tensor conv3d(Operand x, Operand weight, ConvolutionOptions options = {});
Tensor conv3d(Operand x, Operand weight, Operand bias, ConvolutionOptions options = {});

/// The same with an optional bias: {} or a std::optional<Tensor>.
Tensor conv1d(Operand x, Operand weight, detail::NoOperand, ConvolutionOptions options);
Tensor conv2d(Operand x, Operand weight, detail::NoOperand, ConvolutionOptions options);
Tensor conv3d(Operand x, Operand weight, detail::NoOperand, ConvolutionOptions options);
template <detail::OptionalTensor Bias>
Tensor conv1d(Operand x, Operand weight, const Bias& bias, ConvolutionOptions options = {}) {
  const std::optional<Tensor> given = bias;
  return given ? conv1d(x, weight, {*given, x.where}, options) : conv1d(x, weight, options);
}
template <detail::OptionalTensor Bias>
Tensor conv2d(Operand x, Operand weight, const Bias& bias, ConvolutionOptions options = {}) {
  const std::optional<Tensor> given = bias;
  return given ? conv2d(x, weight, {*given, x.where}, options) : conv2d(x, weight, options);
}
template <detail::OptionalTensor Bias>
Tensor conv3d(Operand x, Operand weight, const Bias& bias, ConvolutionOptions options = {}) {
  const std::optional<Tensor> given = bias;
  return given ? conv3d(x, weight, {*given, x.where}, options) : conv3d(x, weight, options);
}

namespace detail {

/// The dtype in which a convolution of these is computed.
///
/// Throws   DTypeError if both are boolean
DType convolution_dtype(std::string_view op, const Operand& x, const Operand& weight);
/// Throws   ShapeError unless the channels of `x` match axis 0 or 1 of `weight`.
void require_groups(std::string_view op, const Operand& x, const Operand& weight, int axes,
                    std::int64_t groups, int channels_axis);
/// The windows of a kernel with the spatial shape of `weight`, without padding.
Vector<WindowAxis> kernel_axes(const Tensor& weight, const PerAxis& stride, const PerAxis& dilation,
                               std::string_view op, Where where);
/// x (batch, in, ...) by weight (out, in / groups, ...): (batch, out, ...).
Tensor convolve(const Tensor& x, const Tensor& weight, std::int64_t groups,
                const Vector<WindowAxis>& axes, std::string_view op, Where where);
/// `x` + `bias`, which has one number for each of the `out` channels.
Tensor with_bias(const Tensor& x, const Operand& bias, int axes, Extent out, std::string_view op);

}  // namespace detail

}  // namespace sinter::inline SINTER_ABI

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/functional/convolution/convolution.ipp>
#endif
