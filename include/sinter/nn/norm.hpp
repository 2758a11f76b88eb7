#pragma once
// Normalization layers: layer, RMS, group, batch and instance norm.

#include <cstdint>   // std::int64_t
#include <optional>  // std::optional

#include <sinter/trace/functional/norm/channel.hpp>
#include <sinter/trace/functional/norm/normalize.hpp>
#include <sinter/trace/module/module.hpp>
#include <sinter/trace/module/walk.hpp>
#include <sinter/trace/ops/creation/create.hpp>

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
  std::optional<double> eps{};  ///< Defaults to the machine epsilon of the dtype.
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

/// (x - mean) / sqrt(var + eps) over groups of channels and all spatial axes; then * weight + bias.
///
/// Shapes   (batch, channels, ...) -> (batch, channels, ...)
/// Throws   ShapeError if x does not fit; ValueError unless the groups divide the channels
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

struct BatchNormOptions {
  double eps = 1e-5;
  std::optional<double> momentum = 0.1;  ///< nullopt: cumulative average of all batches.
  bool affine = true;
  bool track_running_stats = true;       ///< If false, uses batch statistics, even in eval.
};

struct InstanceNormOptions {
  double eps = 1e-5;
  std::optional<double> momentum = 0.1;
  bool affine = false;
  bool track_running_stats = false;
};

namespace detail {

/// Whether statistics are over the batch or over each instance.
enum class Statistics : std::uint8_t { of_batch, of_instance };

/// Shared by batch and instance norms. State is named as in torch.
struct ChannelNorm {
  std::optional<Tensor> weight;               ///< (channels); starts as 1.
  std::optional<Tensor> bias;                 ///< (channels); starts as 0.
  std::optional<Buffer> running_mean;         ///< (channels); starts as 0.
  std::optional<Buffer> running_var;          ///< (channels); starts as 1.
  std::optional<Buffer> num_batches_tracked;  ///< i64[], the number of training batches.
  double eps = 1e-5;
  std::optional<double> momentum = 0.1;
  bool training = true;

  ChannelNorm() = default;
  ChannelNorm(std::int64_t channels, const BatchNormOptions& options, Where where);

  /// Normalizes `x`, which has `axes` spatial axes, by statistics over the ranks of `group`, if
  /// any; updates the running statistics in training.
  Tensor normalize(const Operand& x, int axes, Statistics, std::optional<int> group = {});
  /// The same for a const module; throws ValueError where the running statistics would change.
  Tensor normalize(const Operand& x, int axes, Statistics, std::optional<int> group = {}) const;
};

}  // namespace detail

/// batch_norm with running statistics, over `axes` spatial axes: (batch, channels, ...).
template <int axes>
struct BatchNorm : detail::ChannelNorm {
  std::optional<int> sync_group;  ///< Set by nn::SyncBatchNorm::convert_sync_batchnorm().
  SINTER_MODULE(BatchNorm, weight, bias, running_mean, running_var, num_batches_tracked, eps,
                momentum, training, sync_group)

  BatchNorm() = default;
  BatchNorm(std::int64_t channels, BatchNormOptions options = {}, Where where = Where::current())
      : ChannelNorm(channels, options, where) {}

  Tensor forward(Operand x) { return normalize(x, axes, detail::Statistics::of_batch, sync_group); }
  /// For const models: after eval(model), or without running statistics.
  Tensor operator()(Operand x) const {
    return normalize(x, axes, detail::Statistics::of_batch, sync_group);
  }
};

using BatchNorm1d = BatchNorm<1>;  ///< Also (batch, channels).
using BatchNorm2d = BatchNorm<2>;
using BatchNorm3d = BatchNorm<3>;

/// instance_norm, over `axes` spatial axes.
template <int axes>
struct InstanceNorm : detail::ChannelNorm {
  SINTER_MODULE(InstanceNorm, weight, bias, running_mean, running_var, num_batches_tracked, eps,
                momentum, training)

  InstanceNorm() = default;
  InstanceNorm(std::int64_t channels, InstanceNormOptions options = {},
               Where where = Where::current())
      : ChannelNorm(channels,
                    {options.eps, options.momentum, options.affine, options.track_running_stats},
                    where) {}

  Tensor forward(Operand x) { return normalize(x, axes, detail::Statistics::of_instance); }
  Tensor operator()(Operand x) const { return normalize(x, axes, detail::Statistics::of_instance); }
};

using InstanceNorm1d = InstanceNorm<1>;
using InstanceNorm2d = InstanceNorm<2>;
using InstanceNorm3d = InstanceNorm<3>;

}  // namespace sinter::inline SINTER_ABI::nn

#ifdef SINTER_DEFINITIONS
#include <sinter/nn/norm.ipp>
#endif
