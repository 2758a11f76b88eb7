#pragma once
// Losses, written in the primitives.

#include <cstdint>  // std::int64_t

#include <sinter/config.hpp>
#include <sinter/trace/tensor.hpp>

namespace sinter::inline SINTER_ABI {

enum class Reduction : std::uint8_t { none, mean, sum };

struct CrossEntropyOptions {
  std::int64_t ignore_index = -100;  ///< Rows with this target count nothing.
  double label_smoothing = 0;
  Reduction reduction = Reduction::mean;
};

/// -log_softmax(logits)[target], averaged over the rows that count.
///
/// Shapes   logits (n, classes) and target (n); or (classes) and ()
/// DTypes   floating logits, integer target
/// Throws   ShapeError and DTypeError if they are not; IndexError, when it is evaluated, for a
///          target that is no class
/// Source   https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.cross_entropy.html
Tensor cross_entropy(Operand logits, Operand target, CrossEntropyOptions options = {});
/// -log_probabilities[target], averaged over the rows that count.
Tensor nll_loss(Operand log_probabilities, Operand target, CrossEntropyOptions options = {});
/// mean((x - target)^2)
Tensor mse_loss(Operand x, Operand target, Reduction reduction = Reduction::mean);
/// mean(|x - target|)
Tensor l1_loss(Operand x, Operand target, Reduction reduction = Reduction::mean);

}  // namespace sinter::inline SINTER_ABI

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/loss.ipp>
#endif
