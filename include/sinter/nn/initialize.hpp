#pragma once
// Initial values of parameters: torch's defaults, and nn::init.

#include <cstdint>  // std::int64_t

#include <sinter/config.hpp>
#include <sinter/trace/core/tensor.hpp>

namespace sinter::inline SINTER_ABI::nn {

/// Uniform in [-1 / sqrt(inputs), 1 / sqrt(inputs)): the default for weight and bias of a linear
/// layer.
///
/// Source   kaiming_uniform_ with a = sqrt(5), https://docs.pytorch.org/docs/stable/nn.init.html
Tensor uniform_by_inputs(Shape shape, std::int64_t inputs, Where where = Where::current());

/// Functions that assign new values of the same shape and dtype to a tensor, to initialize
/// parameters: nn::init::xavier_uniform_(layer.weight). They return the tensor.
///
/// Source   https://docs.pytorch.org/docs/stable/nn.init.html
namespace init {

/// Fan-in or fan-out of a weight (out, in, ...).
enum class Fan : std::uint8_t { in, out };
/// The activation after the layer, which determines the gain that preserves the standard deviation.
enum class Nonlinearity : std::uint8_t { linear, sigmoid, tanh, relu, leaky_relu, selu };

/// 1, 5 / 3 for tanh, sqrt(2) for relu, sqrt(2 / (1 + slope^2)) for leaky_relu, 3 / 4 for selu.
double calculate_gain(Nonlinearity nonlinearity, double slope = 0.01);

Tensor& uniform_(Tensor& tensor, double a = 0, double b = 1, Where where = Where::current());
Tensor& normal_(Tensor& tensor, double mean = 0, double std = 1, Where where = Where::current());
Tensor& constant_(Tensor& tensor, double value, Where where = Where::current());
Tensor& zeros_(Tensor& tensor, Where where = Where::current());
Tensor& ones_(Tensor& tensor, Where where = Where::current());
/// The matrix with ones on its diagonal.
///
/// Throws   ShapeError unless the tensor is a matrix
Tensor& eye_(Tensor& tensor, Where where = Where::current());

/// Uniform in [-bound, bound) with bound = gain * sqrt(6 / (inputs + outputs)).
///
/// Throws   ShapeError if the tensor has less than two axes, here and below
/// Source   https://proceedings.mlr.press/v9/glorot10a.html
Tensor& xavier_uniform_(Tensor& tensor, double gain = 1, Where where = Where::current());
/// Normal with standard deviation gain * sqrt(2 / (inputs + outputs)).
Tensor& xavier_normal_(Tensor& tensor, double gain = 1, Where where = Where::current());

struct KaimingOptions {
  double a = 0;  ///< The slope of a leaky_relu.
  Fan mode = Fan::in;
  Nonlinearity nonlinearity = Nonlinearity::leaky_relu;
};
/// Uniform in [-bound, bound) with bound = gain * sqrt(3 / fan).
///
/// Source   https://arxiv.org/abs/1502.01852
Tensor& kaiming_uniform_(Tensor& tensor, KaimingOptions options = {},
                         Where where = Where::current());
/// Normal with standard deviation gain / sqrt(fan).
Tensor& kaiming_normal_(Tensor& tensor, KaimingOptions options = {},
                        Where where = Where::current());

}  // namespace init

}  // namespace sinter::inline SINTER_ABI::nn

#ifdef SINTER_DEFINITIONS
#include <sinter/nn/initialize.ipp>
#endif
