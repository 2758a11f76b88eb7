#pragma once
// The parameters that a callable declares, and arguments bound to them.

#include <string>       // std::string
#include <string_view>  // std::string_view
#include <tuple>        // std::tuple
#include <type_traits>  // std::decay_t
#include <utility>      // std::forward, std::index_sequence

#include <sinter/config.hpp>
#include <sinter/trace/interop/host.hpp>
#include <sinter/trace/module/call_at.hpp>
#include <sinter/trace/module/walk.hpp>
#include <sinter/trace/ops/typed/tensor.hpp>
#include <sinter/trace/transform/grad.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

namespace detail {

/// The parameters are unknown: the callable is a template or overloaded.
struct Unknown {};
/// Parameters of any type that the callable does not change.
struct Observing {};

using sinter::detail::parameters_of;
template <class F>
requires requires { typename F::Transformed; }
Observing parameters_of(F);

template <class F>
auto declared_parameters();

// assume_pure(f) has the parameters of f.
template <class F>
struct Promised {};
template <class F>
struct Promised<AssumedPure<F>> {
  using type = F;
};

template <class F>
auto declared_parameters() {
  if constexpr (requires { parameters_of(std::declval<F>()); }) {
    return std::type_identity<decltype(parameters_of(std::declval<F>()))>();
  } else if constexpr (requires { typename Promised<std::remove_const_t<F>>::type; }) {
    return declared_parameters<typename Promised<std::remove_const_t<F>>::type>();
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
template <std::size_t i>
struct ParameterAt<Observing, i> {
  using type = const Unknown&;
};
template <class... Params, std::size_t i>
requires(i < sizeof...(Params)) struct ParameterAt<std::tuple<Params...>, i> {
  using type = std::tuple_element_t<i, std::tuple<Params...>>;
};

/// The type that an argument is bound to. If the parameter is a typed tensor, a Scalar, a number or
/// a string: that type, so that types are checked, dimension names known, and numbers guarded by
/// their type. Otherwise the type of the argument, const if the parameter cannot change it, so that
/// an lvalue and an rvalue have the same signature.
template <class Parameter, class Argument>
struct Binding {
  using Wanted = std::remove_cvref_t<Parameter>;
  using Given = std::remove_cvref_t<Argument>;
  static constexpr bool changes =
      std::is_lvalue_reference_v<Parameter> && !std::is_const_v<std::remove_reference_t<Parameter>>;
  static constexpr bool observes =
      !changes && !std::is_rvalue_reference_v<Parameter> && !std::is_same_v<Parameter, Unknown>;
  static constexpr bool is_exact = sinter::detail::TypedTensor<Wanted> ||
                                   std::is_same_v<Wanted, Scalar> || sinter::detail::Plain<Wanted>;
  static constexpr bool converts = observes && is_exact && !std::is_same_v<Wanted, Given> &&
                                   std::is_convertible_v<Argument, Wanted>;
  using Observed =
      std::conditional_t<std::is_lvalue_reference_v<Argument>, const Given&, const Given>;
  using type =
      std::conditional_t<converts, const Wanted, std::conditional_t<observes, Observed, Argument>>;
};
/// A literal is the string that its parameter views, or else a pointer.
template <class Parameter, std::size_t size>
struct Binding<Parameter, const char (&)[size]> {
  using Wanted = std::remove_cvref_t<Parameter>;
  static constexpr bool is_string = std::is_convertible_v<const std::string&, Wanted>;
  using type = std::conditional_t<is_string, const std::string, const char* const>;
};

template <class F, class... Args, std::size_t... i>
auto bind(Where where, std::index_sequence<i...>, Args&&... args) {
  using Parameters = typename decltype(declared_parameters<F>())::type;
  using Bound =
      std::tuple<typename Binding<typename ParameterAt<Parameters, i>::type, Args>::type...>;
  using sinter::detail::located;
  return Bound(
      located<std::remove_cvref_t<std::tuple_element_t<i, Bound>>, Args&&>(args, where)...);
}

/// A typed expression is returned as its tensor type.
template <class Result>
struct Returned {
  using type = Result;
};
template <Expression Result>
requires(!sinter::detail::TypedTensor<Result>) struct Returned<Result> {
  using type = sinter::detail::typed::TypeOf<Result>;
};

}  // namespace detail

/// True if a compiled function can take a T: the types that walk() supports.
template <class T>
inline constexpr bool is_argument = std::is_convertible_v<T, std::string_view> || Expression<T> ||
                                    sinter::detail::may_be_member<T>();

/// Binds the arguments of a call: lvalues by reference, everything else by value. Errors of
/// conversions name `where`.
template <class F, class... Args>
auto bind_arguments(Where where, Args&&... args) {
  return detail::bind<F, Args...>(where, std::index_sequence_for<Args...>(),
                                  std::forward<Args>(args)...);
}

/// The argument types as part of a signature. Arguments that the function cannot change have the
/// same type as lvalues and as rvalues.
template <class... Bound>
using SignatureType = std::tuple<std::conditional_t<std::is_const_v<std::remove_reference_t<Bound>>,
                                                    const std::remove_cvref_t<Bound>, Bound>...>;

/// The result type of the function for arguments of these types, or bound to these types.
template <class F, class... Args>
using ResultOf = typename detail::Returned<std::decay_t<std::invoke_result_t<F&, Args&&...>>>::type;

}  // namespace sinter::inline SINTER_ABI::detail::jit
