#pragma once

#include <sinter/nn/batch_norm.hpp>
#include <sinter/trace/cast.hpp>
#include <sinter/trace/elementwise.hpp>

namespace sinter::inline SINTER_ABI::nn::detail {

SINTER_INLINE ChannelNorm::ChannelNorm(std::int64_t channels, const BatchNormOptions& options,
                                       Where where)
    : eps(options.eps), momentum(options.momentum) {
  if (options.affine) {
    weight = ones({channels}, f32, where);
    bias = zeros({channels}, f32, where);
  }
  if (!options.track_running_stats) return;
  running_mean = zeros({channels}, f32, where);
  running_var = ones({channels}, f32, where);
  num_batches_tracked = zeros({}, i64, where);
}

SINTER_INLINE void require_spatial(const Operand& x, int axes, Statistics statistics) {
  const int rank = x.shape().size();
  const bool is_batch = statistics == Statistics::of_batch;
  if (rank == axes + 2 || (is_batch && axes == 1 && rank == 2)) return;
  throw ShapeError({.op = sinter::detail::text(is_batch ? "BatchNorm" : "InstanceNorm", axes, "d"),
                    .what = "the input has another rank",
                    .facts = {{"x", to_string(x)}},
                    .rule = sinter::detail::text("x is (batch, channels, ", axes, " spatial axes)"),
                    .fix = "unsqueeze the axes that are missing, or use another layer",
                    .where = x.where,
                    .see = "norms"});
}

// The running statistics are those of a layer, or a copy of them that cannot be changed.
SINTER_INLINE Tensor normalized(const Operand& x, const ChannelNorm& norm, Statistics statistics,
                                const sinter::detail::RunningStatistic& mean,
                                const sinter::detail::RunningStatistic& var,
                                const Operand& momentum) {
  std::optional<Operand> weight, bias;
  if (norm.weight) weight.emplace(*norm.weight, x.where);
  if (norm.bias) bias.emplace(*norm.bias, x.where);
  const bool uses_own = norm.training || !norm.running_mean;
  if (statistics == Statistics::of_instance) {
    return instance_norm(x, mean, var, weight, bias, uses_own, momentum, norm.eps);
  }
  return batch_norm(x, mean, var, weight, bias, uses_own, momentum, norm.eps);
}

SINTER_INLINE Tensor ChannelNorm::normalize(const Operand& x, int axes, Statistics statistics) {
  require_spatial(x, axes, statistics);
  const Where at = x.where;
  if (!running_mean) return normalized(x, *this, statistics, std::nullopt, std::nullopt, {0, at});
  Operand rate(momentum.value_or(0), at);
  if (training && statistics == Statistics::of_batch) {
    Tensor& count = num_batches_tracked->value;
    count.set_value(add({count, at}, {1, at}));
    if (!momentum) rate = {reciprocal({sinter::detail::cast({count, at}, f64), at}), at};
  }
  return normalized(x, *this, statistics, *running_mean, *running_var, rate);
}

SINTER_INLINE Tensor ChannelNorm::normalize(const Operand& x, int axes,
                                            Statistics statistics) const {
  require_spatial(x, axes, statistics);
  const Operand rate(0, x.where);
  if (!running_mean) return normalized(x, *this, statistics, std::nullopt, std::nullopt, rate);
  return normalized(x, *this, statistics, *running_mean, *running_var, rate);
}

}  // namespace sinter::inline SINTER_ABI::nn::detail
