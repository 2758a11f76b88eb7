#pragma once

#include <sinter/optim/sgd.hpp>
#include <sinter/trace/create.hpp>
#include <sinter/trace/elementwise.hpp>
#include <sinter/trace/state.hpp>

namespace sinter::inline SINTER_ABI::optim {

SINTER_INLINE void SGD::update(const std::vector<Update>& updates, Where at) {
  for (const auto& [name, parameter, gradient] : updates) {
    const Tensor decay = mul({*parameter, at}, {weight_decay, at});
    Tensor direction = add({gradient, at}, {decay, at});
    if (momentum != 0) {
      Tensor& sum = sums[name];
      if (!sum.defined()) create_state(sum, zeros_like({*parameter, at}));
      sum = add({mul({sum, at}, {momentum, at}), at}, {direction, at});
      const Tensor ahead = add({direction, at}, {mul({sum, at}, {momentum, at}), at});
      direction = nesterov ? ahead : sum;
    }
    *parameter = sub({*parameter, at}, {mul({direction, at}, {learning_rate, at}), at});
  }
}

}  // namespace sinter::inline SINTER_ABI::optim
