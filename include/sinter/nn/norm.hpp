#pragma once
// Layers that normalize the last axes, or groups of channels, of each element of a batch.

#include <cstdint>   // std::int64_t
#include <optional>  // std::optional

#include <sinter/trace/channel_norm.hpp>
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
  LayerNorm(Shape shape, LayerNormOptions options = {}, Where where = Where::current());

  Tensor forward(Operand x) const;
};

struct RMSNormOptions {
  std::optional<double> eps{};  ///< The step of the dtype at 1, unless it is given.
};

/// x / sqrt(mean(x^2) + eps) * weight over the last axes.
///
/// Shapes   (..., shape) -> (..., shape)
/// Throws   ShapeError if x does not end in the shape of the weight
struct RMSNorm {
  Tensor weight;  ///< Starts as 1.
  std::optional<double> eps{};
  SINTER_MODULE(RMSNorm, weight, eps)

  RMSNorm() = default;
  RMSNorm(std::int64_t width, RMSNormOptions options = {}, Where where = Where::current())
      : RMSNorm(Shape{width}, options, where) {}
  RMSNorm(Shape shape, RMSNormOptions options = {}, Where where = Where::current());

  Tensor forward(Operand x) const;
};

struct GroupNormOptions {
  double eps = 1e-5;
  bool affine = true;  ///< With weight and bias.
};

/// (x - mean) / sqrt(var + eps) over groups of channels and all axes behind; * weight + bias.
///
/// Shapes   (batch, channels, ...) -> (batch, channels, ...)
/// Throws   ShapeError if x does not fit; ValueError if the groups do not divide the channels
struct GroupNorm {
  std::optional<Tensor> weight;  ///< (channels); starts as 1.
  std::optional<Tensor> bias;    ///< (channels); starts as 0.
  std::int64_t num_groups = 1;
  double eps = 1e-5;
  SINTER_MODULE(GroupNorm, weight, bias, num_groups, eps)

  GroupNorm() = default;
  GroupNorm(std::int64_t groups, std::int64_t channels, GroupNormOptions options = {},
            Where where = Where::current());

  Tensor forward(Operand x) const;
};

}  // namespace sinter::inline SINTER_ABI::nn

#ifdef SINTER_DEFINITIONS
#include <sinter/nn/norm.ipp>
#endif
