#pragma once

#include <sinter/optim/adagrad.hpp>
#include <sinter/optim/compiled_update.hpp>
#include <sinter/optim/group_numbers.hpp>
#include <sinter/trace/core/cast.hpp>
#include <sinter/trace/ops/elementwise/elementwise.hpp>

namespace sinter::inline SINTER_ABI::optim {

SINTER_INLINE void Adagrad::update(const std::vector<Update>& updates, Where at) {
  if (compiles_steps()) return update_compiled(*this, updates, at);
  const DType precision = precision_of(updates);
  const Tensor before = sinter::detail::cast({steps, at}, precision);
  const Tensor slowdown = add({1, at}, {mul({before, at}, {lr_decay, at}), at});
  PerGroup<Scalar> rates;
  steps = Scalar(add({steps, at}, {1, at}), at);
  for (const Update& update : updates) {
    const Scalar& rate = rates.of(update, [&] {
      const Tensor start = with_precision(learning_rate_of(*this, update), precision, at);
      return Scalar(div({start, at}, {slowdown, at}), at);
    });
    Tensor& parameter = *update.parameter;
    const Tensor gradient = decayed_gradient(update, weight_decay_of(*this, update), maximize, at);
    Tensor& sum = state_of(squares, update, {initial_accumulator_value, at});
    sum = add({sum, at}, {square({gradient, at}), at});
    const Tensor deviation = add({sqrt({sum, at}), at}, {eps, at});
    const Tensor step = mul({gradient, at}, {rate, at});
    parameter = sub({parameter, at}, {div({step, at}, {deviation, at}), at});
  }
}

}  // namespace sinter::inline SINTER_ABI::optim
