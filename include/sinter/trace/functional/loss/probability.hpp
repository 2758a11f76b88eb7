#pragma once
// Negative log-likelihood losses: Bernoulli, Poisson and Gaussian.

#include <sinter/config.hpp>
#include <sinter/trace/core/tensor.hpp>
#include <sinter/trace/functional/loss/loss.hpp>

namespace sinter::inline SINTER_ABI {

struct BinaryCrossEntropyOptions {
  Tensor weight{};      ///< The weight of each element; broadcasts.
  Tensor pos_weight{};  ///< The weight of positive targets; broadcasts. Only for logits.
  Reduction reduction = Reduction::mean;
};

/// mean of -(target * log(x) + (1 - target) * log(1 - x)) for probabilities x, with logarithms
/// clamped at -100.
///
/// Shapes   x and target have equal shapes
/// DTypes   floating; f16 and bf16 compute in f32
/// Throws   ShapeError if they are not; ValueError for a pos_weight
/// Gradient x: g * (x - target) / max(x * (1 - x), 1e-12)
/// Source
/// https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.binary_cross_entropy.html
Tensor binary_cross_entropy(Operand x, Operand target, BinaryCrossEntropyOptions options = {});
/// The same for sigmoid(logits), without overflow.
Tensor binary_cross_entropy_with_logits(Operand logits, Operand target,
                                        BinaryCrossEntropyOptions options = {});

struct PoissonOptions {
  bool log_input = true;  ///< x is the logarithm of the rate.
  bool full = false;      ///< Adds Stirling's approximation of log(target!).
  double eps = 1e-8;      ///< Added to a rate before its logarithm.
  Reduction reduction = Reduction::mean;
};

/// mean of exp(x) - target * x: -log of the Poisson distribution at `target`, without a constant.
Tensor poisson_nll_loss(Operand x, Operand target, PoissonOptions options = {});

struct GaussianOptions {
  bool full = false;  ///< Adds the constant log(2 * pi) / 2.
  double eps = 1e-6;  ///< The minimum variance; gradients flow to smaller ones as well.
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
