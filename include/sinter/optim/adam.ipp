#pragma once

#include <cmath>  // std::log

#include <sinter/optim/adam.hpp>
#include <sinter/optim/compiled_update.hpp>
#include <sinter/optim/group_numbers.hpp>
#include <sinter/trace/core/cast.hpp>
#include <sinter/trace/ops/elementwise/elementwise.hpp>

namespace sinter::inline SINTER_ABI::optim {

namespace detail {

// 1 - beta^steps, as -expm1(steps * log(beta)): 1 - 0.999 would lose half of the digits in f32, and
// some in f64.
SINTER_INLINE Tensor bias_correction(double beta, const Tensor& steps, Where at) {
  const Tensor half = tanh({mul({steps, at}, {std::log(beta) / 2, at}), at});
  return div({mul({half, at}, {-2, at}), at}, {sub({1, at}, {half, at}), at});
}

// start + weight * (end - start)
SINTER_INLINE Tensor lerp(const Tensor& start, const Tensor& end, double weight, Where at) {
  const Tensor distance = sub({end, at}, {start, at});
  return add({start, at}, {mul({distance, at}, {weight, at}), at});
}

/// Updates the moving averages; returns the direction of the step, with elements of magnitude about
/// 1.
template <class Optimizer>
Tensor direction(Optimizer& optimizer, const Update& update, const Tensor& gradient,
                 const Scalar& deviation_correction, Where at) {
  Tensor& mean = state_of(optimizer.means, update, {0, at});
  Tensor& square = state_of(optimizer.squares, update, {0, at});
  mean = lerp(mean, gradient, 1 - optimizer.beta1, at);
  const Tensor squared = mul({mul({gradient, at}, {1 - optimizer.beta2, at}), at}, {gradient, at});
  square = add({mul({square, at}, {optimizer.beta2, at}), at}, {squared, at});
  Tensor divisor = square;
  if (optimizer.amsgrad) {
    Tensor& largest = state_of(optimizer.largest_squares, update, {0, at});
    divisor = largest = maximum({largest, at}, {square, at});
  }
  const Tensor deviation = div({sqrt({divisor, at}), at}, {deviation_correction, at});
  return div({mean, at}, {add({deviation, at}, {optimizer.eps, at}), at});
}

/// Bias corrections of one step, shared by all parameters.
struct AdamCorrections {
  Tensor first;      ///< Of the moving average of gradients.
  Scalar deviation;  ///< Of the root of the moving average of squares.
};

template <class Optimizer>
AdamCorrections next_step(Optimizer& optimizer, DType precision, Where at) {
  optimizer.steps = Scalar(add({optimizer.steps, at}, {1, at}));
  const Tensor steps = sinter::detail::cast({optimizer.steps, at}, precision);
  const Tensor first = bias_correction(optimizer.beta1, steps, at);
  const Tensor second = bias_correction(optimizer.beta2, steps, at);
  return {first, Scalar(sqrt({second, at}))};
}

/// Values shared by parameters with the same learning rate and weight decay.
struct AdamStep {
  Scalar size;  ///< The learning rate with bias correction for the first moment.
  Scalar keep;  ///< AdamW: what the weight decay leaves of a parameter.
};

template <class Optimizer>
AdamStep step_of(const Optimizer& optimizer, const Update& update, const Tensor& correction,
                 Where at) {
  const DType precision = correction.dtype();
  const Tensor rate = with_precision(learning_rate_of(optimizer, update), precision, at);
  const Tensor decay = with_precision(weight_decay_of(optimizer, update), precision, at);
  return {Scalar(div({rate, at}, {correction, at})),
          Scalar(sub({1, at}, {mul({rate, at}, {decay, at}), at}))};
}

}  // namespace detail

SINTER_INLINE void Adam::update(const std::vector<Update>& updates, Where at) {
  if (compiles_steps()) return update_compiled(*this, updates, at);
  const auto [first, deviation] = detail::next_step(*this, precision_of(updates), at);
  PerGroup<detail::AdamStep> shared;
  for (const Update& update : updates) {
    const auto& [size, keep] =
        shared.of(update, [&] { return detail::step_of(*this, update, first, at); });
    Tensor& parameter = *update.parameter;
    const Tensor gradient = decayed_gradient(update, weight_decay_of(*this, update), maximize, at);
    const Tensor direction = detail::direction(*this, update, gradient, deviation, at);
    parameter = sub({parameter, at}, {mul({direction, at}, {size, at}), at});
  }
}

SINTER_INLINE void AdamW::update(const std::vector<Update>& updates, Where at) {
  if (compiles_steps()) return update_compiled(*this, updates, at);
  const auto [first, deviation] = detail::next_step(*this, precision_of(updates), at);
  PerGroup<detail::AdamStep> shared;
  for (const Update& update : updates) {
    const auto& [size, keep] =
        shared.of(update, [&] { return detail::step_of(*this, update, first, at); });
    Tensor& parameter = *update.parameter;
    const Tensor gradient = maximize ? neg({update.gradient, at}) : update.gradient;
    const Tensor direction = detail::direction(*this, update, gradient, deviation, at);
    const Tensor kept = mul({parameter, at}, {keep, at});
    parameter = sub({kept, at}, {mul({direction, at}, {size, at}), at});
  }
}

}  // namespace sinter::inline SINTER_ABI::optim
