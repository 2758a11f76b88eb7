#pragma once
// ExponentialMovingAverage: averages of the parameters of a module over the steps of a training.

#include <map>      // std::map
#include <string>   // std::string
#include <utility>  // std::swap
#include <vector>   // std::vector

#include <sinter/config.hpp>
#include <sinter/optim/update.hpp>
#include <sinter/trace/module/module.hpp>

namespace sinter::inline SINTER_ABI::optim {

/// After the first update the parameters; after each further one decay * average + (1 - decay) *
/// parameter. Floating parameters only; buffers are left alone.
///
/// Source   https://docs.pytorch.org/docs/stable/generated/torch.optim.swa_utils.AveragedModel.html
///          with get_ema_multi_avg_fn(decay)
struct ExponentialMovingAverage {
  Scalar decay = 0.999f;
  Scalar updates = 0;
  std::map<std::string, Tensor> averages{};  ///< By the name of the parameter.
  SINTER_MODULE(ExponentialMovingAverage, decay, updates, averages)

  /// Takes the parameters of `module` into the averages: after optimizer.step, in the same compiled
  /// function or outside of any.
  ///
  /// Throws ValueError if a parameter has another shape than before
  template <sinter::detail::HasModule M>
  void update(M& module, Where where = Where::current()) {
    update(parameters_of(module), where);
  }
  /// Gives the parameters of `module` their averages.
  ///
  /// Throws ValueError if a parameter has no average
  template <sinter::detail::HasModule M>
  void copy_to(M& module, Where where = Where::current()) const {
    for (const Update& update : parameters_of(module)) {
      *update.parameter = average_of(update, "ExponentialMovingAverage.copy_to", where);
    }
  }
  /// Exchanges the parameters of `module` and their averages: evaluate with the averages, then swap
  /// back and train on.
  ///
  /// Throws ValueError if a parameter has no average
  template <sinter::detail::HasModule M>
  void swap(M& module, Where where = Where::current()) {
    const std::vector<Update> parameters = parameters_of(module);
    for (const Update& each : parameters) average_of(each, "ExponentialMovingAverage.swap", where);
    for (const Update& each : parameters) std::swap(*each.parameter, averages[each.name]);
  }

  void update(const std::vector<Update>& parameters, Where where);

 private:
  template <class M>
  static std::vector<Update> parameters_of(M& module) {
    std::vector<Update> result;
    nn::for_each_parameter(module, [&](const std::string& name, Tensor& parameter) {
      const bool is_averaged =
          parameter.defined() && sinter::detail::is_floating(parameter.dtype());
      if (is_averaged) result.push_back({name, &parameter, {}});
    });
    return result;
  }
  const Tensor& average_of(const Update& parameter, std::string_view op, Where where) const;
};

}  // namespace sinter::inline SINTER_ABI::optim

#ifdef SINTER_DEFINITIONS
#include <sinter/optim/average.ipp>
#endif
