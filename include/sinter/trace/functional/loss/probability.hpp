#pragma once
// Losses of distributions: how likely a target is under what a model gives.

#include <sinter/config.hpp>
#include <sinter/trace/core/tensor.hpp>
#include <sinter/trace/functional/loss/loss.hpp>

namespace sinter::inline SINTER_ABI {

struct BinaryCrossEntropyOptions {
  Tensor weight{};      ///< How much each element counts; broadcasts.
  Tensor pos_weight{};  ///< How much more the target 1 counts; broadcasts. Only for logits.
  Reduction reduction = Reduction::mean;
};

/// mean of -(target * log(x) + (1 - target) * log(1 - x)), with logarithms not below -100, of
/// probabilities x.
///
/// Shapes   x and target are of one shape
/// DTypes   floating; f16 and bf16 compute in f32
/// Throws   ShapeError if they are not; ValueError for a pos_weight
/// Gradient x: g * (x - target) / max(x * (1 - x), 1e-12)
/// Source
/// https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.binary_cross_entropy.html
Tensor binary_cross_entropy(Operand x, Operand target, BinaryCrossEntropyOptions options = {});
/// The same of sigmoid(logits), which does not overflow.
Tensor binary_cross_entropy_with_logits(Operand logits, Operand target,
                                        BinaryCrossEntropyOptions options = {});

struct PoissonOptions {
  bool log_input = true;  ///< x is the logarithm of the rate.
  bool full = false;      ///< With the approximation by Stirling of log(target!).
  double eps = 1e-8;      ///< Added to a rate before its logarithm.
  Reduction reduction = Reduction::mean;
};

/// mean of exp(x) - target * x: -log of the Poisson distribution at `target`, without a constant.
Tensor poisson_nll_loss(Operand x, Operand target, PoissonOptions options = {});

struct GaussianOptions {
  bool full = false;  ///< With the constant log(2 * pi) / 2.
  double eps = 1e-6;  ///< The least variance; gradients flow to smaller ones as well.
  Reduction reduction = Reduction::mean;
};

/// mean of (log(var) + (x - target)^2 / var) / 2: -log of the normal distribution at `target`.
///
/// Shapes   x and target broadcast; var as x, or without its last axis, or with an extent of 1
Tensor gaussian_nll_loss(Operand x, Operand target, Operand var, GaussianOptions options = {});

}  // namespace sinter::inline SINTER_ABI

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/functional/loss/probability.ipp>
#endif
