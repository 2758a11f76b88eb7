#pragma once
// Stochastic gradient descent.

#include <map>     // std::map
#include <string>  // std::string
#include <vector>  // std::vector

#include <sinter/optim/update.hpp>
#include <sinter/trace/module/module.hpp>

namespace sinter::inline SINTER_ABI::optim {

/// parameter -= learning_rate * direction. The direction is gradient + weight_decay * parameter or,
/// with a momentum, the momentum buffer: momentum * buffer + (1 - dampening) * gradient, where the
/// first gradient is not dampened. `maximize` increases the loss.
///
/// Source   https://docs.pytorch.org/docs/stable/generated/torch.optim.SGD.html
struct SGD {
  Scalar learning_rate = 1e-3f;
  double momentum = 0;
  double dampening = 0;
  bool nesterov = false;
  Scalar weight_decay = 0.0f;
  bool maximize = false;
  std::map<std::string, Tensor> sums{};   ///< Momentum buffers, by parameter name.
  std::map<std::string, Tensor> begun{};  ///< 1 once a buffer has a gradient; with dampening.
  std::vector<Group> groups{};
  SINTER_MODULE(SGD, learning_rate, momentum, dampening, nesterov, weight_decay, maximize, sums,
                begun, groups)

  /// Adds a parameter group: its numbers apply to the parameters that `select` names.
  SGD& group(Selection select, GroupOptions numbers) & {
    groups.push_back({select, numbers.learning_rate, numbers.weight_decay});
    return *this;
  }
  SGD group(Selection select, GroupOptions numbers) && { return group(select, numbers); }
  /// Updates the parameters of `module` that have a gradient.
  ///
  /// Throws ValueError for gradients that do not belong to the module, and for nesterov without a
  /// momentum or with dampening
  template <class M>
  void step(M& module, const Gradients& gradients, Where where = Where::current()) {
    take_step(*this, updates_of(module, gradients, "SGD.step", where, groups), where);
  }
  template <class... Given>
  requires(!StepArguments<Given...>) void step(Given&&...) { require_step<Given...>(); }
  void update(const std::vector<Update>& updates, Where where);
};

}  // namespace sinter::inline SINTER_ABI::optim

#ifdef SINTER_DEFINITIONS
#include <sinter/optim/sgd.ipp>
#endif
