#pragma once
// Transposed convolutions, channels first.

#include <cstdint>   // std::int64_t
#include <optional>  // std::optional

#include <sinter/config.hpp>
#include <sinter/trace/core/tensor.hpp>
#include <sinter/trace/ops/movement/window.hpp>
#include <sinter/trace/ops/product/optional_operand.hpp>

namespace sinter::inline SINTER_ABI {

struct TransposedConvolutionOptions {
  detail::ByName by_name = detail::ByName();
  detail::PerAxis stride = 1;
  detail::PerAxis padding = 0;  ///< Cropped from both ends of the result.
  detail::PerAxis output_padding =
      0;  ///< Added to the end of the result; below stride or dilation.
  std::int64_t groups = 1;
  detail::PerAxis dilation = 1;
};

/// The gradient of a convolution with this weight, as an operation of its own:
/// each x[n, c, i] adds x * weight[c, o, k] to result[n, o, i * stride + k * dilation - padding].
///
/// Shapes   x (batch, in, size) or (in, size), weight (in, out / groups, kernel), bias (out)
///          -> (batch, out, (size - 1) * stride + dilation * (kernel - 1) + 1 - 2 * padding +
///          output_padding)
/// Source https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.conv_transpose1d.html
Tensor conv_transpose1d(Operand x, Operand weight, TransposedConvolutionOptions options = {});
Tensor conv_transpose1d(Operand x, Operand weight, Operand bias,
                        TransposedConvolutionOptions options = {});
Tensor conv_transpose2d(Operand x, Operand weight, TransposedConvolutionOptions options = {});
Tensor conv_transpose2d(Operand x, Operand weight, Operand bias,
                        TransposedConvolutionOptions options = {});
Tensor conv_transpose3d(Operand x, Operand weight, TransposedConvolutionOptions options = {});
Tensor conv_transpose3d(Operand x, Operand weight, Operand bias,
                        TransposedConvolutionOptions options = {});

/// The same with an optional bias: {} or a std::optional<Tensor>.
Tensor conv_transpose1d(Operand x, Operand weight, detail::NoOperand,
                        TransposedConvolutionOptions options);
Tensor conv_transpose2d(Operand x, Operand weight, detail::NoOperand,
                        TransposedConvolutionOptions options);
Tensor conv_transpose3d(Operand x, Operand weight, detail::NoOperand,
                        TransposedConvolutionOptions options);
template <detail::OptionalTensor Bias>
Tensor conv_transpose1d(Operand x, Operand weight, const Bias& bias,
                        TransposedConvolutionOptions options = {}) {
  const std::optional<Tensor> given = bias;
  return given ? conv_transpose1d(x, weight, {*given, x.where}, options)
               : conv_transpose1d(x, weight, options);
}
template <detail::OptionalTensor Bias>
Tensor conv_transpose2d(Operand x, Operand weight, const Bias& bias,
                        TransposedConvolutionOptions options = {}) {
  const std::optional<Tensor> given = bias;
  return given ? conv_transpose2d(x, weight, {*given, x.where}, options)
               : conv_transpose2d(x, weight, options);
}
template <detail::OptionalTensor Bias>
Tensor conv_transpose3d(Operand x, Operand weight, const Bias& bias,
                        TransposedConvolutionOptions options = {}) {
  const std::optional<Tensor> given = bias;
  return given ? conv_transpose3d(x, weight, {*given, x.where}, options)
               : conv_transpose3d(x, weight, options);
}

}  // namespace sinter::inline SINTER_ABI

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/functional/convolution/transposed.ipp>
#endif
