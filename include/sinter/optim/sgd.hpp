#pragma once
// Stochastic gradient descent.

#include <map>     // std::map
#include <string>  // std::string
#include <vector>  // std::vector

#include <sinter/optim/update.hpp>
#include <sinter/trace/module.hpp>

namespace sinter::inline SINTER_ABI::optim {

/// parameter -= learning_rate * direction, where the direction is the gradient, or its moving sum
/// if there is a momentum.
///
/// Source   https://docs.pytorch.org/docs/stable/generated/torch.optim.SGD.html
struct SGD {
  Scalar learning_rate = 1e-3f;
  double momentum = 0;
  bool nesterov = false;
  Scalar weight_decay = 0.0f;
  std::map<std::string, Tensor> sums{};  ///< Of past gradients, by the name of the parameter.
  SINTER_MODULE(SGD, learning_rate, momentum, nesterov, weight_decay, sums)

  /// Updates the parameters of `module` that have a gradient.
  ///
  /// Throws ValueError for gradients that are not those of the module
  template <class M>
  void step(M& module, const Gradients& gradients, Where where = Where::current()) {
    update(updates_of(module, gradients, "SGD.step", where), where);
  }
  void update(const std::vector<Update>& updates, Where where);
};

}  // namespace sinter::inline SINTER_ABI::optim

#ifdef SINTER_DEFINITIONS
#include <sinter/optim/sgd.ipp>
#endif
