#pragma once
// nn::SyncBatchNorm: batch norm with statistics over the batches of all ranks.

#include <cstdint>  // std::int64_t

#include <sinter/base/where.hpp>
#include <sinter/config.hpp>
#include <sinter/dist/collective/operations.hpp>
#include <sinter/nn/norm.hpp>
#include <sinter/trace/module/walk.hpp>

namespace sinter::inline SINTER_ABI::nn {

namespace detail {

/// Lets batch norms with a group take their statistics over its ranks.
void install_sync_batch_norm();

/// Sets the group of all batch norms of a module.
struct SyncVisitor : sinter::detail::LeafVisitor {
  explicit SyncVisitor(int number) : group(number) {}
  template <class M>
  void module(M& module, const sinter::detail::LeafName&) const {
    set(module);
  }
  template <int axes>
  void set(BatchNorm<axes>& norm) const {
    norm.sync_group = group;
  }
  void set(auto&) const {}

  int group;
};

}  // namespace detail

/// A batch norm that in training takes mean and variance over the batches of all ranks, which may
/// be of different sizes: one all_gather in the forward pass, one reduce_scatter in the backward
/// pass. After eval(model) it uses the running statistics, without a collective. Its state has the
/// names of that of nn::BatchNorm2d.
///
/// Shapes   (batch, channels, ...); the batch may differ from rank to rank
/// Throws   ShapeError if x does not fit; in training ValueError without a World, RankError if
///          ranks differ or fail
/// Gradient also through mean and variance, to the inputs of all ranks
/// Source   https://docs.pytorch.org/docs/stable/generated/torch.nn.SyncBatchNorm.html
struct SyncBatchNorm : detail::ChannelNorm {
  int sync_group = 0;  ///< The number of the Group.
  SINTER_MODULE(SyncBatchNorm, weight, bias, running_mean, running_var, num_batches_tracked, eps,
                momentum, training, sync_group)

  SyncBatchNorm() = default;
  SyncBatchNorm(std::int64_t channels, BatchNormOptions options = {}, dist::Group ranks = {},
                Where where = Where::current());

  Tensor forward(Operand x);
  /// For const models: after eval(model), or without running statistics.
  Tensor operator()(Operand x) const;

  /// Lets each BatchNorm1d, 2d and 3d of `model` take its statistics over the ranks of a group, as
  /// SyncBatchNorm does. Their types and the names of their state do not change.
  template <class M>
  static void convert_sync_batchnorm(M& model, dist::Group ranks = {}) {
    detail::install_sync_batch_norm();
    detail::SyncVisitor visitor(ranks.number());
    sinter::detail::walk(model, visitor, {});
  }
};

}  // namespace sinter::inline SINTER_ABI::nn

#ifdef SINTER_DEFINITIONS
#include <sinter/dist/parallel/sync_batch_norm.ipp>
#endif
