#pragma once
// What batch norms need from dist: normalization by statistics over several ranks.

#include <optional>  // std::nullopt

#include <sinter/nn/norm.hpp>

namespace sinter::inline SINTER_ABI::nn::detail {

/// Those of a layer, or none.
struct RunningStatistics {
  sinter::detail::RunningStatistic mean = std::nullopt, var = std::nullopt;
};

/// batch_norm of a layer in training, with mean and variance over the ranks of `group`; dist
/// installs it.
using SyncBatchNormHook = Tensor (*)(const Operand& x, const ChannelNorm& norm,
                                     const RunningStatistics& running, const Operand& momentum,
                                     int group);
inline constinit SyncBatchNormHook sync_batch_norm = nullptr;

}  // namespace sinter::inline SINTER_ABI::nn::detail
