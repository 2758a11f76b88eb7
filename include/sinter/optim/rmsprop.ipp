#pragma once

#include <sinter/optim/compiled_update.hpp>
#include <sinter/optim/group_numbers.hpp>
#include <sinter/optim/rmsprop.hpp>
#include <sinter/trace/ops/elementwise/elementwise.hpp>

namespace sinter::inline SINTER_ABI::optim {

namespace detail {

// Updates the averages with this gradient; returns the denominator sqrt(v) + eps.
SINTER_INLINE Tensor deviation(RMSprop& optimizer, const Update& update, const Tensor& gradient,
                               Where at) {
  Tensor& square = state_of(optimizer.squares, update, {0, at});
  const double weight = 1 - optimizer.alpha;
  const Tensor squared = mul({mul({gradient, at}, {weight, at}), at}, {gradient, at});
  square = add({mul({square, at}, {optimizer.alpha, at}), at}, {squared, at});
  Tensor spread = square;
  if (optimizer.centered) {
    Tensor& mean = state_of(optimizer.means, update, {0, at});
    const Tensor distance = sub({gradient, at}, {mean, at});
    mean = add({mean, at}, {mul({distance, at}, {weight, at}), at});
    spread = sub({square, at}, {sinter::square({mean, at}), at});
  }
  return add({sqrt({spread, at}), at}, {optimizer.eps, at});
}

}  // namespace detail

SINTER_INLINE void RMSprop::update(const std::vector<Update>& updates, Where at) {
  if (compiles_steps()) return update_compiled(*this, updates, at);
  for (const Update& update : updates) {
    Tensor& parameter = *update.parameter;
    const Tensor gradient = decayed_gradient(update, weight_decay_of(*this, update), maximize, at);
    const Tensor deviation = detail::deviation(*this, update, gradient, at);
    Tensor direction = div({gradient, at}, {deviation, at});
    if (momentum > 0) {
      Tensor& sum = state_of(sums, update, {0, at});
      direction = sum = add({mul({sum, at}, {momentum, at}), at}, {direction, at});
    }
    const Scalar& rate = learning_rate_of(*this, update);
    parameter = sub({parameter, at}, {mul({direction, at}, {rate, at}), at});
  }
}

}  // namespace sinter::inline SINTER_ABI::optim
