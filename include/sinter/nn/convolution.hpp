#pragma once
// Convolutions and transposed convolutions as layers.

#include <cstdint>   // std::int64_t
#include <optional>  // std::optional
#include <string>    // std::string
#include <vector>    // std::vector

#include <sinter/nn/initialize.hpp>
#include <sinter/trace/functional/convolution/convolution.hpp>
#include <sinter/trace/functional/convolution/transposed.hpp>
#include <sinter/trace/module/module.hpp>
#include <sinter/trace/module/walk.hpp>

namespace sinter::inline SINTER_ABI::nn {

struct ConvOptions {
  sinter::detail::ByName by_name = sinter::detail::ByName();
  sinter::detail::PerAxis stride = 1;
  sinter::detail::Padding padding = 0;  ///< Zeros around the input; "same" needs a stride of 1.
  sinter::detail::PerAxis dilation = 1;
  std::int64_t groups = 1;  ///< The number of groups that channels are divided into.
  bool bias = true;
};

struct ConvTransposeOptions {
  sinter::detail::ByName by_name = sinter::detail::ByName();
  sinter::detail::PerAxis stride = 1;
  sinter::detail::PerAxis padding = 0;         ///< Cropped from both ends of the result.
  sinter::detail::PerAxis output_padding = 0;  ///< Added to the end of the result.
  std::int64_t groups = 1;
  bool bias = true;
  sinter::detail::PerAxis dilation = 1;
};

namespace detail {

/// The shape of the weight of a convolution over `axes` axes: (out, in / groups, kernel...); of a
/// transposed one, (in, out / groups, kernel...).
///
/// Throws   ValueError unless `groups` divides `in` and `out`
Shape convolution_weight(std::int64_t in, std::int64_t out,
                         const sinter::detail::PerAxis& kernel_size, int axes, std::int64_t groups,
                         bool is_transposed, Where where);

/// conv1d, conv2d or conv3d.
Tensor convolution(const Operand& x, const Tensor& weight, const std::optional<Tensor>& bias,
                   const ConvolutionOptions& options);

/// conv_transpose1d, conv_transpose2d or conv_transpose3d.
Tensor transposed_convolution(const Operand& x, const Tensor& weight,
                              const std::optional<Tensor>& bias,
                              const TransposedConvolutionOptions& options);

}  // namespace detail

/// Convolution over any number of spatial axes.
template <int axes>
struct Conv {
  Tensor weight;               ///< (out, in / groups, kernel...), as in torch.
  std::optional<Tensor> bias;  ///< (out)
  std::vector<std::int64_t> stride{1}, padding{0}, dilation{1};
  std::string padding_mode;  ///< "same" or "valid", in place of numbers.
  std::int64_t groups = 1;
  SINTER_MODULE(Conv, weight, bias, stride, padding, dilation, padding_mode, groups)

  Conv() = default;
  Conv(std::int64_t in, std::int64_t out, sinter::detail::PerAxis kernel_size,
       ConvOptions options = {}, Where where = Where::current())
      : stride(options.stride.list()),
        padding(options.padding.numbers().list()),
        dilation(options.dilation.list()),
        padding_mode(options.padding.name()),
        groups(options.groups) {
    const Shape shape =
        detail::convolution_weight(in, out, kernel_size, axes, groups, false, where);
    const std::int64_t inputs = out > 0 ? numel(shape).number() / out : 0;
    weight = uniform_by_inputs(shape, inputs, where);
    if (options.bias) bias = uniform_by_inputs({out}, inputs, where);
  }

  Tensor forward(Operand x) const {
    const bool is_named = !padding_mode.empty();
    const sinter::detail::Padding around =
        is_named ? sinter::detail::Padding(padding_mode.c_str())
                 : sinter::detail::Padding(sinter::detail::PerAxis(padding));
    return detail::convolution(
        x, weight, bias,
        {.stride = stride, .padding = around, .dilation = dilation, .groups = groups});
  }
};

/// conv1d with weight and bias, initialized as in torch.
///
/// Shapes   (batch, in, size) -> (batch, out, result); or without the batch
/// Throws   ValueError unless `groups` divides `in` and `out`
using Conv1d = Conv<1>;
/// conv2d: (batch, in, height, width).
using Conv2d = Conv<2>;
/// conv3d: (batch, in, depth, height, width).
using Conv3d = Conv<3>;

/// Transposed convolution over any number of spatial axes.
template <int axes>
struct ConvTranspose {
  Tensor weight;               ///< (in, out / groups, kernel...), as in torch.
  std::optional<Tensor> bias;  ///< (out)
  std::vector<std::int64_t> stride{1}, padding{0}, output_padding{0}, dilation{1};
  std::int64_t groups = 1;
  SINTER_MODULE(ConvTranspose, weight, bias, stride, padding, output_padding, dilation, groups)

  ConvTranspose() = default;
  ConvTranspose(std::int64_t in, std::int64_t out, sinter::detail::PerAxis kernel_size,
                ConvTransposeOptions options = {}, Where where = Where::current())
      : stride(options.stride.list()),
        padding(options.padding.list()),
        output_padding(options.output_padding.list()),
        dilation(options.dilation.list()),
        groups(options.groups) {
    const Shape shape = detail::convolution_weight(in, out, kernel_size, axes, groups, true, where);
    const std::int64_t inputs = in > 0 ? numel(shape).number() / in : 0;
    weight = uniform_by_inputs(shape, inputs, where);
    if (options.bias) bias = uniform_by_inputs({out}, inputs, where);
  }

  Tensor forward(Operand x) const {
    return detail::transposed_convolution(x, weight, bias,
                                          {.stride = stride,
                                           .padding = padding,
                                           .output_padding = output_padding,
                                           .groups = groups,
                                           .dilation = dilation});
  }
};

/// conv_transpose1d with weight and bias, initialized as in torch.
///
/// Shapes   (batch, in, size) -> (batch, out, result); or without the batch
/// Throws   ValueError unless `groups` divides `in` and `out`; where it is called, for an output
///          padding that is not below stride or dilation
/// Source   https://docs.pytorch.org/docs/stable/generated/torch.nn.ConvTranspose1d.html
using ConvTranspose1d = ConvTranspose<1>;
/// conv_transpose2d: (batch, in, height, width).
using ConvTranspose2d = ConvTranspose<2>;
/// conv_transpose3d: (batch, in, depth, height, width).
using ConvTranspose3d = ConvTranspose<3>;

}  // namespace sinter::inline SINTER_ABI::nn

#ifdef SINTER_DEFINITIONS
#include <sinter/nn/convolution.ipp>
#endif
