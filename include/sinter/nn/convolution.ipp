#pragma once

#include <sinter/nn/convolution.hpp>

namespace sinter::inline SINTER_ABI::nn::detail {

SINTER_INLINE Shape convolution_weight(std::int64_t in, std::int64_t out,
                                       const sinter::detail::PerAxis& kernel_size, int axes,
                                       std::int64_t groups, bool is_transposed, Where where) {
  const std::string name =
      sinter::detail::text(is_transposed ? "ConvTranspose" : "Conv", axes, "d");
  if (in < 1 || out < 1 || groups < 1 || in % groups != 0 || out % groups != 0) {
    throw ValueError({.op = name,
                      .what = "the groups do not divide the channels",
                      .facts = {{"in", sinter::detail::text(in)},
                                {"out", sinter::detail::text(out)},
                                {"groups", sinter::detail::text(groups)}},
                      .rule = "in % groups == 0 and out % groups == 0, all at least 1",
                      .fix = "use a number of groups that divides both",
                      .where = where});
  }
  Shape shape = is_transposed ? Shape{in, out / groups} : Shape{out, in / groups};
  for (const std::int64_t size : sinter::detail::per_axis(
           kernel_size, static_cast<std::size_t>(axes), 1, name, "kernel_size", where)) {
    shape.push_back(size);
  }
  return shape;
}

SINTER_INLINE Tensor convolution(const Operand& x, const Tensor& weight,
                                 const std::optional<Tensor>& bias,
                                 const ConvolutionOptions& options) {
  const Where at = x.where;
  const int axes = weight.ndim(at) - 2;
  const Operand filter(weight, at), offset = bias ? Operand(*bias, at) : Operand(0, at);
  if (!bias) {
    if (axes == 1) return conv1d(x, filter, options);
    return axes == 2 ? conv2d(x, filter, options) : conv3d(x, filter, options);
  }
  if (axes == 1) return conv1d(x, filter, offset, options);
  return axes == 2 ? conv2d(x, filter, offset, options) : conv3d(x, filter, offset, options);
}

SINTER_INLINE Tensor transposed_convolution(const Operand& x, const Tensor& weight,
                                            const std::optional<Tensor>& bias,
                                            const TransposedConvolutionOptions& options) {
  const int axes = weight.ndim(x.where) - 2;
  const Operand filter(weight, x.where);
  if (axes == 1) return conv_transpose1d(x, filter, bias, options);
  if (axes == 2) return conv_transpose2d(x, filter, bias, options);
  return conv_transpose3d(x, filter, bias, options);
}

}  // namespace sinter::inline SINTER_ABI::nn::detail
