#pragma once

#include <algorithm>  // std::any_of, std::none_of

#include <sinter/jit/interface/nearest.hpp>
#include <sinter/optim/update.hpp>
#include <sinter/trace/context/division.hpp>
#include <sinter/trace/context/division_hooks.hpp>
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

SINTER_INLINE bool is_whole(const Tensor& x, const sinter::detail::Division& division) {
  bool result = static_cast<std::size_t>(x.ndim()) == division.shape.size();
  for (int axis = 0; result && axis < x.ndim(); ++axis) {
    const Extent& size = x.shape()[axis];
    result = size.is_number() && size.number() == division.shape[static_cast<std::size_t>(axis)];
  }
  return result;
}

SINTER_INLINE void require_shape(const Update& update, std::string_view op, Where where) {
  if (have_one_shape(*update.parameter, update.gradient, where)) return;
  if (const auto* const division = sinter::detail::division_of(*update.parameter)) {
    const bool is_part = sinter::detail::is_part(update.gradient, *division);
    if (is_part || is_whole(update.gradient, *division)) return;
  }
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

// Requires that every gradient belongs to a parameter and has its shape.
SINTER_INLINE void require_match(const std::vector<Update>& updates, const Gradients& gradients,
                                 std::string_view op, Where where) {
  for (const Update& update : updates) require_shape(update, op, where);
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

[[noreturn]] SINTER_INLINE void throw_unused(const Group& group, const std::vector<Update>& updates,
                                             std::string_view op, Where where) {
  std::vector<std::string> names;
  std::vector<std::string_view> known;  // parameters, and the modules that they are in
  for (const Update& update : updates) {
    names.push_back(update.name);
    const std::string_view name = update.name;
    for (std::size_t dot = name.find('.'); dot != name.npos; dot = name.find('.', dot + 1)) {
      known.push_back(name.substr(0, dot));
    }
    known.push_back(name);
  }
  const std::string& pattern = group.select.pattern;
  const bool is_function = group.select.predicate >= 0;
  const std::string_view nearest = sinter::detail::jit::nearest_name(pattern, known);
  const std::string fix = "select the name of a parameter or of a module, with * for any text";
  using sinter::detail::text;
  throw ValueError(
      {.op = op,
       .what = "a group of the optimizer selects no parameter of the module",
       .facts = {{"group", is_function ? "a function of the name" : text("\"", pattern, "\"")},
                 {"parameters", text(names)}},
       .rule = "every group selects at least one parameter",
       .fix =
           is_function || nearest.empty() ? fix : text("did you mean \"", nearest, "\"? Or ", fix),
       .where = where,
       .see = "gradients"});
}

// The last group that has the number counts.
SINTER_INLINE void assign_groups(std::vector<Update>& updates, const std::vector<Group>& groups,
                                 std::string_view op, Where where) {
  for (std::size_t i = 0; i < groups.size(); ++i) {
    bool is_used = false;
    for (Update& update : updates) {
      if (!groups[i].select.selects(update.name)) continue;
      is_used = true;
      if (groups[i].learning_rate) update.groups[0] = static_cast<int>(i);
      if (groups[i].weight_decay) update.groups[1] = static_cast<int>(i);
    }
    if (!is_used) throw_unused(groups[i], updates, op, where);
  }
}

}  // namespace detail

SINTER_INLINE void match(std::vector<Update>& updates, const Gradients& gradients,
                         const std::vector<Group>& groups, std::string_view op, Where where) {
  detail::assign_groups(updates, groups, op, where);
  std::erase_if(updates, [&](const Update& update) { return !gradients.contains(update.name); });
  for (Update& update : updates) update.gradient = gradients[update.name];
  detail::require_match(updates, gradients, op, where);
}

SINTER_INLINE void take_parts(std::vector<Update>& updates, Where where) {
  using sinter::detail::division_hooks;
  const sinter::detail::Division* gathered = nullptr;
  for (Update& update : updates) {
    const auto* const division = sinter::detail::division_of(*update.parameter);
    if (division == nullptr) continue;
    update.divided = update.parameter;
    if (!sinter::detail::is_part(update.gradient, *division)) {
      update.gradient = division_hooks.part(update.gradient, *division, where);
    }
    const bool is_part = division->level == sinter::detail::Division::Level::parameters;
    if (!is_part) gathered = division;
    update.before = *update.parameter;  // with its marks, which an assignment drops
    if (is_part) continue;
    update.before = division_hooks.part(*update.parameter, *division, where);
    update.parameter = &update.before;
  }
  if (gathered != nullptr) division_hooks.commit(gathered->group, where);
}

// All are gathered before one is changed: if that fails, the model is as it was.
SINTER_INLINE void give_parts(std::vector<Update>& updates, Where where) {
  std::vector<std::pair<Tensor*, Tensor>> wholes;
  for (auto update = updates.rbegin(); update != updates.rend(); ++update) {
    if (update->divided == nullptr) continue;
    Tensor& parameter = *update->divided;
    if (update->parameter == update->divided) {
      sinter::detail::set_division(parameter, sinter::detail::division_of(update->before));
      continue;
    }
    const sinter::detail::Division& division = *sinter::detail::division_of(parameter);
    wholes.emplace_back(&parameter,
                        sinter::detail::division_hooks.whole(update->before, division, where));
  }
  for (const auto& [parameter, whole] : wholes) parameter->set_value(whole);
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
