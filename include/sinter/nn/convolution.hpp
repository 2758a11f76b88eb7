#pragma once
// Convolutions as layers.

#include <cstdint>   // std::int64_t
#include <optional>  // std::optional
#include <string>    // std::string
#include <vector>    // std::vector

#include <sinter/nn/initialize.hpp>
#include <sinter/trace/functional/convolution/convolution.hpp>
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

namespace detail {

/// The shape of the weight of a convolution over `axes` axes.
///
/// Throws   ValueError unless `groups` divides `in` and `out`
Shape convolution_weight(std::int64_t in, std::int64_t out,
                         const sinter::detail::PerAxis& kernel_size, int axes, std::int64_t groups,
                         Where where);

/// conv1d, conv2d or conv3d.
Tensor convolution(const Operand& x, const Tensor& weight, const std::optional<Tensor>& bias,
                   const ConvolutionOptions& options);

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
    const Shape shape = detail::convolution_weight(in, out, kernel_size, axes, groups, where);
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

}  // namespace sinter::inline SINTER_ABI::nn

#ifdef SINTER_DEFINITIONS
#include <sinter/nn/convolution.ipp>
#endif
