#pragma once
// Pools as layers.

#include <concepts>          // std::convertible_to, std::integral
#include <cstdint>           // std::int64_t
#include <initializer_list>  // std::initializer_list
#include <optional>          // std::optional
#include <vector>            // std::vector

#include <sinter/trace/functional/pool/adaptive.hpp>
#include <sinter/trace/functional/pool/pool.hpp>
#include <sinter/trace/module/module.hpp>
#include <sinter/trace/module/walk.hpp>

namespace sinter::inline SINTER_ABI::nn {

/// The largest element of each window, over any number of spatial axes.
template <int axes>
struct MaxPool {
  std::vector<std::int64_t> kernel_size{1}, stride{}, padding{0}, dilation{1};
  bool ceil_mode = false;
  SINTER_MODULE(MaxPool, kernel_size, stride, padding, dilation, ceil_mode)

  MaxPool() = default;
  MaxPool(sinter::detail::PerAxis kernel, MaxPoolOptions options = {})
      : kernel_size(kernel.list()),
        stride(options.stride.list()),
        padding(options.padding.list()),
        dilation(options.dilation.list()),
        ceil_mode(options.ceil_mode) {}
  /// Torch's positional arguments.
  template <std::convertible_to<sinter::detail::PerAxis> Stride>
  MaxPool(sinter::detail::PerAxis kernel, Stride step, sinter::detail::PerAxis around = 0,
          sinter::detail::PerAxis spread = 1, bool ceil = false)
      : MaxPool(kernel,
                {.stride = step, .padding = around, .dilation = spread, .ceil_mode = ceil}) {}
  template <std::integral Number>
  MaxPool(sinter::detail::PerAxis kernel, std::initializer_list<Number> step,
          sinter::detail::PerAxis around = 0, sinter::detail::PerAxis spread = 1, bool ceil = false)
      : MaxPool(kernel, sinter::detail::PerAxis(sinter::detail::numbers_of(step)), around, spread,
                ceil) {}

  Tensor forward(Operand x) const {
    const MaxPoolOptions options{
        .stride = stride, .padding = padding, .dilation = dilation, .ceil_mode = ceil_mode};
    if constexpr (axes == 1) return max_pool1d(x, kernel_size, options);
    if constexpr (axes == 2) return max_pool2d(x, kernel_size, options);
    if constexpr (axes == 3) return max_pool3d(x, kernel_size, options);
  }
};
using MaxPool1d = MaxPool<1>;
using MaxPool2d = MaxPool<2>;
using MaxPool3d = MaxPool<3>;

/// The mean of each window, over any number of spatial axes.
template <int axes>
struct AvgPool {
  std::vector<std::int64_t> kernel_size{1}, stride{}, padding{0};
  bool ceil_mode = false, count_include_pad = true;
  std::optional<std::int64_t> divisor_override{};
  SINTER_MODULE(AvgPool, kernel_size, stride, padding, ceil_mode, count_include_pad,
                divisor_override)

  AvgPool() = default;
  AvgPool(sinter::detail::PerAxis kernel, AveragePoolOptions options = {})
      : kernel_size(kernel.list()),
        stride(options.stride.list()),
        padding(options.padding.list()),
        ceil_mode(options.ceil_mode),
        count_include_pad(options.count_include_pad),
        divisor_override(options.divisor_override) {}
  /// Torch's positional arguments.
  template <std::convertible_to<sinter::detail::PerAxis> Stride>
  AvgPool(sinter::detail::PerAxis kernel, Stride step, sinter::detail::PerAxis around = 0,
          bool ceil = false, bool count_pad = true,
          std::optional<std::int64_t> divisor = std::nullopt)
      : AvgPool(kernel, {.stride = step,
                         .padding = around,
                         .ceil_mode = ceil,
                         .count_include_pad = count_pad,
                         .divisor_override = divisor}) {}
  template <std::integral Number>
  AvgPool(sinter::detail::PerAxis kernel, std::initializer_list<Number> step,
          sinter::detail::PerAxis around = 0, bool ceil = false, bool count_pad = true,
          std::optional<std::int64_t> divisor = std::nullopt)
      : AvgPool(kernel, sinter::detail::PerAxis(sinter::detail::numbers_of(step)), around, ceil,
                count_pad, divisor) {}

  Tensor forward(Operand x) const {
    const AveragePoolOptions options{.stride = stride,
                                     .padding = padding,
                                     .ceil_mode = ceil_mode,
                                     .count_include_pad = count_include_pad,
                                     .divisor_override = divisor_override};
    if constexpr (axes == 1) return avg_pool1d(x, kernel_size, options);
    if constexpr (axes == 2) return avg_pool2d(x, kernel_size, options);
    if constexpr (axes == 3) return avg_pool3d(x, kernel_size, options);
  }
};
using AvgPool1d = AvgPool<1>;
using AvgPool2d = AvgPool<2>;
using AvgPool3d = AvgPool<3>;

/// The means of `output_size` windows that cover the input evenly.
template <int axes>
struct AdaptiveAvgPool {
  std::vector<std::int64_t> output_size{1};
  SINTER_MODULE(AdaptiveAvgPool, output_size)

  AdaptiveAvgPool() = default;
  AdaptiveAvgPool(sinter::detail::PerAxis size) : output_size(size.list()) {}

  Tensor forward(Operand x) const {
    if constexpr (axes == 1) return adaptive_avg_pool1d(x, output_size);
    if constexpr (axes == 2) return adaptive_avg_pool2d(x, output_size);
    if constexpr (axes == 3) return adaptive_avg_pool3d(x, output_size);
  }
};
using AdaptiveAvgPool1d = AdaptiveAvgPool<1>;
using AdaptiveAvgPool2d = AdaptiveAvgPool<2>;
using AdaptiveAvgPool3d = AdaptiveAvgPool<3>;

/// The largest elements of the same windows.
template <int axes>
struct AdaptiveMaxPool {
  std::vector<std::int64_t> output_size{1};
  SINTER_MODULE(AdaptiveMaxPool, output_size)

  AdaptiveMaxPool() = default;
  AdaptiveMaxPool(sinter::detail::PerAxis size) : output_size(size.list()) {}

  Tensor forward(Operand x) const {
    if constexpr (axes == 1) return adaptive_max_pool1d(x, output_size);
    if constexpr (axes == 2) return adaptive_max_pool2d(x, output_size);
    if constexpr (axes == 3) return adaptive_max_pool3d(x, output_size);
  }
};
using AdaptiveMaxPool1d = AdaptiveMaxPool<1>;
using AdaptiveMaxPool2d = AdaptiveMaxPool<2>;
using AdaptiveMaxPool3d = AdaptiveMaxPool<3>;

}  // namespace sinter::inline SINTER_ABI::nn
