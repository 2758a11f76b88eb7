#pragma once
// Adam, and Adam with decoupled weight decay.

#include <map>     // std::map
#include <string>  // std::string
#include <vector>  // std::vector

#include <sinter/optim/update.hpp>
#include <sinter/trace/module/module.hpp>

namespace sinter::inline SINTER_ABI::optim {

/// parameter -= learning_rate * mean of the gradients / sqrt(mean of their squares), means that
/// forget; weight_decay * parameter is part of the gradient. `amsgrad` divides by the largest mean
/// of squares so far; `maximize` makes the loss larger, not smaller.
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
  SINTER_MODULE(Adam, learning_rate, beta1, beta2, eps, weight_decay, amsgrad, maximize, steps,
                means, squares, largest_squares)

  /// Updates the parameters of `module` that have a gradient.
  ///
  /// Throws ValueError for gradients that are not those of the module
  template <class M>
  void step(M& module, const Gradients& gradients, Where where = Where::current()) {
    update(updates_of(module, gradients, "Adam.step", where), where);
  }
  template <class... Given>
  requires(!StepArguments<Given...>) void step(Given&&...) { require_step<Given...>(); }
  void update(const std::vector<Update>& updates, Where where);
};

/// The same, but weight_decay * learning_rate * parameter is subtracted by itself.
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
  SINTER_MODULE(AdamW, learning_rate, beta1, beta2, eps, weight_decay, amsgrad, maximize, steps,
                means, squares, largest_squares)

  /// Updates the parameters of `module` that have a gradient.
  ///
  /// Throws ValueError for gradients that are not those of the module
  template <class M>
  void step(M& module, const Gradients& gradients, Where where = Where::current()) {
    update(updates_of(module, gradients, "AdamW.step", where), where);
  }
  template <class... Given>
  requires(!StepArguments<Given...>) void step(Given&&...) { require_step<Given...>(); }
  void update(const std::vector<Update>& updates, Where where);
};

}  // namespace sinter::inline SINTER_ABI::optim

#ifdef SINTER_DEFINITIONS
#include <sinter/optim/adam.ipp>
#endif
