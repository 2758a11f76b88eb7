#pragma once

#include <cmath>  // std::sqrt

#include <sinter/nn/initialize.hpp>
#include <sinter/trace/core/cast.hpp>
#include <sinter/trace/ops/creation/create.hpp>
#include <sinter/trace/ops/creation/random.hpp>
#include <sinter/trace/ops/elementwise/elementwise.hpp>
#include <sinter/trace/ops/movement/movement.hpp>

namespace sinter::inline SINTER_ABI::nn {

SINTER_INLINE Tensor uniform_by_inputs(Shape shape, std::int64_t inputs, Where where) {
  const double bound = inputs > 0 ? 1 / std::sqrt(static_cast<double>(inputs)) : 0;
  const Tensor scaled = mul({rand(shape, f32, where), where}, {2 * bound, where});
  return sub({scaled, where}, {bound, where});
}

namespace init {

namespace detail {

struct Fans {
  double in = 0, out = 0;
};

// Fans of a weight (out, in, kernel...), multiplied by the size of the kernel.
SINTER_INLINE Fans fans_of(const Tensor& tensor, std::string_view op, Where where) {
  if (tensor.ndim(where) < 2) {
    throw ShapeError({.op = op,
                      .what = "inputs and outputs cannot be counted",
                      .facts = {{"tensor", to_string(tensor)}},
                      .rule = "the tensor has at least two axes: (out, in, ...)",
                      .fix = "use zeros_ or uniform_ for a bias",
                      .where = where});
  }
  double kernel = 1;
  for (int axis = 2; axis < tensor.ndim(); ++axis) {
    kernel *= static_cast<double>(tensor.size(axis).value());
  }
  return {static_cast<double>(tensor.size(1).value()) * kernel,
          static_cast<double>(tensor.size(0).value()) * kernel};
}

SINTER_INLINE double kaiming_deviation(const Tensor& tensor, const KaimingOptions& options,
                                       std::string_view op, Where where) {
  const Fans fans = fans_of(tensor, op, where);
  const double fan = options.mode == Fan::in ? fans.in : fans.out;
  return calculate_gain(options.nonlinearity, options.a) / std::sqrt(fan);
}

SINTER_INLINE double xavier_deviation(const Tensor& tensor, double gain, std::string_view op,
                                      Where where) {
  const Fans fans = fans_of(tensor, op, where);
  return gain * std::sqrt(2 / (fans.in + fans.out));
}

}  // namespace detail

SINTER_INLINE double calculate_gain(Nonlinearity nonlinearity, double slope) {
  switch (nonlinearity) {
    case Nonlinearity::tanh:
      return 5.0 / 3;
    case Nonlinearity::relu:
      return std::sqrt(2.0);
    case Nonlinearity::leaky_relu:
      return std::sqrt(2 / (1 + slope * slope));
    case Nonlinearity::selu:
      return 0.75;
    case Nonlinearity::linear:
    case Nonlinearity::sigmoid:
      break;
  }
  return 1;
}

SINTER_INLINE Tensor& uniform_(Tensor& tensor, double a, double b, Where where) {
  const Tensor unit = rand(tensor.shape(where), tensor.dtype(where), where);
  const Tensor scaled = mul({unit, where}, {b - a, where});
  return tensor = add({scaled, where}, {a, where});
}

SINTER_INLINE Tensor& normal_(Tensor& tensor, double mean, double std, Where where) {
  const Tensor unit = randn(tensor.shape(where), tensor.dtype(where), where);
  const Tensor scaled = mul({unit, where}, {std, where});
  return tensor = add({scaled, where}, {mean, where});
}

SINTER_INLINE Tensor& constant_(Tensor& tensor, double value, Where where) {
  return tensor = full_like({tensor, where}, {value, where});
}

SINTER_INLINE Tensor& zeros_(Tensor& tensor, Where where) { return constant_(tensor, 0, where); }
SINTER_INLINE Tensor& ones_(Tensor& tensor, Where where) { return constant_(tensor, 1, where); }

SINTER_INLINE Tensor& eye_(Tensor& tensor, Where where) {
  if (tensor.ndim(where) != 2) {
    throw ShapeError({.op = "eye_",
                      .what = "the tensor is not a matrix",
                      .facts = {{"tensor", to_string(tensor)}},
                      .rule = "tensor.ndim() == 2",
                      .fix = "use ones_ or constant_ for other shapes",
                      .where = where});
  }
  const Tensor rows = unsqueeze({arange(tensor.size(0), where), where}, 1);
  const Tensor ones = eq({rows, where}, {arange(tensor.size(1), where), where});
  return tensor = sinter::detail::cast({ones, where}, tensor.dtype());
}

SINTER_INLINE Tensor& xavier_uniform_(Tensor& tensor, double gain, Where where) {
  const double deviation = detail::xavier_deviation(tensor, gain, "xavier_uniform_", where);
  const double bound = std::sqrt(3.0) * deviation;
  return uniform_(tensor, -bound, bound, where);
}

SINTER_INLINE Tensor& xavier_normal_(Tensor& tensor, double gain, Where where) {
  return normal_(tensor, 0, detail::xavier_deviation(tensor, gain, "xavier_normal_", where), where);
}

SINTER_INLINE Tensor& kaiming_uniform_(Tensor& tensor, KaimingOptions options, Where where) {
  const double deviation = detail::kaiming_deviation(tensor, options, "kaiming_uniform_", where);
  const double bound = std::sqrt(3.0) * deviation;
  return uniform_(tensor, -bound, bound, where);
}

SINTER_INLINE Tensor& kaiming_normal_(Tensor& tensor, KaimingOptions options, Where where) {
  const double deviation = detail::kaiming_deviation(tensor, options, "kaiming_normal_", where);
  return normal_(tensor, 0, deviation, where);
}

}  // namespace init

}  // namespace sinter::inline SINTER_ABI::nn
