#pragma once
// grad and value_and_grad: each takes a callable and returns one. They compose with each other and
// with compile.

#include <array>        // std::to_array
#include <tuple>        // std::tuple
#include <type_traits>  // std::decay_t
#include <utility>      // std::forward
#include <vector>       // std::vector

#include <sinter/config.hpp>
#include <sinter/trace/core/record.hpp>
#include <sinter/trace/core/tensor.hpp>
#include <sinter/trace/module/call_at.hpp>
#include <sinter/trace/module/parameter.hpp>
#include <sinter/trace/transform/derivative.hpp>
#include <sinter/trace/transform/gradients.hpp>
#include <sinter/trace/transform/module_gradient.hpp>

namespace sinter::inline SINTER_ABI {

template <class Value>
struct ValueAndGradient {
  Tensor value;
  Value gradient;
  SINTER_MODULE(ValueAndGradient, value, gradient)
};

namespace detail {

// `value` with its floating tensors replaced by variables. Integers and buffers stay.
template <class T>
T with_variables(T value, Differentiation& differentiation, Where where) {
  const auto replace = [&](const std::string&, Tensor& tensor) {
    if (tensor.defined() && is_floating(tensor.dtype())) {
      tensor = differentiation.variable(tensor, where);
    }
  };
  if constexpr (std::same_as<T, Tensor>) {
    return differentiation.variable(value, where);
  } else {
    ParameterVisitor visitor(replace);
    walk(value, visitor, {});
    return value;
  }
}

// `value` with each floating tensor replaced by its gradient.
template <class T>
T with_gradients(T value, const std::vector<Tensor>& gradients) {
  std::size_t next = 0;
  const auto replace = [&](const std::string&, Tensor& tensor) {
    if (tensor.defined() && is_floating(tensor.dtype())) tensor = gradients[next++];
  };
  ParameterVisitor visitor(replace);
  walk(value, visitor, {});
  return value;
}

/// Throws GradientError: argument `argument` of `count` is not a tensor.
[[noreturn]] void throw_no_argument(int argument, int count, Where where);

// Passes on an argument that is not differentiated.
template <class T>
auto as_passed(const T& value, Where where) {
  if constexpr (std::convertible_to<const T&, Operand>) {
    return Operand(value, where).tensor();
  } else {
    return value;
  }
}

}  // namespace detail

/// The result of value_and_grad(f): calls return {value, gradient} with respect to the first
/// argument; the gradient has the structure of that argument.
template <class F>
struct ValueAndGradOf {
  using Transformed = F;
  [[no_unique_address]] F function;
  Where where{};

  template <class First, class... Args>
  auto operator()(const First& first, const Args&... args) const {
    detail::Differentiation differentiation;
    const auto argument = detail::as_passed(first, where);
    std::tuple<std::remove_const_t<decltype(argument)>, decltype(detail::as_passed(args, where))...>
        passed{detail::with_variables(argument, differentiation, where),
               detail::as_passed(args, where)...};
    const Tensor value = detail::tensor_at(where, function, passed);
    const std::vector<Tensor> gradients = differentiation.gradients(value, where);
    return ValueAndGradient<std::remove_const_t<decltype(argument)>>{
        value, detail::with_gradients(argument, gradients)};
  }
  template <class Function = F>
  ValueAndGradient<Tensor> operator()() const {  // no argument to differentiate for
    detail::require_fit_of<Function, detail::CallMismatch{detail::Mismatch::few}>();
    return {};
  }
};

/// The result of grad(f): calls return the gradient.
template <class F>
struct GradOf {
  using Transformed = F;
  ValueAndGradOf<F> both;

  template <class... Args>
  auto operator()(const Args&... args) const {
    return both(args...).gradient;
  }
};

/// The result of value_and_grad(f, {0, 2}): calls return {value, gradients} with respect to the
/// tensor arguments with these numbers.
template <class F, std::size_t count>
struct ValueAndGradsOf {
  using Transformed = F;
  [[no_unique_address]] F function;
  std::array<int, count> arguments{};
  Where where{};

