#pragma once

#include <sinter/optim/compiled_update.hpp>
#include <sinter/optim/group_numbers.hpp>
#include <sinter/optim/lion.hpp>
#include <sinter/trace/ops/elementwise/elementwise.hpp>

namespace sinter::inline SINTER_ABI::optim {

namespace detail {

// beta * mean + (1 - beta) * gradient
SINTER_INLINE Tensor moving_mean(const Tensor& mean, const Tensor& gradient, double beta,
                                 Where at) {
  return add({mul({mean, at}, {beta, at}), at}, {mul({gradient, at}, {1 - beta, at}), at});
}

// What the weight decay leaves of a parameter: 1 - learning_rate * weight_decay
SINTER_INLINE Scalar kept_part(const Lion& lion, const Update& update, DType precision, Where at) {
  const Tensor rate = with_precision(learning_rate_of(lion, update), precision, at);
  const Tensor decay = with_precision(weight_decay_of(lion, update), precision, at);
  const Tensor shrink = mul({rate, at}, {decay, at});
  return Scalar(sub({1, at}, {shrink, at}), at);
}

}  // namespace detail

SINTER_INLINE void Lion::update(const std::vector<Update>& updates, Where at) {
  if (compiles_steps()) return update_compiled(*this, updates, at);
  const DType precision = precision_of(updates);
  PerGroup<Scalar> keeps;
  for (const Update& update : updates) {
    const Scalar& rate = learning_rate_of(*this, update);
    const Scalar& keep =
        keeps.of(update, [&] { return detail::kept_part(*this, update, precision, at); });
    Tensor& parameter = *update.parameter;
    Tensor& mean = state_of(means, update, {0, at});
    const Tensor gradient = maximize ? neg({update.gradient, at}) : update.gradient;
    const Tensor direction = sign({detail::moving_mean(mean, gradient, beta1, at), at});
    const Tensor kept = mul({parameter, at}, {keep, at});
    parameter = sub({kept, at}, {mul({direction, at}, {rate, at}), at});
    mean = detail::moving_mean(mean, gradient, beta2, at);
  }
}

}  // namespace sinter::inline SINTER_ABI::optim
