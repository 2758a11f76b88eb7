#pragma once
// Functions of functions: gradients. Each takes a callable and gives one; they compose with each
// other and with compile.

#include <span>         // std::span
#include <tuple>        // std::tuple
#include <type_traits>  // std::decay_t
#include <utility>      // std::forward
#include <vector>       // std::vector

#include <sinter/config.hpp>
#include <sinter/trace/parameter.hpp>
#include <sinter/trace/tensor.hpp>

namespace sinter::inline SINTER_ABI {

/// `x` as a constant: no gradient flows through the result.
Tensor detach(Operand x);

namespace detail {

/// Variables in place of values for the time in which a function runs; its gradient with respect
/// to them is then found by the reverse sweep. Equal values in- and outside never mix.
class Differentiation {
 public:
  Differentiation();
  ~Differentiation();
  Differentiation(const Differentiation&) = delete;
  Differentiation& operator=(const Differentiation&) = delete;

  /// What the function is given in place of `value`.
  ///
  /// Throws GradientError if `value` is not floating.
  Tensor variable(const Tensor& value, Where where);
  /// The gradient of `output` with respect to each variable.
  ///
  /// Throws GradientError unless `output` is one floating element.
  std::vector<Tensor> gradients(const Tensor& output, Where where);

 private:
  std::vector<Tensor> values_, variables_;
  std::size_t begun_ = 0;  // variables that the recorder knows
};

/// A Tensor, or what becomes one.
inline Tensor as_tensor(const Operand& x) { return x.tensor(); }

}  // namespace detail

template <class Value>
struct ValueAndGradient {
  Tensor value;
  Value gradient;
  SINTER_MODULE(ValueAndGradient, value, gradient)
};

struct ValueAndGradients {
  Tensor value;
  Gradients gradients;
  SINTER_MODULE(ValueAndGradients, value, gradients)
};

/// The value of `closure()`, one floating element, and its gradient with respect to the floating
/// parameters of `module`, which the closure uses.
///
/// Throws GradientError unless the value is one floating element.
template <class M, class Closure, class Select>
requires Module<M> ValueAndGradients value_and_grad(M& module, Closure&& closure, Select select,
                                                    Where where = Where::current()) {
  std::vector<std::pair<std::string, Tensor>> list;
  std::vector<Tensor> originals, variables;
  std::vector<Tensor*> parameters;
  detail::Differentiation differentiation;
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
      variables.push_back(differentiation.variable(parameter, where));
      parameter = variables.back();
    });
    const Tensor value = detail::as_tensor({closure(), where});
    restore();
    const std::vector<Tensor> gradients = differentiation.gradients(value, where);
    for (std::size_t i = 0; i < list.size(); ++i) list[i].second = gradients[i];
    return {value, Gradients(std::move(list))};
  } catch (...) {
    restore();
    throw;
  }
}

template <class M, class Closure>
requires Module<M> ValueAndGradients value_and_grad(M& module, Closure&& closure,
                                                    Where where = Where::current()) {
  return value_and_grad(
      module, std::forward<Closure>(closure), [](const std::string&) { return true; }, where);
}

/// What value_and_grad(f) gives: calls give {value, gradient}.
template <class F>
struct ValueAndGradOf {
  [[no_unique_address]] F function;
  int argument = 0;
  Where where{};

  template <class... Args>
  ValueAndGradient<Tensor> operator()(const Args&... args) const {
    detail::Differentiation differentiation;
    int position = 0;
    const auto pass = [&]<class T>(const T& value) {
      if constexpr (std::convertible_to<const T&, Operand>) {
        if (position++ == argument) {
          return differentiation.variable(Operand(value, where).tensor(), where);
        }
        return Operand(value, where).tensor();
      } else {
        ++position;
        return value;
      }
    };
    std::tuple passed{pass(args)...};  // braces, which evaluate from left to right
    const Tensor value = detail::as_tensor({std::apply(function, passed), where});
    return {value, differentiation.gradients(value, where)[0]};
  }
};

/// What grad(f) gives: calls give the gradient.
template <class F>
struct GradOf {
  ValueAndGradOf<F> both;

  template <class... Args>
  Tensor operator()(const Args&... args) const {
    return both(args...).gradient;
  }
};

/// A function that gives the value of `function`, one floating element, and its gradient with
/// respect to the tensor that is its argument number `argument`.
template <class F>
requires(!Module<std::remove_cvref_t<F>>) auto value_and_grad(F&& function, int argument = 0,
                                                              Where where = Where::current()) {
  return ValueAndGradOf<std::decay_t<F>>{std::forward<F>(function), argument, where};
}

/// A function that gives the gradient of `function`, one floating element, with respect to the
/// tensor that is its argument number `argument`.
template <class F>
auto grad(F&& function, int argument = 0, Where where = Where::current()) {
  return GradOf<std::decay_t<F>>{{std::forward<F>(function), argument, where}};
}

}  // namespace sinter::inline SINTER_ABI

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/transform.ipp>
#endif
