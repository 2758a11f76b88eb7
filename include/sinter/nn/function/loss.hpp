#pragma once
// Losses as layers: torch's names, options as members.

#include <cstdint>  // std::int64_t

#include <sinter/trace/functional/loss/loss.hpp>
#include <sinter/trace/functional/loss/margin.hpp>
#include <sinter/trace/functional/loss/probability.hpp>
#include <sinter/trace/module/module.hpp>
#include <sinter/trace/module/walk.hpp>

namespace sinter::inline SINTER_ABI::nn {

/// Class weights are buffers: they are not trained, and an undefined one is none.
struct CrossEntropyLoss {
  Buffer weight{};
  std::int64_t ignore_index = -100;
  double label_smoothing = 0;
  Reduction reduction = Reduction::mean;
  SINTER_ACCESSORS(CrossEntropyLoss, weight, ignore_index, label_smoothing, reduction)
  SINTER_CALL(CrossEntropyLoss, const)
  Tensor forward(Operand logits, Operand target) const {
    return cross_entropy(logits, target, {weight.value, ignore_index, label_smoothing, reduction});
  }
};

struct NLLLoss {
  Buffer weight{};
  std::int64_t ignore_index = -100;
  Reduction reduction = Reduction::mean;
  SINTER_ACCESSORS(NLLLoss, weight, ignore_index, reduction)
  SINTER_CALL(NLLLoss, const)
  Tensor forward(Operand log_probabilities, Operand target) const {
    return nll_loss(log_probabilities, target, {weight.value, ignore_index, 0, reduction});
  }
};

struct MSELoss {
  Reduction reduction = Reduction::mean;
  SINTER_ACCESSORS(MSELoss, reduction)
  SINTER_CALL(MSELoss, const)
  Tensor forward(Operand x, Operand target) const { return mse_loss(x, target, reduction); }
};

struct L1Loss {
  Reduction reduction = Reduction::mean;
  SINTER_ACCESSORS(L1Loss, reduction)
  SINTER_CALL(L1Loss, const)
  Tensor forward(Operand x, Operand target) const { return l1_loss(x, target, reduction); }
};

struct SmoothL1Loss {
  Reduction reduction = Reduction::mean;
  double beta = 1;
  SINTER_ACCESSORS(SmoothL1Loss, reduction, beta)
  SINTER_CALL(SmoothL1Loss, const)
  Tensor forward(Operand x, Operand target) const {
    return smooth_l1_loss(x, target, reduction, beta);
  }
};

struct HuberLoss {
  Reduction reduction = Reduction::mean;
  double delta = 1;
  SINTER_ACCESSORS(HuberLoss, reduction, delta)
  SINTER_CALL(HuberLoss, const)
  Tensor forward(Operand x, Operand target) const {
    return huber_loss(x, target, reduction, delta);
  }
};

struct KLDivLoss {
  Reduction reduction = Reduction::mean;
  bool log_target = false;
  SINTER_ACCESSORS(KLDivLoss, reduction, log_target)
  SINTER_CALL(KLDivLoss, const)
  Tensor forward(Operand x, Operand target) const {
    return kl_div(x, target, reduction, log_target);
  }
};

struct BCELoss {
  Buffer weight{};
  Reduction reduction = Reduction::mean;
  SINTER_ACCESSORS(BCELoss, weight, reduction)
  SINTER_CALL(BCELoss, const)
  Tensor forward(Operand x, Operand target) const {
    return binary_cross_entropy(x, target, {weight.value, {}, reduction});
  }
};

struct BCEWithLogitsLoss {
  Buffer weight{};
  Reduction reduction = Reduction::mean;
  Buffer pos_weight{};
  SINTER_ACCESSORS(BCEWithLogitsLoss, weight, reduction, pos_weight)
  SINTER_CALL(BCEWithLogitsLoss, const)
  Tensor forward(Operand logits, Operand target) const {
    return binary_cross_entropy_with_logits(logits, target,
                                            {weight.value, pos_weight.value, reduction});
  }
};

struct PoissonNLLLoss {
  bool log_input = true, full = false;
  double eps = 1e-8;
  Reduction reduction = Reduction::mean;
  SINTER_ACCESSORS(PoissonNLLLoss, log_input, full, eps, reduction)
  SINTER_CALL(PoissonNLLLoss, const)
  Tensor forward(Operand x, Operand target) const {
    return poisson_nll_loss(x, target, {log_input, full, eps, reduction});
  }
};

struct GaussianNLLLoss {
  bool full = false;
  double eps = 1e-6;
  Reduction reduction = Reduction::mean;
  SINTER_ACCESSORS(GaussianNLLLoss, full, eps, reduction)
  SINTER_CALL(GaussianNLLLoss, const)
  Tensor forward(Operand x, Operand target, Operand var) const {
    return gaussian_nll_loss(x, target, var, {full, eps, reduction});
  }
};

struct CosineEmbeddingLoss {
  double margin = 0;
  Reduction reduction = Reduction::mean;
  SINTER_ACCESSORS(CosineEmbeddingLoss, margin, reduction)
  SINTER_CALL(CosineEmbeddingLoss, const)
  Tensor forward(Operand x, Operand y, Operand target) const {
    return cosine_embedding_loss(x, y, target, margin, reduction);
  }
};

struct HingeEmbeddingLoss {
  double margin = 1;
  Reduction reduction = Reduction::mean;
  SINTER_ACCESSORS(HingeEmbeddingLoss, margin, reduction)
  SINTER_CALL(HingeEmbeddingLoss, const)
  Tensor forward(Operand x, Operand target) const {
    return hinge_embedding_loss(x, target, margin, reduction);
  }
};

struct MarginRankingLoss {
  double margin = 0;
  Reduction reduction = Reduction::mean;
  SINTER_ACCESSORS(MarginRankingLoss, margin, reduction)
  SINTER_CALL(MarginRankingLoss, const)
  Tensor forward(Operand x, Operand y, Operand target) const {
    return margin_ranking_loss(x, y, target, margin, reduction);
  }
};

struct SoftMarginLoss {
  Reduction reduction = Reduction::mean;
  SINTER_ACCESSORS(SoftMarginLoss, reduction)
  SINTER_CALL(SoftMarginLoss, const)
  Tensor forward(Operand x, Operand target) const { return soft_margin_loss(x, target, reduction); }
};

struct TripletMarginLoss {
  double margin = 1, p = 2, eps = 1e-6;
  bool swap = false;
  Reduction reduction = Reduction::mean;
  SINTER_ACCESSORS(TripletMarginLoss, margin, p, eps, swap, reduction)
  SINTER_CALL(TripletMarginLoss, const)
  Tensor forward(Operand anchor, Operand positive, Operand negative) const {
    return triplet_margin_loss(anchor, positive, negative, {margin, p, eps, swap, reduction});
  }
};

}  // namespace sinter::inline SINTER_ABI::nn
