#pragma once
// The parameters that a callable declares, and arguments bound to them.

#include <tuple>        // std::tuple
#include <type_traits>  // std::decay_t
#include <utility>      // std::forward, std::index_sequence

#include <sinter/config.hpp>
#include <sinter/trace/walk.hpp>

namespace sinter::inline SINTER_ABI::jit {

namespace detail {

/// No parameters are known: the callable is a template, or overloaded.
struct Unknown {};

template <class R, class... Params>
std::tuple<Params...> parameters_of(R (*)(Params...));
template <class R, class F, class... Params>
std::tuple<Params...> parameters_of(R (F::*)(Params...));
template <class R, class F, class... Params>
std::tuple<Params...> parameters_of(R (F::*)(Params...) const);

template <class F>
auto declared_parameters() {
  if constexpr (requires { parameters_of(std::declval<F>()); }) {
    return std::type_identity<decltype(parameters_of(std::declval<F>()))>();
  } else if constexpr (Module<std::remove_const_t<F>>) {
    if constexpr (requires { parameters_of(&F::forward); }) {
      return std::type_identity<decltype(parameters_of(&F::forward))>();
    } else {
      return std::type_identity<Unknown>();
    }
  } else if constexpr (requires { parameters_of(&F::operator()); }) {
    return std::type_identity<decltype(parameters_of(&F::operator()))>();
  } else {
    return std::type_identity<Unknown>();
  }
}

template <class Parameters, std::size_t i>
struct ParameterAt {
  using type = Unknown;
};
template <class... Params, std::size_t i>
  requires(i < sizeof...(Params))
struct ParameterAt<std::tuple<Params...>, i> {
  using type = std::tuple_element_t<i, std::tuple<Params...>>;
};

/// What an argument is bound to: a typed tensor where the parameter is one, so that its type is
/// checked and its names are known; else the argument itself, a reference if it is an lvalue.
template <class Parameter, class Argument>
struct Binding {
  using Wanted = std::remove_cvref_t<Parameter>;
  static constexpr bool converts =
      sinter::detail::TypedTensor<Wanted> && !std::is_same_v<Wanted, std::remove_cvref_t<Argument>>;
  using type = std::conditional_t<converts, Wanted, Argument>;
};

template <class F, class... Args, std::size_t... i>
auto bind(std::index_sequence<i...>, Args&&... args) {
  using Parameters = typename decltype(declared_parameters<F>())::type;
  using Bound =
      std::tuple<typename Binding<typename ParameterAt<Parameters, i>::type, Args>::type...>;
  return Bound(std::forward<Args>(args)...);
}

}  // namespace detail

/// The arguments of a call, as references to lvalues and values of everything else.
template <class F, class... Args>
auto bind_arguments(Args&&... args) {
  return detail::bind<F, Args...>(std::index_sequence_for<Args...>(), std::forward<Args>(args)...);
}

/// What the function gives for arguments that are bound so.
template <class F, class... Bound>
using ResultOf = std::invoke_result_t<F&, Bound&&...>;

}  // namespace sinter::inline SINTER_ABI::jit
