#pragma once
// Why a callable, or a call of it, does not fit compile(): each reason is one error at compile
// time.

#include <cstddef>      // std::size_t
#include <tuple>        // std::tuple
#include <type_traits>  // std::is_convertible_v

#include <sinter/config.hpp>
#include <sinter/jit/parameters.hpp>
#include <sinter/trace/module.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

namespace detail {

// With a second base that has a member of this name, the name is ambiguous if F has one as well:
// overloads and templates included.
struct OtherCall {
  void operator()();
};
struct OtherForward {
  void forward();
};
template <class F>
struct WithOtherCall : F, OtherCall {};
template <class F>
struct WithOtherForward : F, OtherForward {};
template <class F>
concept CanBeBase = std::is_class_v<F> && !std::is_final_v<F>;

template <class F>
constexpr bool has_call() {
  if constexpr (CanBeBase<F>) {
    return !requires { &WithOtherCall<F>::operator(); };
  } else {
    return std::is_class_v<F> || std::is_function_v<std::remove_pointer_t<F>> ||
           std::is_member_pointer_v<F>;  // of a final class nothing is known
  }
}
template <class F>
constexpr bool has_forward() {
  if constexpr (CanBeBase<F>) {
    return !requires { &WithOtherForward<F>::forward; };
  } else {
    return std::is_class_v<F>;
  }
}

}  // namespace detail

/// What can be called. One error, which says what is missing, if F cannot.
template <class F>
constexpr bool require_callable() {
  constexpr bool is_module = Module<F>, can_be_called = detail::has_call<F>();
  constexpr bool is_complete = !is_module || detail::has_forward<F>();
  constexpr bool is_listed = can_be_called || !detail::has_forward<F>();
  static_assert(is_complete,
                "sinter::compile(module) requires a module that can be called: add a member "
                "function forward()");
  static_assert(is_listed,
                "sinter::compile(module) requires a module: forward() becomes its call when its "
                "members are listed with SINTER_MODULE(Type, members...)");
  static_assert(can_be_called || !is_listed,
                "sinter::compile(f) requires a function, a lambda, a module, or another object "
                "that can be called");
  return can_be_called && is_complete;
}

enum class Misfit {
  none,
  few,        ///< Fewer arguments than parameters.
  many,       ///< More.
  constant,   ///< A const argument for a parameter that the function may change.
  temporary,  ///< A temporary for such a parameter.
  lvalue,     ///< A variable for an rvalue reference.
  type,       ///< No conversion.
  unlisted,   ///< A type that no argument may have.
  function,   ///< The callable is const, its call is not.
  unknown     ///< Of a template, or of overloads.
};

struct CallMisfit {
  Misfit kind = Misfit::none;
  std::size_t argument = 0;  ///< From 1; 0 if it is none in particular.
};

namespace detail {

template <class Parameter, class Argument>
constexpr Misfit misfit_of() {
  using Wanted = std::remove_reference_t<Parameter>;
  if constexpr (std::is_convertible_v<Argument, Parameter>) {
    return Misfit::none;
  } else if constexpr (!std::is_same_v<std::remove_cv_t<Wanted>, std::remove_cvref_t<Argument>>) {
    return Misfit::type;
  } else if constexpr (std::is_rvalue_reference_v<Parameter>) {
    return Misfit::lvalue;
  } else {
    return std::is_const_v<std::remove_reference_t<Argument>> ? Misfit::constant
                                                              : Misfit::temporary;
  }
}

template <class... Params, std::size_t... i, class... Args>
constexpr CallMisfit misfit_of_call(std::type_identity<std::tuple<Params...>>,
                                    std::index_sequence<i...>, std::type_identity<Args>...) {
  CallMisfit result;
  const auto look_at = [&result](Misfit kind, std::size_t argument) {
    if (result.kind == Misfit::none && kind != Misfit::none) result = {kind, argument};
  };
  using Parameters = std::tuple<Params...>;
  (look_at(misfit_of<typename ParameterAt<Parameters, i>::type, Args>(), i + 1), ...);
  return result;
}

// Why the call is none, though each argument has a type that arguments may have.
template <class F, class... Args>
constexpr CallMisfit misfit_of_arguments() {
  using Parameters = typename decltype(declared_parameters<F>())::type;
  if constexpr (requires { std::tuple_size<Parameters>::value; }) {
    constexpr std::size_t taken = std::tuple_size_v<Parameters>;
    if constexpr (sizeof...(Args) > taken) {
      return {Misfit::many};
    } else {
      constexpr CallMisfit one =
          misfit_of_call(std::type_identity<Parameters>(), std::index_sequence_for<Args...>(),
                         std::type_identity<Args>()...);
      if constexpr (one.kind != Misfit::none) return one;
      return {sizeof...(Args) < taken ? Misfit::few : Misfit::unknown};
    }
  } else {
    return {Misfit::unknown};
  }
}

}  // namespace detail

