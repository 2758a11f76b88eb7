#pragma once
// Calls of functions of the user from inside of the library. A default argument Where::current() is
// the line that calls: here it would be one of these headers, so the line of the user is passed.

#include <cstddef>      // std::size_t
#include <tuple>        // std::apply, std::forward_as_tuple
#include <type_traits>  // std::is_same_v
#include <utility>      // std::index_sequence

#include <sinter/config.hpp>
#include <sinter/trace/module.hpp>
#include <sinter/trace/tensor.hpp>

namespace sinter::inline SINTER_ABI::detail {

/// The parameters of a function, or of a member that has one overload.
template <class R, class... Params>
std::tuple<Params...> parameters_of(R (*)(Params...));
template <class R, class F, class... Params>
std::tuple<Params...> parameters_of(R (F::*)(Params...));
template <class R, class F, class... Params>
std::tuple<Params...> parameters_of(R (F::*)(Params...) const);

// Those of the one const overload that has this many.
template <class R, class F, class A>
std::tuple<A> only_parameter_of(R (F::*)(A) const);
template <class R, class F, class A, class B>
std::tuple<A, B> two_parameters_of(R (F::*)(A, B) const);

// Those of a call with `count` arguments; none where they are not known, as those of templates.
template <class F, std::size_t count>
auto parameters_for() {
  if constexpr (requires { parameters_of(std::decay_t<F>()); }) {
    return std::type_identity<decltype(parameters_of(std::decay_t<F>()))>();
  } else if constexpr (requires { parameters_of(&F::forward); }) {
    return std::type_identity<decltype(parameters_of(&F::forward))>();
  } else if constexpr (count == 1 && requires { only_parameter_of(&F::forward); }) {
    return std::type_identity<decltype(only_parameter_of(&F::forward))>();
  } else if constexpr (count == 2 && requires { two_parameters_of(&F::forward); }) {
    return std::type_identity<decltype(two_parameters_of(&F::forward))>();
  } else if constexpr (requires { parameters_of(&F::operator()); }) {
    return std::type_identity<decltype(parameters_of(&F::operator()))>();
  } else {
    return std::type_identity<std::tuple<>>();
  }
}

template <class Parameters, std::size_t i>
inline constexpr bool is_operand = false;
template <class... Params, std::size_t i>
requires(i < sizeof...(Params)) inline constexpr bool is_operand<std::tuple<Params...>, i> =
    std::is_same_v<std::remove_cvref_t<std::tuple_element_t<i, std::tuple<Params...>>>, Operand>;

// True if a Where comes behind `count` arguments, and is the last.
template <class Parameters, std::size_t count>
inline constexpr bool ends_in_where = false;
template <class... Params, std::size_t count>
requires(sizeof...(Params) ==
         count + 1) inline constexpr bool ends_in_where<std::tuple<Params...>, count> =
    std::is_same_v<std::remove_cvref_t<std::tuple_element_t<count, std::tuple<Params...>>>, Where>;

template <bool as_operand, class As, class T>
decltype(auto) located(T& argument, Where where) {
  using Given = std::remove_cvref_t<As>;
  if constexpr (as_operand && !std::is_same_v<Given, Operand> &&
                std::is_constructible_v<Operand, As, Where>) {
    return Operand(static_cast<As&&>(argument), where);
  } else {
    return static_cast<As>(argument);
  }
}

[[noreturn]] void throw_no_function(Where where);

/// function(static_cast<As>(arguments)...), called by the user at `where`. Throws ValueError if it
/// is a std::function or a pointer that is empty.
template <class... As, class F, class... T>
decltype(auto) call_as(Where where, F& function, T&... arguments) {
  using Parameters =
      typename decltype(parameters_for<std::remove_const_t<F>, sizeof...(As)>())::type;
  if constexpr (requires { std::remove_const_t<F>(nullptr), function == nullptr; }) {
    if (function == nullptr) throw_no_function(where);
  }
  const OutsidePublicCalls users_code;
  if constexpr (std::is_member_pointer_v<F>) {
    return std::apply(function, std::forward_as_tuple(static_cast<As>(arguments)...));
  } else if constexpr (requires { typename F::Promised; }) {  // what assume_pure() gives
    const typename F::Promised& promised = function.function;
    return call_as<As...>(where, promised, arguments...);
  } else {
    return [&]<std::size_t... i>(std::index_sequence<i...>)->decltype(auto) {
      if constexpr (ends_in_where<Parameters, sizeof...(As)>) {
        return function(located<is_operand<Parameters, i>, As>(arguments, where)..., where);
      } else {
        return function(located<is_operand<Parameters, i>, As>(arguments, where)...);
      }
    }
    (std::index_sequence_for<As...>());
  }
}

/// The same for lvalues.
template <class F, class... T>
decltype(auto) call_at(Where where, F& function, T&... arguments) {
  return call_as<T&...>(where, function, arguments...);
}

/// The same for the parts of a tuple.
template <class F, class Tuple>
decltype(auto) apply_at(Where where, F& function, Tuple& arguments) {
  return std::apply(
      [&](auto&... parts) -> decltype(auto) { return call_at(where, function, parts...); },
      arguments);
}

}  // namespace sinter::inline SINTER_ABI::detail

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/call_at.ipp>
#endif
