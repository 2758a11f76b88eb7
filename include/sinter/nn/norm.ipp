#pragma once

#include <sinter/nn/norm.hpp>
#include <sinter/nn/sync_hook.hpp>
#include <sinter/trace/core/cast.hpp>
#include <sinter/trace/ops/elementwise/elementwise.hpp>

namespace sinter::inline SINTER_ABI::nn {

SINTER_INLINE LayerNorm::LayerNorm(Shape shape, LayerNormOptions options, Where where)
    : weight(ones(shape, f32, where)), eps(options.eps) {
  if (options.bias) bias = zeros(shape, f32, where);
}

SINTER_INLINE Tensor LayerNorm::forward(Operand x) const {
  const Where at = x.where;
  return bias ? layer_norm(x, {weight, at}, {*bias, at}, eps) : layer_norm(x, {weight, at}, eps);
}

SINTER_INLINE RMSNorm::RMSNorm(Shape shape, RMSNormOptions options, Where where)
    : weight(ones(shape, f32, where)), eps(options.eps) {}

SINTER_INLINE Tensor RMSNorm::forward(Operand x) const {
  return rms_norm(x, weight.shape(x.where), std::optional<Operand>({weight, x.where}), eps);
}

namespace detail {

SINTER_INLINE void require_groups(std::int64_t groups, std::int64_t channels, Where where) {
  if (groups >= 1 && channels % groups == 0) return;
  throw ValueError({.op = "GroupNorm",
                    .what = "the groups do not divide the channels",
                    .facts = {{"groups", sinter::detail::text(groups)},
                              {"channels", sinter::detail::text(channels)}},
                    .rule = "groups >= 1 and channels % groups == 0",
                    .fix = "use a number of groups that divides the channels",
                    .where = where,
                    .see = "norms"});
}

}  // namespace detail

SINTER_INLINE GroupNorm::GroupNorm(std::int64_t groups, std::int64_t channels,
                                   GroupNormOptions options, Where where)
    : num_groups(groups), eps(options.eps) {
  detail::require_groups(groups, channels, where);
  if (!options.affine) return;
  weight = ones({channels}, f32, where);
  bias = zeros({channels}, f32, where);
}

SINTER_INLINE Tensor GroupNorm::forward(Operand x) const {
  std::optional<Operand> scale, shift;
  if (weight) scale.emplace(*weight, x.where);
  if (bias) shift.emplace(*bias, x.where);
  return group_norm(x, num_groups, scale, shift, eps);
}

namespace detail {

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
                    .what = "the input has the wrong rank",
                    .facts = {{"x", to_string(x)}},
                    .rule = sinter::detail::text("x is (batch, channels, ", axes, " spatial axes)"),
                    .fix = "unsqueeze the axes that are missing, or use another layer",
                    .where = x.where,
                    .see = "norms"});
}

// With the running statistics of a layer, or read-only copies.
SINTER_INLINE Tensor normalized(const Operand& x, const ChannelNorm& norm, Statistics statistics,
                                const RunningStatistics& running, const Operand& momentum,
                                std::optional<int> group) {
  if (group && norm.training && sync_batch_norm != nullptr) {
    return sync_batch_norm(x, norm, running, momentum, *group);
  }
  std::optional<Operand> weight, bias;
  if (norm.weight) weight.emplace(*norm.weight, x.where);
  if (norm.bias) bias.emplace(*norm.bias, x.where);
  const bool uses_own = norm.training || !norm.running_mean;
  const auto& [mean, var] = running;
  if (statistics == Statistics::of_instance) {
    return instance_norm(x, mean, var, weight, bias, uses_own, momentum, norm.eps);
  }
  return batch_norm(x, mean, var, weight, bias, uses_own, momentum, norm.eps);
}

SINTER_INLINE Tensor ChannelNorm::normalize(const Operand& x, int axes, Statistics statistics,
                                            std::optional<int> group) {
  require_spatial(x, axes, statistics);
  const Where at = x.where;
  if (!running_mean) return normalized(x, *this, statistics, {}, {0, at}, group);
  Operand rate(momentum.value_or(0), at);
  if (training && statistics == Statistics::of_batch) {
    Tensor& count = num_batches_tracked->value;
    count.set_value(add({count, at}, {1, at}));
    if (!momentum) rate = {reciprocal({sinter::detail::cast({count, at}, f64), at}), at};
  }
  return normalized(x, *this, statistics, {*running_mean, *running_var}, rate, group);
}

SINTER_INLINE Tensor ChannelNorm::normalize(const Operand& x, int axes, Statistics statistics,
                                            std::optional<int> group) const {
  require_spatial(x, axes, statistics);
  const Operand rate(0, x.where);
  if (!running_mean) return normalized(x, *this, statistics, {}, rate, group);
  return normalized(x, *this, statistics, {*running_mean, *running_var}, rate, group);
}

}  // namespace detail

}  // namespace sinter::inline SINTER_ABI::nn
