#pragma once
// Norms over channels (axis 1): batch norm, group norm, instance norm, local response norm.

#include <cstdint>   // std::int64_t
#include <optional>  // std::nullopt_t

#include <sinter/config.hpp>
#include <sinter/trace/core/tensor.hpp>
#include <sinter/trace/module/walk.hpp>

namespace sinter::inline SINTER_ABI {

namespace detail {

/// Running statistics that a norm reads, and updates in training: a tensor of the program, or none.
class RunningStatistic {
 public:
  RunningStatistic() = default;  ///< None, `{}`.
  RunningStatistic(std::nullopt_t) {}
  RunningStatistic(Tensor& state) : value_(state), state_(&state) {}
  RunningStatistic(nn::Buffer& buffer) : RunningStatistic(buffer.value) {}
  /// Read-only.
  RunningStatistic(const Tensor& value) : value_(value) {}
  RunningStatistic(const nn::Buffer& buffer) : value_(buffer.value) {}

  bool is_given() const { return value_.defined(); }
  const Tensor& value() const { return value_; }
  /// Null if read-only.
  Tensor* state() const { return state_; }

 private:
  Tensor value_{};
  Tensor* state_ = nullptr;
};

}  // namespace detail

/// (x - mean) / sqrt(var + eps) * weight + bias for each channel. In training, mean and variance
/// are those of `x` over all axes but axis 1, and the running statistics are updated: running = (1
/// - momentum) * running + momentum * batch, where the batch variance divides by n - 1. Otherwise
/// the running statistics are used, or those of `x` if there are none.
///
/// Shapes   x (batch, channels, ...), all others (channels)
/// DTypes   floating; f16 and bf16 compute in f32
/// Throws   ShapeError if they do not fit; ValueError if `training` and a channel has one element,
///          or the running statistics are read-only, or one of them is missing
/// Gradient through mean and variance of `x`; none through the running statistics
/// Source   https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.batch_norm.html
Tensor batch_norm(Operand x, detail::RunningStatistic running_mean,
                  detail::RunningStatistic running_var,
                  std::optional<Operand> weight = std::nullopt,
                  std::optional<Operand> bias = std::nullopt, bool training = false,
                  Operand momentum = 0.1, double eps = 1e-5);

/// (x - mean) / sqrt(var + eps) over the channels of a group and all spatial axes; then * weight +
/// bias for each channel.
///
/// Shapes   x (batch, channels, ...), weight and bias (channels)
/// Throws   ShapeError if they do not fit or `groups` does not divide the channels
/// Source   https://arxiv.org/abs/1803.08494
Tensor group_norm(Operand x, std::int64_t num_groups, std::optional<Operand> weight = std::nullopt,
                  std::optional<Operand> bias = std::nullopt, double eps = 1e-5);

/// The same for each channel of each sample. Running statistics, if given, work as in batch_norm,
/// averaged over the batch; `use_input_stats` corresponds to `training`.
///
/// Source   https://arxiv.org/abs/1607.08022
Tensor instance_norm(Operand x, detail::RunningStatistic running_mean = std::nullopt,
                     detail::RunningStatistic running_var = std::nullopt,
                     std::optional<Operand> weight = std::nullopt,
                     std::optional<Operand> bias = std::nullopt, bool use_input_stats = true,
                     Operand momentum = 0.1, double eps = 1e-5);

/// x / (k + alpha * mean of x^2 over `size` neighbouring channels)^beta.
///
/// Source
/// https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.local_response_norm.html
Tensor local_response_norm(Operand x, std::int64_t size, double alpha = 1e-4, double beta = 0.75,
                           double k = 1);

}  // namespace sinter::inline SINTER_ABI

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/functional/norm/channel.ipp>
#endif
