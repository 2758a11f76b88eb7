#pragma once
// Dropout in training.

#include <sinter/trace/module/module.hpp>
#include <sinter/trace/module/walk.hpp>
#include <sinter/trace/ops/creation/random.hpp>

namespace sinter::inline SINTER_ABI::nn {

/// Each element is 0 with probability `p`, else divided by 1 - p; x itself after eval(model).
///
/// Throws   ValueError unless 0 <= p <= 1
struct Dropout {
  double p = 0.5;
  bool training = true;
  SINTER_MODULE(Dropout, p, training)

  Dropout() = default;
  explicit Dropout(double probability, Where where = Where::current()) : p(probability) {
    sinter::detail::require_probability(p, "Dropout", where);
  }

  Tensor forward(Operand x) const { return training ? dropout(x, p) : x.tensor(); }
};

}  // namespace sinter::inline SINTER_ABI::nn
