#pragma once

#include <algorithm>  // std::any_of, std::none_of

#include <sinter/optim/update.hpp>
#include <sinter/trace/context/state.hpp>
#include <sinter/trace/core/cast.hpp>
#include <sinter/trace/core/recorder.hpp>
#include <sinter/trace/ops/creation/create.hpp>
#include <sinter/trace/ops/elementwise/elementwise.hpp>

namespace sinter::inline SINTER_ABI::optim {

namespace detail {

SINTER_INLINE bool have_one_shape(const Tensor& a, const Tensor& b, Where where) {
  if (a.ndim(where) != b.ndim(where)) return false;
  for (int axis = 0; axis < a.ndim(); ++axis) {
    if (!sinter::detail::equal_sizes(a.shape()[axis], b.shape()[axis], where)) return false;
  }
  return true;
}

SINTER_INLINE void require_shape(const Update& update, std::string_view op, Where where) {
  if (have_one_shape(*update.parameter, update.gradient, where)) return;
  throw ValueError({.op = op,
                    .what = "a gradient is not of the shape of its parameter",
                    .facts = {{"name", update.name},
                              {"parameter", to_string(*update.parameter)},
                              {"gradient", to_string(update.gradient)}},
                    .rule = "gradients have the shapes of the parameters",
                    .fix = "reshape it, or sum it over the axes that the parameter does not have",
                    .where = where,
                    .see = "gradients"});
}

SINTER_INLINE void require_state_shape(const Update& update, const Tensor& state, Where where) {
  if (have_one_shape(*update.parameter, state, where)) return;
  throw ValueError({.op = "optimizer.step",
                    .what = "the optimizer state does not have the shape of the parameter",
                    .facts = {{"name", update.name},
                              {"parameter", to_string(*update.parameter)},
                              {"kept", to_string(state)}},
                    .rule = "an optimizer updates the same parameters in every step",
                    .fix = "start with a new optimizer when a parameter gets another shape",
                    .where = where,
                    .see = "gradients"});
}

}  // namespace detail

SINTER_INLINE void require_match(const std::vector<Update>& updates, const Gradients& gradients,
                                 std::string_view op, Where where) {
  for (const Update& update : updates) detail::require_shape(update, op, where);
  if (updates.size() == gradients.size()) return;
  std::vector<std::string> unknown, known;
  for (const Update& update : updates) known.push_back(update.name);
  for (const auto& [name, gradient] : gradients) {
    const auto is_name = [&name = name](const Update& update) { return update.name == name; };
    if (std::none_of(updates.begin(), updates.end(), is_name)) unknown.push_back(name);
  }
  throw ValueError({.op = op,
                    .what = "the module has no parameters of these names",
                    .facts = {{"gradients", sinter::detail::text(unknown)},
                              {"updated", sinter::detail::text(known)}},
                    .rule = "every gradient is that of a parameter of the module",
                    .fix = "pass the module that value_and_grad was given",
                    .where = where,
                    .see = "gradients"});
}

SINTER_INLINE DType precision_of(const std::vector<Update>& updates) {
  const auto is_wide = [](const Update& update) { return update.parameter->dtype() == f64; };
  return std::any_of(updates.begin(), updates.end(), is_wide) ? f64 : f32;
}

SINTER_INLINE Tensor with_precision(const Scalar& number, DType precision, Where at) {
  return sinter::detail::cast({number, at}, precision);
}

SINTER_INLINE Tensor decayed_gradient(const Update& update, const Scalar& weight_decay,
                                      bool maximize, Where at) {
  const Tensor decay = mul({*update.parameter, at}, {weight_decay, at});
  return maximize ? sub({decay, at}, {update.gradient, at})
                  : add({update.gradient, at}, {decay, at});
}

SINTER_INLINE Tensor& state_of(std::map<std::string, Tensor>& states, const Update& update,
                               Operand value) {
  Tensor& state = states[update.name];
  if (!state.defined()) create_state(state, full_like({*update.parameter, value.where}, value));
  detail::require_state_shape(update, state, value.where);
  return state;
}

}  // namespace sinter::inline SINTER_ABI::optim
