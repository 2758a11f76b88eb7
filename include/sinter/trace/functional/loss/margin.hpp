#pragma once
// Margin and embedding losses.

#include <sinter/config.hpp>
#include <sinter/trace/core/tensor.hpp>
#include <sinter/trace/functional/loss/loss.hpp>

namespace sinter::inline SINTER_ABI {

/// 1 - cos(x, y) where the target is 1, max(0, cos(x, y) - margin) where it is -1.
///
/// Shapes   x and y (n, width) and target (n); or (width) and ()
Tensor cosine_embedding_loss(Operand x, Operand y, Operand target, double margin = 0,
                             Reduction reduction = Reduction::mean);
/// x where the target is 1, max(0, margin - x) where it is -1.
Tensor hinge_embedding_loss(Operand x, Operand target, double margin = 1.0,
                            Reduction reduction = Reduction::mean);
/// max(0, -target * (x - y) + margin): x should be larger where the target is 1, y where it is -1.
Tensor margin_ranking_loss(Operand x, Operand y, Operand target, double margin = 0,
                           Reduction reduction = Reduction::mean);
/// log(1 + exp(-target * x)).
Tensor soft_margin_loss(Operand x, Operand target, Reduction reduction = Reduction::mean);

struct TripletOptions {
  double margin = 1.0;
  double p = 2;       ///< Of the norm that is the distance.
  double eps = 1e-6;  ///< Added to differences before their norm.
  bool swap = false;  ///< Uses the distance of positive and negative if it is smaller.
  Reduction reduction = Reduction::mean;
};

/// max(0, |anchor - positive| - |anchor - negative| + margin), with norms over the last axis.
///
/// Source
/// https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.triplet_margin_loss.html
Tensor triplet_margin_loss(Operand anchor, Operand positive, Operand negative,
                           TripletOptions options = {});

}  // namespace sinter::inline SINTER_ABI

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/functional/loss/margin.ipp>
#endif
