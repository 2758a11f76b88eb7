#pragma once

#include <sinter/base/container/vector.hpp>
#include <sinter/trace/context/autocast.hpp>
#include <sinter/trace/core/cast.hpp>
#include <sinter/trace/core/record.hpp>
#include <sinter/trace/core/recorder.hpp>
#include <sinter/trace/functional/convolution/convolution.hpp>
#include <sinter/trace/functional/convolution/grouped.hpp>
#include <sinter/trace/functional/convolution/ungrouped.hpp>
#include <sinter/trace/ops/elementwise/elementwise.hpp>
#include <sinter/trace/ops/movement/movement.hpp>
#include <sinter/trace/ops/reduce/reduce.hpp>

namespace sinter::inline SINTER_ABI {

namespace detail {

[[noreturn]] SINTER_INLINE void throw_convolution(std::string_view op, const Operand& x,
                                                  const Operand& weight, std::int64_t groups,
                                                  std::string what, std::string rule) {
  std::vector<std::pair<std::string, std::string>> facts{
      {"x", to_string(x)}, {"weight", to_string(weight)}, {"groups", text(groups)}};
  add_module(facts);
  throw ShapeError(
      {.op = op,
       .what = what,
       .facts = std::move(facts),
       .rule = rule,
       .fix = "channels are axis 1 of a batch, as in torch; permute x if they are last",
       .where = x.where});
}

// The dtype in which a convolution computes.
SINTER_INLINE DType convolution_dtype(std::string_view op, const Operand& x,
                                      const Operand& weight) {
  const DType dtype = promote(x.type(), weight.type()).dtype;
  if (dtype != boolean) return autocast_product(dtype);
  throw DTypeError({.op = op,
                    .what = "boolean tensors have no product",
                    .facts = {{"x", to_string(x)}, {"weight", to_string(weight)}},
                    .rule = "an operand is of a numeric dtype",
                    .fix = "cast one: x.to(f32)",
                    .where = x.where,
                    .see = "dtypes"});
}

// The padding at both ends of one axis; for "same", an odd element goes to the end, as in torch.
SINTER_INLINE void set_padding(Vector<WindowAxis>& axes, const Padding& padding,
                               std::string_view op, Where where) {
  if (padding.name().empty() || padding.name() == "valid") {
    const PerAxis none = 0;
    const auto list = per_axis(padding.name().empty() ? padding.numbers() : none, axes.size(), 0,
                               op, "padding", where);
    for (std::size_t i = 0; i < axes.size(); ++i) axes[i].low = axes[i].high = list[i];
    return;
  }
  for (WindowAxis& axis : axes) {
    if (padding.name() != "same" || axis.step != 1) {
      throw ValueError(
          {.op = op,
           .what = padding.name() == "same" ? "\"same\" needs a stride of 1"
                                            : "there is no such padding",
           .facts = {{"padding", std::string(padding.name())}, {"stride", text(axis.step)}},
           .rule = "padding is a number, \"valid\", or \"same\" with a stride of 1",
           .fix = "write the padding in numbers",
           .where = where});
    }
    axis.low = (axis.reach() - 1) / 2;
    axis.high = axis.reach() - 1 - axis.low;
  }
}

// The windows of a kernel with the spatial shape of `weight`.
SINTER_INLINE Vector<WindowAxis> kernel_axes(const Tensor& weight, const PerAxis& stride,
                                             const PerAxis& dilation, std::string_view op,
                                             Where where) {
  const auto count = static_cast<std::size_t>(weight.ndim() - 2);
  const auto steps = per_axis(stride, count, 1, op, "stride", where);
  const auto dilations = per_axis(dilation, count, 1, op, "dilation", where);
  std::vector<std::int64_t> sizes;
  for (int axis = 2; axis < weight.ndim(); ++axis) {
    sizes.push_back(weight.shape()[axis].value(where));
  }
  sizes = per_axis(sizes, count, 1, op, "kernel", where);
  Vector<WindowAxis> axes;
  for (std::size_t i = 0; i < count; ++i) axes.push_back({sizes[i], steps[i], dilations[i]});
  return axes;
}

SINTER_INLINE Tensor convolve(const Tensor& x, const Tensor& weight, std::int64_t groups,
                              const Vector<WindowAxis>& axes, std::string_view op, Where where) {
  if (groups == 1) return convolve_whole(x, weight, axes, op, where);
  return convolve_grouped(x, weight, groups, axes, op, where);
}

SINTER_INLINE Tensor with_bias(const Tensor& x, const Operand& bias, int axes, Extent out,
                               std::string_view op) {
  const Shape shape = bias.shape();
  if (shape.size() != 1 || !equal_sizes(shape[0], out, bias.where)) {
    throw ShapeError({.op = op,
                      .what = "the bias does not fit the channels of the result",
                      .facts = {{"result", to_string(x)}, {"bias", to_string(bias)}},
                      .rule = "there is one number for each channel of the result",
                      .fix = "add other tensors to the result",
                      .where = bias.where});
  }
  Shape column{out};
  for (int i = 0; i < axes; ++i) column.push_back(1);
  const bool is_short = autocast_dtype() && x.dtype() == *autocast_dtype();
  const Tensor given = is_short ? cast(bias, x.dtype()) : bias.tensor();
  const Tensor addend = reshape({given, bias.where}, column);
  return add({x, bias.where}, {addend, bias.where});
}

SINTER_INLINE void require_groups(std::string_view op, const Operand& x, const Operand& weight,
                                  int axes, std::int64_t groups, int channels_axis) {
  const Shape shape = weight.shape();
  if (shape.size() != axes + 2) {
    throw_convolution(op, x, weight, groups, "the weight has the wrong rank",
                      text("the weight has ", axes + 2, " axes"));
  }
  if (groups < 1 || !equal_sizes(mod(shape[0], groups), 0, x.where)) {
    throw_convolution(op, x, weight, groups, "the groups do not divide the channels",
                      "groups >= 1 and weight.shape[0] % groups == 0");
  }
  const Extent needed = channels_axis == 0 ? shape[0] : shape[1] * groups;
  if (equal_sizes(x.shape()[-axes - 1], needed, x.where)) return;
  throw_convolution(op, x, weight, groups, "the channels of the input do not fit the weight",
                    channels_axis == 0 ? "channels of x == weight.shape[0]"
                                       : "channels of x == weight.shape[1] * groups");
}

SINTER_INLINE Tensor convolution(std::string_view op, int axes, const Operand& x,
                                 const Operand& weight, const Operand* bias,
                                 const ConvolutionOptions& options) {
  const Where at = x.where;
  const Tensor batch = with_batch_axis(x, axes, op);
  require_groups(op, x, weight, axes, options.groups, 1);
  const DType dtype = convolution_dtype(op, x, weight);
  const Tensor filter = cast(weight, dtype);
  auto list = kernel_axes(filter, options.stride, options.dilation, op, at);
  set_padding(list, options.padding, op, at);
  Tensor result = convolve(cast({batch, at}, dtype), filter, options.groups, list, op, at);
  if (bias != nullptr)
    result = with_bias(result, {bias->tensor(), at}, axes, filter.shape()[0], op);
  return x.shape().size() == axes + 1 ? squeeze({result, at}, 0) : result;
}

}  // namespace detail

SINTER_INLINE Tensor conv1d(Operand x, Operand weight, ConvolutionOptions options) {
  const detail::PublicCall call("conv1d", x.where);
  return detail::convolution("conv1d", 1, x, weight, nullptr, options);
}
SINTER_INLINE Tensor conv1d(Operand x, Operand weight, Operand bias, ConvolutionOptions options) {
  const detail::PublicCall call("conv1d", x.where);
  return detail::convolution("conv1d", 1, x, weight, &bias, options);
}

SINTER_INLINE Tensor conv2d(Operand x, Operand weight, ConvolutionOptions options) {
  const detail::PublicCall call("conv2d", x.where);
  return detail::convolution("conv2d", 2, x, weight, nullptr, options);
}
SINTER_INLINE Tensor conv2d(Operand x, Operand weight, Operand bias, ConvolutionOptions options) {
  const detail::PublicCall call("conv2d", x.where);
  return detail::convolution("conv2d", 2, x, weight, &bias, options);
}

SINTER_INLINE Tensor conv3d(Operand x, Operand weight, ConvolutionOptions options) {
  const detail::PublicCall call("conv3d", x.where);
  return detail::convolution("conv3d", 3, x, weight, nullptr, options);
}
SINTER_INLINE Tensor conv3d(Operand x, Operand weight, Operand bias, ConvolutionOptions options) {
  const detail::PublicCall call("conv3d", x.where);
  return detail::convolution("conv3d", 3, x, weight, &bias, options);
}

SINTER_INLINE Tensor conv1d(Operand x, Operand weight, detail::NoOperand,
                            ConvolutionOptions options) {
  return conv1d(x, weight, options);
}
SINTER_INLINE Tensor conv2d(Operand x, Operand weight, detail::NoOperand,
                            ConvolutionOptions options) {
  return conv2d(x, weight, options);
}
SINTER_INLINE Tensor conv3d(Operand x, Operand weight, detail::NoOperand,
                            ConvolutionOptions options) {
  return conv3d(x, weight, options);
}

}  // namespace sinter::inline SINTER_ABI