/// Why F cannot be called with arguments of these types, references for lvalues.
template <class F, class... Args>
constexpr CallMisfit misfit() {
  constexpr bool are_known[] = {is_argument<std::remove_cvref_t<Args>>..., true};
  for (std::size_t i = 0; i < sizeof...(Args); ++i) {
    if (!are_known[i]) return {Misfit::unlisted, i + 1};
  }
  if constexpr (std::is_invocable_v<F&, Args...>) {
    return {};
  } else if constexpr (std::is_invocable_v<std::remove_const_t<F>&, Args...>) {
    return {Misfit::function};
  } else {
    return detail::misfit_of_arguments<F, Args...>();
  }
}

// A message is a literal, so each argument has its own.
#define SINTER_REQUIRE_ARGUMENT(number, name)                                                    \
  static_assert(kind != Misfit::constant || at != number,                                        \
                "sinter::Compiled: " name                                                        \
                " is const, but the function takes it by a reference that is not const");        \
  static_assert(kind != Misfit::temporary || at != number,                                       \
                "sinter::Compiled: " name                                                        \
                " is a temporary, but the function takes it by a reference that is not const: "  \
                "pass a variable");                                                              \
  static_assert(kind != Misfit::lvalue || at != number,                                          \
                "sinter::Compiled: " name                                                        \
                " is a variable, but the function takes an rvalue reference: use std::move");    \
  static_assert(kind != Misfit::type || at != number,                                            \
                "sinter::Compiled: " name " does not convert to the type of its parameter");     \
  static_assert(kind != Misfit::unlisted || at != number,                                        \
                "sinter::Compiled: " name                                                        \
                " is no tensor, number, string, module, or container of these; list the members" \
                " of a struct with SINTER_MODULE")

/// One error, which says what does not fit, unless `misfit` is none.
template <CallMisfit misfit>
constexpr void require_fit() {
  constexpr Misfit kind = misfit.kind;
  constexpr std::size_t at = misfit.argument < 8 ? misfit.argument : 8;
  static_assert(kind != Misfit::many,
                "sinter::Compiled: the call has more arguments than its function takes");
  static_assert(kind != Misfit::few,
                "sinter::Compiled: the call has fewer arguments than its function takes; default "
                "arguments of a function are unknown behind its pointer: compile a lambda");
  static_assert(kind != Misfit::function,
                "sinter::Compiled: the function, or module, is const, but its call is not");
  static_assert(kind != Misfit::unknown,
                "sinter::Compiled requires the arguments that its function takes: no overload, or "
                "template, takes these");
  SINTER_REQUIRE_ARGUMENT(1, "argument 1");
  SINTER_REQUIRE_ARGUMENT(2, "argument 2");
  SINTER_REQUIRE_ARGUMENT(3, "argument 3");
  SINTER_REQUIRE_ARGUMENT(4, "argument 4");
  SINTER_REQUIRE_ARGUMENT(5, "argument 5");
  SINTER_REQUIRE_ARGUMENT(6, "argument 6");
  SINTER_REQUIRE_ARGUMENT(7, "argument 7");
  SINTER_REQUIRE_ARGUMENT(8, "an argument behind the seventh");
}

#undef SINTER_REQUIRE_ARGUMENT

}  // namespace sinter::inline SINTER_ABI::detail::jit
