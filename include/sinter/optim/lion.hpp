#pragma once
// Lion: steps by the sign of an averaged gradient.

#include <map>     // std::map
#include <string>  // std::string
#include <vector>  // std::vector

#include <sinter/optim/update.hpp>
#include <sinter/trace/module/module.hpp>

namespace sinter::inline SINTER_ABI::optim {

/// parameter -= learning_rate * (sign(lerp(gradient, mean, beta1)) + weight_decay * parameter);
/// then mean = lerp(gradient, mean, beta2).
///
/// Source   https://arxiv.org/abs/2302.06675
struct Lion {
  Scalar learning_rate = 1e-4f;
  double beta1 = 0.9;
  double beta2 = 0.99;
  Scalar weight_decay = 0.0f;
  bool maximize = false;
  std::map<std::string, Tensor> means{};  ///< Moving averages of gradients, by parameter name.
  std::vector<Group> groups{};
  SINTER_MODULE(Lion, learning_rate, beta1, beta2, weight_decay, maximize, means, groups)

  /// Adds a parameter group: its numbers apply to the parameters that `select` names.
  Lion& group(Selection select, GroupOptions numbers) & {
    groups.push_back({select, numbers.learning_rate, numbers.weight_decay});
    return *this;
  }
  Lion group(Selection select, GroupOptions numbers) && { return group(select, numbers); }
  /// Updates the parameters of `module` that have a gradient.
  ///
  /// Throws ValueError for gradients that do not belong to the module
  template <class M>
  void step(M& module, const Gradients& gradients, Where where = Where::current()) {
    take_step(*this, updates_of(module, gradients, "Lion.step", where, groups), where);
  }
  template <class... Given>
  requires(!StepArguments<Given...>) void step(Given&&...) { require_step<Given...>(); }
  void update(const std::vector<Update>& updates, Where where);
};

}  // namespace sinter::inline SINTER_ABI::optim

#ifdef SINTER_DEFINITIONS
#include <sinter/optim/lion.ipp>
#endif
