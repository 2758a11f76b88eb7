#pragma once
// Adagrad.

#include <map>     // std::map
#include <string>  // std::string
#include <vector>  // std::vector

#include <sinter/optim/update.hpp>
#include <sinter/trace/module/module.hpp>

namespace sinter::inline SINTER_ABI::optim {

/// parameter -= rate * gradient / (sqrt(sum of squared gradients) + eps), where the rate is
/// learning_rate / (1 + lr_decay * number of earlier steps). weight_decay * parameter is added to
/// the gradient.
///
/// Source   https://docs.pytorch.org/docs/stable/generated/torch.optim.Adagrad.html
struct Adagrad {
  Scalar learning_rate = 1e-2f;
  double lr_decay = 0;
  Scalar weight_decay = 0.0f;
  double initial_accumulator_value = 0;
  double eps = 1e-10;
  bool maximize = false;
  Scalar steps = 0;
  std::map<std::string, Tensor> squares{};  ///< Sums of squared gradients, by parameter name.
  std::vector<Group> groups{};
  SINTER_MODULE(Adagrad, learning_rate, lr_decay, weight_decay, initial_accumulator_value, eps,
                maximize, steps, squares, groups)

  /// Adds a parameter group: its numbers apply to the parameters that `select` names.
  Adagrad& group(Selection select, GroupOptions numbers) & {
    groups.push_back({select, numbers.learning_rate, numbers.weight_decay});
    return *this;
  }
  Adagrad group(Selection select, GroupOptions numbers) && { return group(select, numbers); }
  /// Updates the parameters of `module` that have a gradient.
  ///
  /// Throws ValueError for gradients that do not belong to the module
  template <class M>
  void step(M& module, const Gradients& gradients, Where where = Where::current()) {
    take_step(*this, updates_of(module, gradients, "Adagrad.step", where, groups), where);
  }
  template <class... Given>
  requires(!StepArguments<Given...>) void step(Given&&...) { require_step<Given...>(); }
  void update(const std::vector<Update>& updates, Where where);
};

}  // namespace sinter::inline SINTER_ABI::optim

#ifdef SINTER_DEFINITIONS
#include <sinter/optim/adagrad.ipp>
#endif
