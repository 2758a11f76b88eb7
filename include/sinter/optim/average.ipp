#pragma once

#include <sinter/optim/average.hpp>
#include <sinter/optim/compiled_update.hpp>
#include <sinter/trace/core/cast.hpp>
#include <sinter/trace/core/evaluate.hpp>
#include <sinter/trace/ops/elementwise/elementwise.hpp>

namespace sinter::inline SINTER_ABI::optim {

// The first update is a step with a decay of 0, so that all of them share one recording.
SINTER_INLINE void ExponentialMovingAverage::update(const std::vector<Update>& parameters,
                                                    Where at) {
  if (compiles_steps()) return update_compiled(*this, parameters, at);
  const DType precision = precision_of(parameters);
  const Tensor is_first = eq({updates, at}, {0, at});
  const Tensor rest = sub({1, at}, {with_precision(decay, precision, at), at});
  const Scalar weight(where({is_first, at}, {1, at}, {rest, at}), at);
  updates = Scalar(add({updates, at}, {1, at}), at);
  for (const Update& update : parameters) {
    Tensor& average = state_of(averages, update, {0, at});
    const Tensor distance = sub({*update.parameter, at}, {average, at});
    average = add({average, at}, {mul({distance, at}, {weight, at}), at});
  }
  if (is_recording()) return;
  // Nothing else reads averages during a training: left alone they would keep its whole history.
  for (const Update& update : parameters) sinter::detail::evaluate(averages[update.name], at);
}

SINTER_INLINE const Tensor& ExponentialMovingAverage::average_of(const Update& parameter,
                                                                 std::string_view op,
                                                                 Where where) const {
  const auto average = averages.find(parameter.name);
  if (average != averages.end()) return average->second;
  std::vector<std::string> names;
  for (const auto& [name, value] : averages) names.push_back(name);
  throw ValueError(
      {.op = op,
       .what = "a parameter has no average",
       .facts = {{"parameter", parameter.name}, {"averages", sinter::detail::text(names)}},
       .rule = "there are averages after update(module), for its parameters",
       .fix = "call update(module) after each step of the optimizer",
       .where = where});
}

}  // namespace sinter::inline SINTER_ABI::optim
