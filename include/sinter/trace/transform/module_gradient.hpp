#pragma once
// value_and_grad of a closure, with respect to the parameters of a module.

#include <concepts>     // std::convertible_to
#include <string>       // std::string
#include <tuple>        // std::tuple
#include <type_traits>  // std::is_const_v
#include <utility>      // std::forward
#include <vector>       // std::vector

#include <sinter/base/container/vector.hpp>
#include <sinter/config.hpp>
#include <sinter/trace/context/division.hpp>
#include <sinter/trace/core/tensor.hpp>
#include <sinter/trace/module/call_at.hpp>
#include <sinter/trace/module/parameter.hpp>
#include <sinter/trace/transform/derivative.hpp>
#include <sinter/trace/transform/gradients.hpp>

namespace sinter::inline SINTER_ABI {

struct ValueAndGradients {
  Tensor value;
  Gradients gradients;
  SINTER_MODULE(ValueAndGradients, value, gradients)
};

namespace detail {

/// Reports exactly one error unless value_and_grad(module, closure, select) accepts these.
template <class M, class Closure, class Select>
constexpr bool require_closure() {
  constexpr bool varies = !std::is_const_v<M>, is_called = can_call<Closure>();
  constexpr bool selects = std::is_invocable_r_v<bool, Select&, const std::string&>;
  static_assert(varies,
                "sinter::value_and_grad(module, closure) requires a module that is not const");
  static_assert(
      is_called || !varies,
      "sinter::value_and_grad(module, closure) requires a closure without parameters, "
      "which gives the loss: value_and_grad(model, [&] { return mse_loss(model(x), y); })");
  static_assert(selects || !is_called || !varies,
                "sinter::value_and_grad(module, closure, select) requires select to take the "
                "dotted name of a parameter, a string, and to give a bool");
  return varies && is_called && selects;
}

template <class M, class Closure, class Select>
ValueAndGradients differentiated(M& module, Closure& closure, Select& select, Where where) {
  std::vector<std::pair<std::string, Tensor>> list;
  std::vector<Tensor> originals, variables;
  Vector<Tensor*> parameters;
  Differentiation differentiation;
  const auto restore = [&] {
    for (std::size_t i = 0; i < variables.size(); ++i) {
      if (parameters[i]->lazy() == variables[i].lazy()) *parameters[i] = originals[i];
    }
  };
  try {
    nn::for_each_parameter(module, [&](const std::string& name, Tensor& parameter) {
      if (!parameter.defined() || !is_floating(parameter.dtype()) || !select(name)) return;
      list.emplace_back(name, Tensor());
      originals.push_back(parameter);
      parameters.push_back(&parameter);
      variables.push_back(differentiation.variable(whole_of(parameter, where), where));
      parameter = variables.back();
    });
    std::tuple<> none;
    const Tensor value = tensor_at(where, closure, none);
    restore();
    const std::vector<Tensor> gradients = differentiation.gradients(value, where);
    for (std::size_t i = 0; i < list.size(); ++i) {
      list[i].second = gradients[i];
      set_division(list[i].second, division_of(originals[i]));
    }
    return {value, Gradients(std::move(list))};
  } catch (...) {
    restore();
    throw;
  }
}

}  // namespace detail

/// The value of `closure()`, one floating element, and its gradient with respect to the floating
/// parameters of `module`, which the closure uses.
///
/// Throws GradientError unless the value is one floating element.
template <class M, class Closure, class Select>
requires Module<M> ValueAndGradients value_and_grad(M& module, Closure&& closure, Select select,
                                                    Where where = Where::current()) {
  if constexpr (detail::require_closure<M, std::remove_reference_t<Closure>, Select>()) {
    return detail::differentiated(module, closure, select, where);
  } else {
    return {};
  }
}

template <class M, class Closure>
requires Module<M> ValueAndGradients value_and_grad(M& module, Closure&& closure,
                                                    Where where = Where::current()) {
  return value_and_grad(
      module, std::forward<Closure>(closure), [](const std::string&) { return true; }, where);
}

/// The same for a compiled module: with respect to the parameters of the module.
template <class M, class Closure, class Select>
requires detail::Holder<M> ValueAndGradients value_and_grad(M& compiled, Closure&& closure,
                                                            Select select,
                                                            Where where = Where::current()) {
  return value_and_grad(compiled.held(), std::forward<Closure>(closure), select, where);
}
template <class M, class Closure>
requires detail::Holder<M> ValueAndGradients value_and_grad(M& compiled, Closure&& closure,
                                                            Where where = Where::current()) {
  return value_and_grad(compiled.held(), std::forward<Closure>(closure), where);
}

namespace detail {

// The second arguments that value_and_grad(f, second) accepts for a function.
template <class T>
concept ArgumentNumbers = std::convertible_to<T, int> || std::convertible_to<T, Where> ||
    std::is_array_v<std::remove_reference_t<T>>;

}  // namespace detail

/// A call that value_and_grad does not accept: reports exactly one error.
template <class First, class Second, class... Rest>
requires(!detail::ArgumentNumbers<Second> &&
         !(std::is_lvalue_reference_v<First> &&
           detail::HasModule<std::remove_reference_t<First>>)) ValueAndGradients
    value_and_grad(First&&, Second&&, Rest&&...) {
  constexpr bool is_closure = detail::can_call<std::remove_reference_t<Second>>();
  static_assert(!is_closure,
                "sinter::value_and_grad(module, closure) requires a module that is a variable: "
                "list the members of the struct with SINTER_MODULE(Type, members...)");
  static_assert(is_closure,
                "sinter::value_and_grad(f) gives a function, which takes the arguments of f: "
                "value_and_grad(f)(x, y); a module comes before its closure: "
                "value_and_grad(model, [&] { return mse_loss(model(x), y); })");
  return {};
}

}  // namespace sinter::inline SINTER_ABI
