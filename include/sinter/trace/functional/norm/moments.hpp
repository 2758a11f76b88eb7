#pragma once
// The steps of norms over channels: checks, mean and variance, scale and shift, running statistics.

#include <optional>     // std::optional
#include <string_view>  // std::string_view
#include <vector>       // std::vector

#include <sinter/config.hpp>
#include <sinter/trace/core/tensor.hpp>
#include <sinter/trace/functional/norm/channel.hpp>

namespace sinter::inline SINTER_ABI::detail {

/// Of the channels, or of each channel of each sample; they broadcast with x.
struct Moments {
  Tensor mean, variance;
};

/// Throws ShapeError unless `x` has this rank.
void require_rank(const Operand& x, int least, std::string_view op);
/// Throws ShapeError or ValueError unless the running statistics fit `x` and may be changed.
void require_statistics(const Operand& x, const RunningStatistic& mean, const RunningStatistic& var,
                        bool training, std::string_view op);

/// The number of elements of `axes`.
Extent count_of(const Shape& shape, const std::vector<int>& axes);
/// A value for each channel, reshaped to broadcast with `x` and in its computation dtype.
Tensor as_column(const Tensor& values, const Operand& x);
/// (x - mean) / sqrt(variance + eps)
Tensor standardized(const Operand& wide, const Moments& moments, double eps);
/// `normal` * weight + bias in the dtype of a norm of `x`.
Tensor scaled_channels(Tensor normal, const Operand& x, const std::optional<Operand>& weight,
                       const std::optional<Operand>& bias, std::string_view op);
/// Moves a running statistic towards `own`, which is detached from gradients.
void move_towards(const RunningStatistic& running, const Tensor& own, const Operand& momentum,
                  Where where);

}  // namespace sinter::inline SINTER_ABI::detail

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/functional/norm/moments.ipp>
#endif
