#pragma once
// Losses as layers: torch's names, options as members.

#include <cstdint>   // std::int64_t

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
  SINTER_MODULE(CrossEntropyLoss, weight, ignore_index, label_smoothing, reduction)
  Tensor forward(Operand logits, Operand target) const {
    return cross_entropy(logits, target,
                         {weight.value, ignore_index, label_smoothing, reduction});
  }
};

struct NLLLoss {
  Buffer weight{};
  std::int64_t ignore_index = -100;
  Reduction reduction = Reduction::mean;
  SINTER_MODULE(NLLLoss, weight, ignore_index, reduction)
  Tensor forward(Operand log_probabilities, Operand target) const {
    return nll_loss(log_probabilities, target, {weight.value, ignore_index, 0, reduction});
  }
};

struct MSELoss {
  Reduction reduction = Reduction::mean;
  SINTER_MODULE(MSELoss, reduction)
  Tensor forward(Operand x, Operand target) const { return mse_loss(x, target, reduction); }
};

struct L1Loss {
  Reduction reduction = Reduction::mean;
  SINTER_MODULE(L1Loss, reduction)
  Tensor forward(Operand x, Operand target) const { return l1_loss(x, target, reduction); }
};

struct SmoothL1Loss {
  Reduction reduction = Reduction::mean;
  double beta = 1;
  SINTER_MODULE(SmoothL1Loss, reduction, beta)
  Tensor forward(Operand x, Operand target) const {
    return smooth_l1_loss(x, target, reduction, beta);
  }
};

struct HuberLoss {
  Reduction reduction = Reduction::mean;
  double delta = 1;
  SINTER_MODULE(HuberLoss, reduction, delta)
  Tensor forward(Operand x, Operand target) const {
    return huber_loss(x, target, reduction, delta);
  }
};

struct KLDivLoss {
  Reduction reduction = Reduction::mean;
  bool log_target = false;
  SINTER_MODULE(KLDivLoss, reduction, log_target)
  Tensor forward(Operand x, Operand target) const {
    return kl_div(x, target, reduction, log_target);
  }
};

struct BCELoss {
  Buffer weight{};
  Reduction reduction = Reduction::mean;
  SINTER_MODULE(BCELoss, weight, reduction)
  Tensor forward(Operand x, Operand target) const {
    return binary_cross_entropy(x, target, {weight.value, {}, reduction});
  }
};

struct BCEWithLogitsLoss {
  Buffer weight{};
  Reduction reduction = Reduction::mean;
  Buffer pos_weight{};
  SINTER_MODULE(BCEWithLogitsLoss, weight, reduction, pos_weight)
  Tensor forward(Operand logits, Operand target) const {
    return binary_cross_entropy_with_logits(logits, target,
                                            {weight.value, pos_weight.value, reduction});
  }
};

struct PoissonNLLLoss {
  bool log_input = true, full = false;
  double eps = 1e-8;
  Reduction reduction = Reduction::mean;
  SINTER_MODULE(PoissonNLLLoss, log_input, full, eps, reduction)
  Tensor forward(Operand x, Operand target) const {
    return poisson_nll_loss(x, target, {log_input, full, eps, reduction});
  }
};

struct GaussianNLLLoss {
  bool full = false;
  double eps = 1e-6;
  Reduction reduction = Reduction::mean;
  SINTER_MODULE(GaussianNLLLoss, full, eps, reduction)
  Tensor forward(Operand x, Operand target, Operand var) const {
    return gaussian_nll_loss(x, target, var, {full, eps, reduction});
  }
};

struct CosineEmbeddingLoss {
  double margin = 0;
  Reduction reduction = Reduction::mean;
  SINTER_MODULE(CosineEmbeddingLoss, margin, reduction)
  Tensor forward(Operand x, Operand y, Operand target) const {
    return cosine_embedding_loss(x, y, target, margin, reduction);
  }
};

struct HingeEmbeddingLoss {
  double margin = 1;
  Reduction reduction = Reduction::mean;
  SINTER_MODULE(HingeEmbeddingLoss, margin, reduction)
  Tensor forward(Operand x, Operand target) const {
    return hinge_embedding_loss(x, target, margin, reduction);
  }
};

struct MarginRankingLoss {
  double margin = 0;
  Reduction reduction = Reduction::mean;
  SINTER_MODULE(MarginRankingLoss, margin, reduction)
  Tensor forward(Operand x, Operand y, Operand target) const {
    return margin_ranking_loss(x, y, target, margin, reduction);
  }
};

struct SoftMarginLoss {
  Reduction reduction = Reduction::mean;
  SINTER_MODULE(SoftMarginLoss, reduction)
  Tensor forward(Operand x, Operand target) const { return soft_margin_loss(x, target, reduction); }
};

struct TripletMarginLoss {
  double margin = 1, p = 2, eps = 1e-6;
  bool swap = false;
  Reduction reduction = Reduction::mean;
  SINTER_MODULE(TripletMarginLoss, margin, p, eps, swap, reduction)
  Tensor forward(Operand anchor, Operand positive, Operand negative) const {
    return triplet_margin_loss(anchor, positive, negative, {margin, p, eps, swap, reduction});
  }
};

}  // namespace sinter::inline SINTER_ABI::nn
