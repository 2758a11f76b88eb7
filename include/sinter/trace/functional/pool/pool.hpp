#pragma once
// Max and average pooling, channels first.

#include <concepts>          // std::convertible_to, std::integral
#include <cstdint>           // std::int64_t
#include <initializer_list>  // std::initializer_list
#include <optional>          // std::optional

#include <sinter/config.hpp>
#include <sinter/trace/core/tensor.hpp>
#include <sinter/trace/ops/movement/window.hpp>

namespace sinter::inline SINTER_ABI {

struct MaxPoolOptions {
  detail::ByName by_name = detail::ByName();
  detail::PerAxis stride = std::vector<std::int64_t>{};  ///< The kernel, unless it is given.
  detail::PerAxis padding = 0;                           ///< At most half of the kernel.
  detail::PerAxis dilation = 1;
  bool ceil_mode = false;  ///< A last window may reach past the end.
};

/// The largest element of each window; NaN if any element is NaN.
///
/// Shapes   x (batch, channels, size) or (channels, size) -> (..., (size + 2 * padding -
///          dilation * (kernel - 1) - 1) / stride + 1)
/// Throws   ShapeError if no window fits; ValueError if the padding is more than half of a window
/// Gradient g, at the first maximum of each window
/// Source   https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.max_pool1d.html
Tensor max_pool1d(Operand x, detail::PerAxis kernel_size, MaxPoolOptions options = {});
Tensor max_pool2d(Operand x, detail::PerAxis kernel_size, MaxPoolOptions options = {});
Tensor max_pool3d(Operand x, detail::PerAxis kernel_size, MaxPoolOptions options = {});

/// The same with torch's positional arguments.
template <std::convertible_to<detail::PerAxis> Stride>
Tensor max_pool1d(Operand x, detail::PerAxis kernel_size, Stride stride,
                  detail::PerAxis padding = 0, detail::PerAxis dilation = 1,
                  bool ceil_mode = false) {
  return max_pool1d(
      x, kernel_size,
      MaxPoolOptions{
          .stride = stride, .padding = padding, .dilation = dilation, .ceil_mode = ceil_mode});
}
template <std::convertible_to<detail::PerAxis> Stride>
Tensor max_pool2d(Operand x, detail::PerAxis kernel_size, Stride stride,
                  detail::PerAxis padding = 0, detail::PerAxis dilation = 1,
                  bool ceil_mode = false) {
  return max_pool2d(
      x, kernel_size,
      MaxPoolOptions{
          .stride = stride, .padding = padding, .dilation = dilation, .ceil_mode = ceil_mode});
}
template <std::convertible_to<detail::PerAxis> Stride>
Tensor max_pool3d(Operand x, detail::PerAxis kernel_size, Stride stride,
                  detail::PerAxis padding = 0, detail::PerAxis dilation = 1,
                  bool ceil_mode = false) {
  return max_pool3d(
      x, kernel_size,
      MaxPoolOptions{
          .stride = stride, .padding = padding, .dilation = dilation, .ceil_mode = ceil_mode});
}
template <std::integral Number>
Tensor max_pool1d(Operand x, detail::PerAxis kernel_size, std::initializer_list<Number> stride,
                  detail::PerAxis padding = 0, detail::PerAxis dilation = 1,
                  bool ceil_mode = false) {
  const detail::PerAxis strides = detail::numbers_of(stride);
  return max_pool1d(x, kernel_size, strides, padding, dilation, ceil_mode);
}
template <std::integral Number>
Tensor max_pool2d(Operand x, detail::PerAxis kernel_size, std::initializer_list<Number> stride,
                  detail::PerAxis padding = 0, detail::PerAxis dilation = 1,
                  bool ceil_mode = false) {
  const detail::PerAxis strides = detail::numbers_of(stride);
  return max_pool2d(x, kernel_size, strides, padding, dilation, ceil_mode);
}
template <std::integral Number>
Tensor max_pool3d(Operand x, detail::PerAxis kernel_size, std::initializer_list<Number> stride,
                  detail::PerAxis padding = 0, detail::PerAxis dilation = 1,
                  bool ceil_mode = false) {
  const detail::PerAxis strides = detail::numbers_of(stride);
  return max_pool3d(x, kernel_size, strides, padding, dilation, ceil_mode);
}

struct AveragePoolOptions {
  detail::ByName by_name = detail::ByName();
  detail::PerAxis stride = std::vector<std::int64_t>{};  ///< The kernel, unless it is given.
  detail::PerAxis padding = 0;                           ///< At most half of the kernel.
  bool ceil_mode = false;                                ///< A last window may reach past the end.
  bool count_include_pad = true;                         ///< Padding counts as elements that are 0.
  std::optional<std::int64_t> divisor_override = std::nullopt;
};

/// The mean of each window.
///
/// Shapes   as those of the largest elements
/// DTypes   floating, and i64, whose means are rounded towards zero
/// Source   https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.avg_pool1d.html
Tensor avg_pool1d(Operand x, detail::PerAxis kernel_size, AveragePoolOptions options = {});
Tensor avg_pool2d(Operand x, detail::PerAxis kernel_size, AveragePoolOptions options = {});
Tensor avg_pool3d(Operand x, detail::PerAxis kernel_size, AveragePoolOptions options = {});

template <std::convertible_to<detail::PerAxis> Stride>
Tensor avg_pool1d(Operand x, detail::PerAxis kernel_size, Stride stride,
                  detail::PerAxis padding = 0, bool ceil_mode = false,
                  bool count_include_pad = true,
                  std::optional<std::int64_t> divisor_override = std::nullopt) {
  return avg_pool1d(x, kernel_size,
                    AveragePoolOptions{.stride = stride,
                                       .padding = padding,
                                       .ceil_mode = ceil_mode,
                                       .count_include_pad = count_include_pad,
                                       .divisor_override = divisor_override});
}
template <std::convertible_to<detail::PerAxis> Stride>
Tensor avg_pool2d(Operand x, detail::PerAxis kernel_size, Stride stride,
                  detail::PerAxis padding = 0, bool ceil_mode = false,
                  bool count_include_pad = true,
                  std::optional<std::int64_t> divisor_override = std::nullopt) {
  return avg_pool2d(x, kernel_size,
                    AveragePoolOptions{.stride = stride,
                                       .padding = padding,
                                       .ceil_mode = ceil_mode,
                                       .count_include_pad = count_include_pad,
                                       .divisor_override = divisor_override});
}
template <std::convertible_to<detail::PerAxis> Stride>
Tensor avg_pool3d(Operand x, detail::PerAxis kernel_size, Stride stride,
                  detail::PerAxis padding = 0, bool ceil_mode = false,
                  bool count_include_pad = true,
                  std::optional<std::int64_t> divisor_override = std::nullopt) {
  return avg_pool3d(x, kernel_size,
                    AveragePoolOptions{.stride = stride,
                                       .padding = padding,
                                       .ceil_mode = ceil_mode,
                                       .count_include_pad = count_include_pad,
                                       .divisor_override = divisor_override});
}
template <std::integral Number>
Tensor avg_pool1d(Operand x, detail::PerAxis kernel_size, std::initializer_list<Number> stride,
                  detail::PerAxis padding = 0, bool ceil_mode = false,
                  bool count_include_pad = true,
                  std::optional<std::int64_t> divisor_override = std::nullopt) {
  const detail::PerAxis strides = detail::numbers_of(stride);
  return avg_pool1d(x, kernel_size, strides, padding, ceil_mode, count_include_pad,
                    divisor_override);
}
template <std::integral Number>
Tensor avg_pool2d(Operand x, detail::PerAxis kernel_size, std::initializer_list<Number> stride,
                  detail::PerAxis padding = 0, bool ceil_mode = false,
                  bool count_include_pad = true,
                  std::optional<std::int64_t> divisor_override = std::nullopt) {
  const detail::PerAxis strides = detail::numbers_of(stride);
  return avg_pool2d(x, kernel_size, strides, padding, ceil_mode, count_include_pad,
                    divisor_override);
}
template <std::integral Number>
Tensor avg_pool3d(Operand x, detail::PerAxis kernel_size, std::initializer_list<Number> stride,
                  detail::PerAxis padding = 0, bool ceil_mode = false,
                  bool count_include_pad = true,
                  std::optional<std::int64_t> divisor_override = std::nullopt) {
  const detail::PerAxis strides = detail::numbers_of(stride);
  return avg_pool3d(x, kernel_size, strides, padding, ceil_mode, count_include_pad,
                    divisor_override);
}

namespace detail {

/// The maximum over the last `count` axes; the first of equal maxima gets the whole gradient.
Tensor first_max(const Tensor& x, int count, Where where);
/// The smallest number of `dtype`.
Constant lowest(DType dtype);
/// Throws   DTypeError if `x` is not floating
void require_floating_pool(std::string_view op, const Operand& x);

}  // namespace detail

}  // namespace sinter::inline SINTER_ABI

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/functional/pool/pool.ipp>
#endif
