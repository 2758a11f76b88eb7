#pragma once

#include <cmath>  // std::log

#include <sinter/optim/adam.hpp>
#include <sinter/optim/compiled_update.hpp>
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

/// Values shared by all parameters of one step.
struct AdamStep {
  Scalar size;                  ///< The learning rate with bias correction for the first moment.
  Scalar deviation_correction;  ///< The bias correction for the root of the second moment.
};

template <class Optimizer>
AdamStep next_step(Optimizer& optimizer, const std::vector<Update>& updates, Where at) {
  const DType precision = precision_of(updates);
  optimizer.steps = Scalar(add({optimizer.steps, at}, {1, at}));
  const Tensor steps = sinter::detail::cast({optimizer.steps, at}, precision);
  const Tensor first = bias_correction(optimizer.beta1, steps, at);
  const Tensor second = bias_correction(optimizer.beta2, steps, at);
  const Tensor rate = with_precision(optimizer.learning_rate, precision, at);
  return {Scalar(div({rate, at}, {first, at})), Scalar(sqrt({second, at}))};
}

}  // namespace detail

SINTER_INLINE void Adam::update(const std::vector<Update>& updates, Where at) {
  if (compiles_steps()) return update_compiled(*this, updates, at);
  const auto [size, correction] = detail::next_step(*this, updates, at);
  for (const Update& update : updates) {
    Tensor& parameter = *update.parameter;
    const Tensor gradient = decayed_gradient(update, weight_decay, maximize, at);
    const Tensor direction = detail::direction(*this, update, gradient, correction, at);
    parameter = sub({parameter, at}, {mul({direction, at}, {size, at}), at});
  }
}

SINTER_INLINE void AdamW::update(const std::vector<Update>& updates, Where at) {
  if (compiles_steps()) return update_compiled(*this, updates, at);
  const auto [size, correction] = detail::next_step(*this, updates, at);
  const DType precision = precision_of(updates);
  const Tensor rate = with_precision(learning_rate, precision, at);
  const Tensor decay = with_precision(weight_decay, precision, at);
  const Tensor shrink = mul({rate, at}, {decay, at});
  const Scalar keep(sub({1, at}, {shrink, at}));
  for (const Update& update : updates) {
    Tensor& parameter = *update.parameter;
    const Tensor gradient = maximize ? neg({update.gradient, at}) : update.gradient;
    const Tensor direction = detail::direction(*this, update, gradient, correction, at);
    const Tensor kept = mul({parameter, at}, {keep, at});
    parameter = sub({kept, at}, {mul({direction, at}, {size, at}), at});
  }
}

}  // namespace sinter::inline SINTER_ABI::optim
