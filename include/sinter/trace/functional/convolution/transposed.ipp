#pragma once

#include <sinter/base/container/vector.hpp>
#include <sinter/trace/core/cast.hpp>
#include <sinter/trace/core/recorder.hpp>
#include <sinter/trace/functional/convolution/convolution.hpp>
#include <sinter/trace/functional/convolution/grouped.hpp>
#include <sinter/trace/functional/convolution/transposed.hpp>
#include <sinter/trace/ops/movement/movement.hpp>

namespace sinter::inline SINTER_ABI {

namespace detail {

SINTER_INLINE void require_output_padding(const std::vector<std::int64_t>& extra,
                                          const Vector<WindowAxis>& axes, std::string_view op,
                                          Where where) {
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if (extra[i] < axes[i].step || extra[i] < axes[i].dilation) continue;
    throw ValueError({.op = op,
                      .what = "the output padding is too large",
                      .facts = {{"padding", text(extra)}, {"stride", text(axes[i].step)}},
                      .rule = "output_padding < stride, or < dilation",
                      .fix = "pad the result instead",
                      .where = where});
  }
}

[[noreturn]] SINTER_INLINE void throw_cut(std::string_view op, const Operand& x, std::int64_t cut) {
  throw ShapeError({.op = op,
                    .what = "the padding is larger than the result",
                    .facts = {{"x", to_string(x)}, {"padding", text(cut)}},
                    .rule = "the padding is cut off both ends of the result",
                    .fix = "use a smaller padding",
                    .where = x.where});
}

SINTER_INLINE Tensor transposed_convolution(std::string_view op, int axes, const Operand& x,
                                            const Operand& weight, const Operand* bias,
                                            const TransposedConvolutionOptions& options) {
  const Where at = x.where;
  const auto count = static_cast<std::size_t>(axes);
  const std::int64_t groups = options.groups;
  const Tensor batch = with_batch_axis(x, axes, op);
  require_groups(op, x, weight, axes, groups, 0);
  const DType dtype = convolution_dtype(op, x, weight);
  const Tensor filter = transposed_weight(cast(weight, dtype), groups, at);
  auto list = kernel_axes(filter, options.stride, options.dilation, op, at);
  const auto cut = per_axis(options.padding, count, 0, op, "padding", at);
  const auto extra = per_axis(options.output_padding, count, 0, op, "output_padding", at);
  require_output_padding(extra, list, op, at);
  Tensor spread = cast({batch, at}, dtype);
  for (std::size_t i = 0; i < count; ++i) {
    spread = spread_apart(spread, static_cast<int>(i) + 2, list[i].step, at);
    list[i].low = list[i].reach() - 1;
    list[i].high = list[i].low + extra[i];
    list[i].step = 1;
  }
  Tensor result = convolve(spread, filter, groups, list, op, at);
  for (std::size_t i = 0; i < count; ++i) {
    const int axis = static_cast<int>(i) + 2;
    if (cut[i] == 0) continue;
    if (!at_least(result.shape()[axis], 2 * cut[i], at)) throw_cut(op, x, cut[i]);
    result = slice({result, at}, axis, cut[i], result.shape()[axis] - cut[i]);
  }
  if (bias != nullptr) {
    result = with_bias(result, {bias->tensor(), at}, axes, filter.shape()[0], op);
  }
  return x.shape().size() == axes + 1 ? squeeze({result, at}, 0) : result;
}

}  // namespace detail

SINTER_INLINE Tensor conv_transpose1d(Operand x, Operand weight,
                                      TransposedConvolutionOptions options) {
  const detail::PublicCall call("conv_transpose1d", x.where);
  return detail::transposed_convolution("conv_transpose1d", 1, x, weight, nullptr, options);
}
SINTER_INLINE Tensor conv_transpose1d(Operand x, Operand weight, Operand bias,
                                      TransposedConvolutionOptions options) {
  const detail::PublicCall call("conv_transpose1d", x.where);
  return detail::transposed_convolution("conv_transpose1d", 1, x, weight, &bias, options);
}

SINTER_INLINE Tensor conv_transpose2d(Operand x, Operand weight,
                                      TransposedConvolutionOptions options) {
  const detail::PublicCall call("conv_transpose2d", x.where);
  return detail::transposed_convolution("conv_transpose2d", 2, x, weight, nullptr, options);
}
SINTER_INLINE Tensor conv_transpose2d(Operand x, Operand weight, Operand bias,
                                      TransposedConvolutionOptions options) {
  const detail::PublicCall call("conv_transpose2d", x.where);
  return detail::transposed_convolution("conv_transpose2d", 2, x, weight, &bias, options);
}

SINTER_INLINE Tensor conv_transpose3d(Operand x, Operand weight,
                                      TransposedConvolutionOptions options) {
  const detail::PublicCall call("conv_transpose3d", x.where);
  return detail::transposed_convolution("conv_transpose3d", 3, x, weight, nullptr, options);
}
SINTER_INLINE Tensor conv_transpose3d(Operand x, Operand weight, Operand bias,
                                      TransposedConvolutionOptions options) {
  const detail::PublicCall call("conv_transpose3d", x.where);
  return detail::transposed_convolution("conv_transpose3d", 3, x, weight, &bias, options);
}

SINTER_INLINE Tensor conv_transpose1d(Operand x, Operand weight, detail::NoOperand,
                                      TransposedConvolutionOptions options) {
  return conv_transpose1d(x, weight, options);
}
SINTER_INLINE Tensor conv_transpose2d(Operand x, Operand weight, detail::NoOperand,
                                      TransposedConvolutionOptions options) {
  return conv_transpose2d(x, weight, options);
}
SINTER_INLINE Tensor conv_transpose3d(Operand x, Operand weight, detail::NoOperand,
                                      TransposedConvolutionOptions options) {
  return conv_transpose3d(x, weight, options);
}

}  // namespace sinter::inline SINTER_ABI
