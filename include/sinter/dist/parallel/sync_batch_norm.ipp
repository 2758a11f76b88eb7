#pragma once

#include <optional>  // std::optional

#include <sinter/dist/parallel/sync_batch_norm.hpp>
#include <sinter/nn/sync_hook.hpp>
#include <sinter/trace/core/size_value.hpp>
#include <sinter/trace/functional/norm/moments.hpp>
#include <sinter/trace/functional/norm/normalize.hpp>
#include <sinter/trace/ops/elementwise/elementwise.hpp>
#include <sinter/trace/ops/movement/concatenate.hpp>
#include <sinter/trace/ops/movement/movement.hpp>
#include <sinter/trace/ops/reduce/reduce.hpp>

namespace sinter::inline SINTER_ABI::nn {

namespace detail {

// The moments of each channel over all ranks.
struct ChannelMoments {
  Tensor mean, squares;  // (channels): the sum of squared distances from the mean
  Tensor count;          // of elements
};

// The mean, the sum of squares and the number of elements on this rank, in a row: (2 * channels +
// 1). A rank without elements has zeros.
SINTER_INLINE Tensor row_of_rank(const Operand& wide, const std::vector<int>& axes) {
  const Where at = wide.where;
  const Extent size = sinter::detail::count_of(wide.shape(), axes);
  const Tensor count = sinter::detail::size_value(size, wide.tensor().dtype(), at);
  const Tensor total = sum(wide, axes), divisor = maximum({count, at}, {1, at});
  const Tensor mean = div({total, at}, {divisor, at});
  const Tensor distance = sub(wide, {sinter::detail::as_column(mean, wide), at});
  const Tensor squares = sum({square({distance, at}), at}, axes);
  return concatenate({{mean, squares, reshape({count, at}, {1})}, at}, 0);
}

// The moments of a union from those of its parts (Chan, Golub and LeVeque).
SINTER_INLINE ChannelMoments combined(const Tensor& rows, Where at) {
  const Extent channels = floor_div(rows.shape()[1], 2);
  const Tensor means = slice({rows, at}, 1, 0, channels);
  const Tensor squares = slice({rows, at}, 1, channels, channels * 2);
  const Tensor counts = slice({rows, at}, 1, channels * 2, channels * 2 + 1);  // (ranks, 1)
  const Tensor count = sum({counts, at});
  const Tensor total = sum({mul({means, at}, {counts, at}), at}, 0);
  const Tensor mean = div({total, at}, {count, at});
  const Tensor apart = square({sub({means, at}, {mean, at}), at});
  const Tensor between = mul({apart, at}, {counts, at});
  return {mean, sum({add({squares, at}, {between, at}), at}, 0), count};
}

SINTER_INLINE Tensor batch_norm_of_ranks(const Operand& x, const ChannelNorm& norm,
                                         const RunningStatistics& running, const Operand& momentum,
                                         int group) {
  const Where at = x.where;
  std::optional<Operand> weight, bias;
  if (norm.weight) weight.emplace(*norm.weight, at);
  if (norm.bias) bias.emplace(*norm.bias, at);
  const dist::Group ranks(group);
  if (ranks.size(at) == 1) {
    return batch_norm(x, running.mean, running.var, weight, bias, true, momentum, norm.eps);
  }
  const char* const op = "SyncBatchNorm";
  sinter::detail::require_statistics(x, running.mean, running.var, true, op);
  std::vector<int> axes{0};
  for (int axis = 2; axis < x.shape().size(); ++axis) axes.push_back(axis);
  const Operand wide = sinter::detail::as_wide(x);
  const Tensor row = unsqueeze({row_of_rank(wide, axes), at}, 0);
  const ChannelMoments moments = combined(dist::all_gather({row, at}, 0, ranks), at);
  if (running.mean.is_given()) {
    const Tensor others = maximum({sub({moments.count, at}, {1, at}), at}, {1, at});
    const Tensor unbiased = div({moments.squares, at}, {others, at});
    sinter::detail::move_towards(running.mean, moments.mean, momentum, at);
    sinter::detail::move_towards(running.var, unbiased, momentum, at);
  }
  const Tensor variance = div({moments.squares, at}, {moments.count, at});
  const Tensor normal = sinter::detail::standardized(
      wide, {sinter::detail::as_column(moments.mean, x), sinter::detail::as_column(variance, x)},
      norm.eps);
  return sinter::detail::scaled_channels(normal, x, weight, bias, op);
}

SINTER_INLINE void install_sync_batch_norm() { sync_batch_norm = batch_norm_of_ranks; }

// The number of axes after the channels.
SINTER_INLINE int spatial_axes(const Operand& x) {
  sinter::detail::require_rank(x, 2, "SyncBatchNorm");
  return x.shape().size() - 2;
}

}  // namespace detail

SINTER_INLINE SyncBatchNorm::SyncBatchNorm(std::int64_t channels, BatchNormOptions options,
                                           dist::Group ranks, Where where)
    : ChannelNorm(channels, options, where), sync_group(ranks.number()) {
  detail::install_sync_batch_norm();
}

SINTER_INLINE Tensor SyncBatchNorm::forward(Operand x) {
  return normalize(x, detail::spatial_axes(x), detail::Statistics::of_batch, sync_group);
}

SINTER_INLINE Tensor SyncBatchNorm::operator()(Operand x) const {
  return normalize(x, detail::spatial_axes(x), detail::Statistics::of_batch, sync_group);
}

}  // namespace sinter::inline SINTER_ABI::nn
