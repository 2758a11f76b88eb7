#pragma once
// Adam and AdamW.

#include <map>     // std::map
#include <string>  // std::string
#include <vector>  // std::vector

#include <sinter/optim/update.hpp>
#include <sinter/trace/module/module.hpp>

namespace sinter::inline SINTER_ABI::optim {

/// parameter -= learning_rate * m / (sqrt(v) + eps), where m and v are bias-corrected moving
/// averages of the gradients and of their squares. weight_decay * parameter is added to the
/// gradient. `amsgrad` uses the largest v so far; `maximize` increases the loss.
///
/// Source   https://docs.pytorch.org/docs/stable/generated/torch.optim.Adam.html
struct Adam {
  Scalar learning_rate = 1e-3f;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double eps = 1e-8;
  Scalar weight_decay = 0.0f;
  bool amsgrad = false;
  bool maximize = false;
  Scalar steps = 0;
  std::map<std::string, Tensor> means{};            ///< Of gradients, by the name of the parameter.
  std::map<std::string, Tensor> squares{};          ///< Of squared gradients.
  std::map<std::string, Tensor> largest_squares{};  ///< Of `squares`; if there is amsgrad.
  std::vector<Group> groups{};
  SINTER_MODULE(Adam, learning_rate, beta1, beta2, eps, weight_decay, amsgrad, maximize, steps,
                means, squares, largest_squares, groups)

  /// Adds a parameter group: its numbers apply to the parameters that `select` names.
  Adam& group(Selection select, GroupOptions numbers) & {
    groups.push_back({select, numbers.learning_rate, numbers.weight_decay});
    return *this;
  }
  Adam group(Selection select, GroupOptions numbers) && { return group(select, numbers); }
  /// Updates the parameters of `module` that have a gradient.
  ///
  /// Throws ValueError for gradients that are not those of the module
  template <class M>
  void step(M& module, const Gradients& gradients, Where where = Where::current()) {
    take_step(*this, updates_of(module, gradients, "Adam.step", where, groups), where);
  }
  template <class... Given>
  requires(!StepArguments<Given...>) void step(Given&&...) { require_step<Given...>(); }
  void update(const std::vector<Update>& updates, Where where);
};

/// Adam with decoupled weight decay: weight_decay * learning_rate * parameter is subtracted
/// separately.
///
/// Source   https://docs.pytorch.org/docs/stable/generated/torch.optim.AdamW.html
struct AdamW {
  Scalar learning_rate = 1e-3f;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double eps = 1e-8;
  Scalar weight_decay = 1e-2;
  bool amsgrad = false;
  bool maximize = false;
  Scalar steps = 0;
  std::map<std::string, Tensor> means{};            ///< Of gradients, by the name of the parameter.
  std::map<std::string, Tensor> squares{};          ///< Of squared gradients.
  std::map<std::string, Tensor> largest_squares{};  ///< Of `squares`; if there is amsgrad.
  std::vector<Group> groups{};
  SINTER_MODULE(AdamW, learning_rate, beta1, beta2, eps, weight_decay, amsgrad, maximize, steps,
                means, squares, largest_squares, groups)

  /// Adds a parameter group: its numbers apply to the parameters that `select` names.
  AdamW& group(Selection select, GroupOptions numbers) & {
    groups.push_back({select, numbers.learning_rate, numbers.weight_decay});
    return *this;
  }
  AdamW group(Selection select, GroupOptions numbers) && { return group(select, numbers); }
  /// Updates the parameters of `module` that have a gradient.
  ///
  /// Throws ValueError for gradients that are not those of the module
  template <class M>
  void step(M& module, const Gradients& gradients, Where where = Where::current()) {
    take_step(*this, updates_of(module, gradients, "AdamW.step", where, groups), where);
  }
  template <class... Given>
  requires(!StepArguments<Given...>) void step(Given&&...) { require_step<Given...>(); }
  void update(const std::vector<Update>& updates, Where where);
};

}  // namespace sinter::inline SINTER_ABI::optim

#ifdef SINTER_DEFINITIONS
#include <sinter/optim/adam.ipp>
#endif
