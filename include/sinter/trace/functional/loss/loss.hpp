#pragma once
// Losses for classification and regression.

#include <cstdint>      // std::int64_t
#include <optional>     // std::optional
#include <string_view>  // std::string_view

#include <sinter/config.hpp>
#include <sinter/trace/core/tensor.hpp>

namespace sinter::inline SINTER_ABI {

/// How the losses of the elements are reduced. `batchmean`, for kl_div, is their sum divided by the
/// extent of axis 0.
enum class Reduction : std::uint8_t { none, mean, sum, batchmean };

struct CrossEntropyOptions {
  Tensor weight{};                   ///< The weight of each class: (classes).
  std::int64_t ignore_index = -100;  ///< Rows with this target are ignored.
  double label_smoothing = 0;        ///< The fraction of a target spread over all classes.
  Reduction reduction = Reduction::mean;
};

/// -log_softmax(logits)[target], averaged over the rows that are not ignored, weighted by class. A
/// target with the shape of the logits holds class probabilities.
///
/// Shapes   logits (n, classes, ...) and target (n, ...) or (n, classes, ...); or (classes) and ()
///          or (classes); without a reduction, the result is (n, ...)
/// DTypes   floating logits; integer target, or floating for probabilities. f16 and bf16 compute in
///          f32
/// Throws   ShapeError and DTypeError otherwise; IndexError, when evaluated, for a target out of
///          range
/// Source   https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.cross_entropy.html
Tensor cross_entropy(Operand logits, Operand target, CrossEntropyOptions options = {});
/// -log_probabilities[target], averaged over the rows that are not ignored, weighted by class.
Tensor nll_loss(Operand log_probabilities, Operand target, CrossEntropyOptions options = {});

/// The options of regression losses: {.reduction = Reduction::sum}.
struct LossOptions {
  Reduction reduction = Reduction::mean;
};
struct HuberOptions {
  Reduction reduction = Reduction::mean;
  double delta = 1.0;
};

/// mean((x - target)^2)
///
/// Shapes   x and target broadcast
Tensor mse_loss(Operand x, Operand target, Reduction reduction = Reduction::mean);
inline Tensor mse_loss(Operand x, Operand target, LossOptions options) {
  return mse_loss(x, target, options.reduction);
}
/// mean(|x - target|)
Tensor l1_loss(Operand x, Operand target, Reduction reduction = Reduction::mean);
inline Tensor l1_loss(Operand x, Operand target, LossOptions options) {
  return l1_loss(x, target, options.reduction);
}
/// mean of d^2 / 2 where |d| <= delta, else delta * (|d| - delta / 2), for d = x - target.
///
/// Throws   ValueError unless delta > 0
Tensor huber_loss(Operand x, Operand target, double delta = 1.0,
                  Reduction reduction = Reduction::mean);
inline Tensor huber_loss(Operand x, Operand target, Reduction reduction, double delta = 1.0) {
  return huber_loss(x, target, delta, reduction);
}
inline Tensor huber_loss(Operand x, Operand target, HuberOptions options) {
  return huber_loss(x, target, options.delta, options.reduction);
}
/// mean of d^2 / (2 * beta) where |d| < beta, else |d| - beta / 2, for d = x - target.
///
/// Throws   ValueError if beta < 0
Tensor smooth_l1_loss(Operand x, Operand target, Reduction reduction = Reduction::mean,
                      double beta = 1.0);

/// mean of target * (log(target) - x): x holds log-probabilities, the target probabilities, or
/// log-probabilities if `log_target`.
///
/// Shapes   x and target broadcast
/// Source   https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.kl_div.html
Tensor kl_div(Operand x, Operand target, Reduction reduction = Reduction::mean,
              bool log_target = false);

namespace detail {

/// Reduces the losses of the elements, in the dtype of a loss of `x`.
///
/// Throws   ValueError for batchmean
Tensor reduce_loss(const Tensor& loss, Reduction reduction, const Operand& x, std::string_view op);
/// Throws   ShapeError unless the shapes are equal
void require_equal_shapes(const Operand& x, const Operand& target, std::string_view op,
                          std::string_view name = "target");
/// max(x, 0) with gradient g where x >= 0, like torch's clamp.
Tensor at_least_zero(const Operand& x);

}  // namespace detail

}  // namespace sinter::inline SINTER_ABI

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/functional/loss/loss.ipp>
#endif