  template <class... Args>
  auto operator()(const Args&... args) const {
    detail::Differentiation differentiation;
    std::array<Tensor, count> variables{};
    int position = 0;
    for (std::size_t i = 0; i < count; ++i) {
      (note(args, position++ == arguments[i], variables[i]), ...);
      position = 0;
      if (!variables[i].defined()) {
        detail::throw_no_argument(arguments[i], static_cast<int>(sizeof...(Args)), where);
      }
      variables[i] = differentiation.variable(variables[i], where);
    }
    const auto next = [&](const auto& value) { return pass(value, position++, variables); };
    std::tuple passed{next(args)...};  // braces, which evaluate from left to right
    const Tensor value = detail::tensor_at(where, function, passed);
    const std::vector<Tensor> found = differentiation.gradients(value, where);
    if constexpr (count == 1) {
      return ValueAndGradient<Tensor>{value, found[0]};
    } else {
      ValueAndGradient<std::array<Tensor, count>> result{value, {}};
      for (std::size_t i = 0; i < count; ++i) result.gradient[i] = found[i];
      return result;
    }
  }

 private:
  template <class T>
  void note(const T& value, bool is_named, Tensor& variable) const {
    if constexpr (std::convertible_to<const T&, Operand>) {
      if (is_named) variable = Operand(value, where).tensor();
    }
  }
  template <class T>
  auto pass(const T& value, int position, const std::array<Tensor, count>& variables) const {
    auto passed = detail::as_passed(value, where);
    if constexpr (std::same_as<decltype(passed), Tensor>) {
      for (std::size_t i = 0; i < count; ++i) {
        if (arguments[i] == position) passed = variables[i];
      }
    }
    return passed;
  }
};

/// The result of grad(f, {0, 2}): calls return the gradients.
template <class F, std::size_t count>
struct GradsOf {
  using Transformed = F;
  ValueAndGradsOf<F, count> both;

  template <class... Args>
  auto operator()(const Args&... args) const {
    return both(args...).gradient;
  }
};

/// A function that returns the value of `function`, one floating element, and its gradient with
/// respect to the first argument: a tensor, or a struct, module, tuple or container. The gradient
/// has the structure of the argument, with each floating tensor replaced by its gradient.
template <class F>
requires(!Module<std::remove_cvref_t<F>>) auto value_and_grad(F&& function,
                                                              Where where = Where::current()) {
  return ValueAndGradOf<std::decay_t<F>>{std::forward<F>(function), where};
}

/// The same with respect to argument number `argument`, a tensor.
template <class F>
requires(!Module<std::remove_cvref_t<F>>) auto value_and_grad(F&& function, int argument,
                                                              Where where = Where::current()) {
  return ValueAndGradsOf<std::decay_t<F>, 1>{std::forward<F>(function), {argument}, where};
}

/// The same with respect to several tensors: {value, {gradient, gradient}}.
template <class F, std::size_t count>
requires(count > 1 && !Module<std::remove_cvref_t<F>>) auto value_and_grad(
    F&& function, const int (&arguments)[count], Where where = Where::current()) {
  return ValueAndGradsOf<std::decay_t<F>, count>{std::forward<F>(function),
                                                 std::to_array(arguments), where};
}

/// A function that returns the gradient of `function`, one floating element, with respect to the
/// first argument; see value_and_grad.
template <class F>
auto grad(F&& function, Where where = Where::current()) {
  return GradOf<std::decay_t<F>>{{std::forward<F>(function), where}};
}

/// The same with respect to argument number `argument`, a tensor.
template <class F>
auto grad(F&& function, int argument, Where where = Where::current()) {
  return GradsOf<std::decay_t<F>, 1>{{std::forward<F>(function), {argument}, where}};
}

/// The same with respect to several tensors: an array of gradients.
template <class F, std::size_t count>
requires(count > 1) auto grad(F&& function, const int (&arguments)[count],
                              Where where = Where::current()) {
  return GradsOf<std::decay_t<F>, count>{
      {std::forward<F>(function), std::to_array(arguments), where}};
}
template <class F, detail::TensorLike X, class... Rest>
Tensor grad(F&&, const X&, const Rest&...) {  // meant as grad(f)(x, ...)
  detail::require_no_arguments<F>();
  return {};
}

}  // namespace sinter::inline SINTER_ABI

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/transform/grad.ipp>
#endif
