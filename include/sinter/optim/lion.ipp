#pragma once

#include <sinter/optim/compiled_update.hpp>
#include <sinter/optim/lion.hpp>
#include <sinter/trace/ops/elementwise/elementwise.hpp>

namespace sinter::inline SINTER_ABI::optim {

namespace detail {

// beta * mean + (1 - beta) * gradient
SINTER_INLINE Tensor moving_mean(const Tensor& mean, const Tensor& gradient, double beta,
                                 Where at) {
  return add({mul({mean, at}, {beta, at}), at}, {mul({gradient, at}, {1 - beta, at}), at});
}

}  // namespace detail

SINTER_INLINE void Lion::update(const std::vector<Update>& updates, Where at) {
  if (compiles_steps()) return update_compiled(*this, updates, at);
  const DType precision = precision_of(updates);
  const Tensor rate = with_precision(learning_rate, precision, at);
  const Tensor decay = with_precision(weight_decay, precision, at);
  const Tensor shrink = mul({rate, at}, {decay, at});
  const Scalar keep(sub({1, at}, {shrink, at}), at);
  for (const Update& update : updates) {
    Tensor& parameter = *update.parameter;
    Tensor& mean = state_of(means, update, {0, at});
    const Tensor gradient = maximize ? neg({update.gradient, at}) : update.gradient;
    const Tensor direction = sign({detail::moving_mean(mean, gradient, beta1, at), at});
    const Tensor kept = mul({parameter, at}, {keep, at});
    parameter = sub({kept, at}, {mul({direction, at}, {learning_rate, at}), at});
    mean = detail::moving_mean(mean, gradient, beta2, at);
  }
}

}  // namespace sinter::inline SINTER_ABI::optim
