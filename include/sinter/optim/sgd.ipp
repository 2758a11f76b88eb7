#pragma once

#include <sinter/optim/compiled_update.hpp>
#include <sinter/optim/group_numbers.hpp>
#include <sinter/optim/sgd.hpp>
#include <sinter/trace/context/state.hpp>
#include <sinter/trace/ops/creation/create.hpp>
#include <sinter/trace/ops/elementwise/elementwise.hpp>

namespace sinter::inline SINTER_ABI::optim {

namespace detail {

SINTER_INLINE void require_momentum(const SGD& sgd, Where at) {
  if (!sgd.nesterov || (sgd.momentum > 0 && sgd.dampening == 0)) return;
  throw ValueError({.op = "SGD.step",
                    .what = "nesterov needs a momentum, and no dampening",
                    .facts = {{"momentum", sinter::detail::text(sgd.momentum)},
                              {"dampening", sinter::detail::text(sgd.dampening)}},
                    .rule = "if nesterov: momentum > 0 and dampening == 0",
                    .fix = "optim::SGD{.learning_rate = 0.1f, .momentum = 0.9, .nesterov = true}",
                    .where = at});
}

// The weight of a gradient in the buffer: 1 for the first, 1 - dampening for later ones. Kept as
// state, so that the first step and later ones share one recording.
SINTER_INLINE Tensor dampened(SGD& sgd, const Update& update, const Tensor& gradient,
                              DType precision, Where at) {
  Tensor& begun = sgd.begun[update.name];
  if (!begun.defined()) create_state(begun, zeros({}, f32, at));
  const Tensor later = full({}, {1 - sgd.dampening, at}, precision);
  const Tensor factor = where({ne({begun, at}, {0, at}), at}, {later, at}, {1, at});
  begun = ones({}, f32, at);
  return mul({gradient, at}, {Scalar(factor, at), at});
}

}  // namespace detail

SINTER_INLINE void SGD::update(const std::vector<Update>& updates, Where at) {
  if (compiles_steps()) return update_compiled(*this, updates, at);
  detail::require_momentum(*this, at);
  const DType precision = precision_of(updates);
  for (const Update& update : updates) {
    Tensor& parameter = *update.parameter;
    const Tensor gradient = decayed_gradient(update, weight_decay_of(*this, update), maximize, at);
    Tensor direction = gradient;
    if (momentum != 0) {
      Tensor& sum = state_of(sums, update, {0, at});
      const Tensor added =
          dampening == 0 ? gradient : detail::dampened(*this, update, gradient, precision, at);
      sum = add({mul({sum, at}, {momentum, at}), at}, {added, at});
      direction = nesterov ? add({gradient, at}, {mul({sum, at}, {momentum, at}), at}) : sum;
    }
    const Scalar& rate = learning_rate_of(*this, update);
    parameter = sub({parameter, at}, {mul({direction, at}, {rate, at}), at});
  }
}

}  // namespace sinter::inline SINTER_ABI::optim
