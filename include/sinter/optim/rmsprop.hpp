#pragma once
// RMSprop.

#include <map>     // std::map
#include <string>  // std::string
#include <vector>  // std::vector

#include <sinter/optim/update.hpp>
#include <sinter/trace/module/module.hpp>

namespace sinter::inline SINTER_ABI::optim {

/// parameter -= learning_rate * gradient / (sqrt(v) + eps), where v is the moving average of
/// squared gradients with decay `alpha`. If `centered`, the square of the average gradient is
/// subtracted from v. With a momentum, steps accumulate. weight_decay * parameter is added to the
/// gradient.
///
/// Source   https://docs.pytorch.org/docs/stable/generated/torch.optim.RMSprop.html
struct RMSprop {
  Scalar learning_rate = 1e-2f;
  double alpha = 0.99;
  double eps = 1e-8;
  Scalar weight_decay = 0.0f;
  double momentum = 0;
  bool centered = false;
  bool maximize = false;
  std::map<std::string, Tensor> squares{};  ///< Averages of squared gradients, by parameter name.
  std::map<std::string, Tensor> means{};    ///< Averages of gradients; if centered.
  std::map<std::string, Tensor> sums{};     ///< Momentum buffers; if momentum is not 0.
  std::vector<Group> groups{};
  SINTER_MODULE(RMSprop, learning_rate, alpha, eps, weight_decay, momentum, centered, maximize,
                squares, means, sums, groups)

  /// Adds a parameter group: its numbers apply to the parameters that `select` names.
  RMSprop& group(Selection select, GroupOptions numbers) & {
    groups.push_back({select, numbers.learning_rate, numbers.weight_decay});
    return *this;
  }
  RMSprop group(Selection select, GroupOptions numbers) && { return group(select, numbers); }
  /// Updates the parameters of `module` that have a gradient.
  ///
  /// Throws ValueError for gradients that do not belong to the module
  template <class M>
  void step(M& module, const Gradients& gradients, Where where = Where::current()) {
    take_step(*this, updates_of(module, gradients, "RMSprop.step", where, groups), where);
  }
  template <class... Given>
  requires(!StepArguments<Given...>) void step(Given&&...) { require_step<Given...>(); }
  void update(const std::vector<Update>& updates, Where where);
};

}  // namespace sinter::inline SINTER_ABI::optim

#ifdef SINTER_DEFINITIONS
#include <sinter/optim/rmsprop.ipp>
#endif
