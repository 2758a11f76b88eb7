#pragma once
// Calls user functions from inside the library. A default argument Where::current() would be a line
// in these headers, so the user's line is passed explicitly.

#include <concepts>     // std::convertible_to
#include <cstddef>      // std::size_t
#include <tuple>        // std::apply, std::forward_as_tuple
#include <type_traits>  // std::is_same_v
#include <utility>      // std::index_sequence

#include <sinter/config.hpp>
#include <sinter/trace/core/tensor.hpp>
#include <sinter/trace/module/mismatch.hpp>
#include <sinter/trace/module/module.hpp>

namespace sinter::inline SINTER_ABI::detail {

/// The parameters of a function, or of a member that has one overload.
template <class R, class... Params>
std::tuple<Params...> parameters_of(R (*)(Params...));
template <class R, class F, class... Params>
std::tuple<Params...> parameters_of(R (F::*)(Params...));
template <class R, class F, class... Params>
std::tuple<Params...> parameters_of(R (F::*)(Params...) const);

// The parameters of the only const overload with this arity.
template <class R, class F, class A>
std::tuple<A> only_parameter_of(R (F::*)(A) const);
template <class R, class F, class A, class B>
std::tuple<A, B> two_parameters_of(R (F::*)(A, B) const);

// The parameters for a call with `count` arguments; void if unknown, as for templates.
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
    return std::type_identity<void>();
  }
}

// Types that arguments are converted to with the line of the call.
template <class T>
concept TakesLine = std::is_same_v<T, Operand> || requires {
  T::dims;
};
template <class Parameters, std::size_t i>
struct ValueAt {
  using type = void;  // unknown
};
template <class... Params, std::size_t i>
requires(i < sizeof...(Params)) struct ValueAt<std::tuple<Params...>, i> {
  using type = std::remove_cvref_t<std::tuple_element_t<i, std::tuple<Params...>>>;
};

// True if a Where follows `count` arguments, as the last parameter.
template <class Parameters, std::size_t count>
inline constexpr bool ends_in_where = false;
template <class... Params, std::size_t count>
requires(sizeof...(Params) ==
         count + 1) inline constexpr bool ends_in_where<std::tuple<Params...>, count> =
    std::is_same_v<std::remove_cvref_t<std::tuple_element_t<count, std::tuple<Params...>>>, Where>;

template <class Wanted, class As, class T>
decltype(auto) located(T& argument, Where where) {
  constexpr bool converts = TakesLine<Wanted> && !std::is_same_v<std::remove_cvref_t<As>, Wanted>;
  if constexpr (converts && std::is_constructible_v<Wanted, As, Where>) {
    return Wanted(static_cast<As&&>(argument), where);
  } else {
    return static_cast<As>(argument);
  }
}

template <class F, std::size_t count>
using ParametersFor = typename decltype(parameters_for<std::remove_const_t<F>, count>())::type;

// The type in which call_as() passes an argument.
template <class Parameters, std::size_t i, class As>
using LocatedAs = decltype(located<typename ValueAt<Parameters, i>::type, As>(
    std::declval<std::add_lvalue_reference_t<As>>(), std::declval<Where>()));

/// True if call_as<As...>() can call F.
template <class F, class... As>
constexpr bool can_call() {
  using Parameters = ParametersFor<F, sizeof...(As)>;
  return []<std::size_t... i>(std::index_sequence<i...>) {
    if constexpr (ends_in_where<Parameters, sizeof...(As)>) {
      return std::is_invocable_v<F&, LocatedAs<Parameters, i, As>..., Where>;
    } else {
      return std::is_invocable_v<F&, LocatedAs<Parameters, i, As>...>;
    }
  }
  (std::index_sequence_for<As...>());
}

/// The reason why it cannot.
template <class F, class... As>
constexpr CallMismatch mismatch_of_call_as() {
  if constexpr (!has_call<std::remove_const_t<F>>()) {
    return {Mismatch::callable};
  } else if constexpr (can_call<std::remove_const_t<F>, As...>()) {
    return {Mismatch::function};
  } else {
    return mismatch_of_arguments<ParametersFor<F, sizeof...(As)>, As...>();
  }
}

[[noreturn]] void throw_no_function(Where where);

/// function(static_cast<As>(arguments)...), called by the user at `where`. Throws ValueError if it
/// is a std::function or a pointer that is empty.
template <class... As, class F, class... T>
decltype(auto) call_as(Where where, F& function, T&... arguments) {
  using Parameters = ParametersFor<F, sizeof...(As)>;
  if constexpr (requires { std::remove_const_t<F>(nullptr), function == nullptr; }) {
    if (function == nullptr) throw_no_function(where);
  }
  const OutsidePublicCalls users_code;
  if constexpr (requires { typename F::Promised; }) {  // the result of assume_pure()
    const typename F::Promised& promised = function.function;
    return call_as<As...>(where, promised, arguments...);
  } else if constexpr (!can_call<F, As...>()) {
    require_fit_of<F, mismatch_of_call_as<F, As...>()>();
    return Tensor();  // keeps that error the only one
  } else if constexpr (std::is_member_pointer_v<F>) {
    return std::apply(function, std::forward_as_tuple(static_cast<As>(arguments)...));
  } else {
    return [&]<std::size_t... i>(std::index_sequence<i...>)->decltype(auto) {
      if constexpr (ends_in_where<Parameters, sizeof...(As)>) {
        return function(located<typename ValueAt<Parameters, i>::type, As>(arguments, where)...,
                        where);
      } else {
        return function(located<typename ValueAt<Parameters, i>::type, As>(arguments, where)...);
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

/// A tensor, typed or not: an argument, where a transform takes options behind its function.
template <class T>
concept TensorLike = std::convertible_to<const T&, Tensor>;

/// The result type of call_as<As...>().
template <class F, class... As>
using CalledResult = decltype(call_as<As...>(std::declval<Where>(), std::declval<F&>(),
                                             std::declval<std::remove_reference_t<As>&>()...));

/// apply_at() for a function that must not return void.
template <class F, class Tuple>
decltype(auto) result_at(Where where, F& function, Tuple& arguments) {
  constexpr bool is_void = std::is_void_v<decltype(apply_at(where, function, arguments))>;
  static_assert(!is_void,
                "sinter::vmap(f), vjp(f, x), checkpoint(f) and their like require f to give "
                "tensors, or structs of them: return a result");
  if constexpr (is_void) {
    return Tensor();  // so that the sentence above is the only error
  } else {
    return apply_at(where, function, arguments);
  }
}

/// apply_at() for a function that must return a Tensor, or a type that converts to one.
template <class F, class Tuple>
Tensor tensor_at(Where where, F& function, Tuple& arguments) {
  using Result = decltype(apply_at(where, function, arguments));
  constexpr bool is_tensor = std::is_convertible_v<Result, Operand>;
  static_assert(is_tensor,
                "sinter::grad(f), value_and_grad(f), jacrev(f) and their like require f, "
                "or the closure, to give one tensor: return it");
  if constexpr (is_tensor) {
    return Operand(apply_at(where, function, arguments), where).tensor();
  } else {
    return Tensor();  // so that the sentence above is the only error
  }
}

}  // namespace sinter::inline SINTER_ABI::detail

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/module/call_at.ipp>
#endif
