// test: moved
// Losses, against torch.

#include <doctest/doctest.h>

#include "reference.hpp"

namespace {

using namespace reference;

using In = const Inputs&;
using Opt = const Options&;

CrossEntropyOptions classes(Opt o) {
  return {.ignore_index = o.integer(1),
          .label_smoothing = o.count() > 2 ? o.number(2) : 0,
          .reduction = o.reduction(0)};
}

const Table table{
    "loss",
    {
        {"cross_entropy",
         [](In x, Opt o) -> Outputs { return cross_entropy(x[0], x[1], classes(o)); }},
        {"nll_loss", [](In x, Opt o) -> Outputs { return nll_loss(x[0], x[1], classes(o)); }},
        {"mse_loss", [](In x, Opt o) -> Outputs { return mse_loss(x[0], x[1], o.reduction(0)); }},
        {"l1_loss", [](In x, Opt o) -> Outputs { return l1_loss(x[0], x[1], o.reduction(0)); }},
        {"huber_loss",
         [](In x, Opt o) -> Outputs {
           return huber_loss(x[0], x[1], o.reduction(0), o.number(1));
         }},
        {"binary_cross_entropy_with_logits",
         [](In x, Opt o) -> Outputs {
           return binary_cross_entropy_with_logits(x[0], x[1], {.reduction = o.reduction(0)});
         }},
        {"smooth_l1_loss",
         [](In x, Opt o) -> Outputs {
           return smooth_l1_loss(x[0], x[1], o.reduction(0), o.number(1));
         }},
        {"binary_cross_entropy",
         [](In x, Opt o) -> Outputs {
           return binary_cross_entropy(x[0], x[1], {.reduction = o.reduction(0)});
         }},
        {"soft_margin_loss",
         [](In x, Opt o) -> Outputs { return soft_margin_loss(x[0], x[1], o.reduction(0)); }},
        {"hinge_embedding_loss",
         [](In x, Opt o) -> Outputs {
           return hinge_embedding_loss(x[0], x[1], 1.0, o.reduction(0));
         }},
        {"margin_ranking_loss",
         [](In x, Opt o) -> Outputs {
           return margin_ranking_loss(x[0], x[1], x[2], o.number(0), o.reduction(1));
         }},
        {"cosine_embedding_loss",
         [](In x, Opt o) -> Outputs {
           return cosine_embedding_loss(x[0], x[1], x[2], o.number(0), o.reduction(1));
         }},
        {"triplet_margin_loss",
         [](In x, Opt o) -> Outputs {
           return triplet_margin_loss(x[0], x[1], x[2], {.reduction = o.reduction(0)});
         }},
        {"poisson_nll_loss",
         [](In x, Opt o) -> Outputs {
           return poisson_nll_loss(x[0], x[1], {.reduction = o.reduction(0)});
         }},
        {"gaussian_nll_loss",
         [](In x, Opt o) -> Outputs {
           return gaussian_nll_loss(x[0], x[1], x[2], {.reduction = o.reduction(0)});
         }},
        {"kl_div",
         [](In x, Opt o) -> Outputs { return kl_div(x[0], x[1], o.reduction(0), o.flag(1)); }},
    }};

}  // namespace

REFERENCE_TESTS("loss", table);
