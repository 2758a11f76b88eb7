#pragma once
// Layers that normalize the last axes.

#include <cstdint>   // std::int64_t
#include <optional>  // std::optional

#include <sinter/trace/create.hpp>
#include <sinter/trace/module.hpp>
#include <sinter/trace/normalize.hpp>
#include <sinter/trace/walk.hpp>

namespace sinter::inline SINTER_ABI::nn {

struct LayerNormOptions {
  double eps = 1e-5;
  bool bias = true;
};

/// (x - mean) / sqrt(var + eps) * weight + bias over the last axes.
///
/// Shapes   (..., shape) -> (..., shape)
/// Throws   ShapeError if x does not end in the shape of the weight
struct LayerNorm {
  Tensor weight;               ///< Starts as 1.
  std::optional<Tensor> bias;  ///< Starts as 0.
  double eps = 1e-5;
  SINTER_MODULE(LayerNorm, weight, bias, eps)

  LayerNorm() = default;
  LayerNorm(std::int64_t width, LayerNormOptions options = {}, Where where = Where::current())
      : LayerNorm(Shape{width}, options, where) {}
  LayerNorm(Shape shape, LayerNormOptions options = {}, Where where = Where::current())
      : weight(ones(shape, f32, where)), eps(options.eps) {
    if (options.bias) bias = zeros(shape, f32, where);
  }

  Tensor forward(Operand x) const {
    const Where at = x.where;
    return bias ? layer_norm(x, {weight, at}, {*bias, at}, eps) : layer_norm(x, {weight, at}, eps);
  }
};

struct RMSNormOptions {
  double eps = 1e-5;
};

/// x / sqrt(mean(x^2) + eps) * weight over the last axis.
///
/// Shapes   (..., width) -> (..., width)
/// Throws   ShapeError if the last axis of x is not `width`
struct RMSNorm {
  Tensor weight;  ///< Starts as 1.
  double eps = 1e-5;
  SINTER_MODULE(RMSNorm, weight, eps)

  RMSNorm() = default;
  RMSNorm(std::int64_t width, RMSNormOptions options = {}, Where where = Where::current())
      : weight(ones({width}, f32, where)), eps(options.eps) {}

  Tensor forward(Operand x) const { return rms_norm(x, {weight, x.where}, eps); }
};

}  // namespace sinter::inline SINTER_ABI::nn
