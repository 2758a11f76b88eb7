#pragma once
// The reason why a callable does not accept some arguments; each reason is one compile-time error.

#include <cstddef>      // std::size_t
#include <tuple>        // std::tuple
#include <type_traits>  // std::is_convertible_v
#include <utility>      // std::index_sequence

#include <sinter/config.hpp>
#include <sinter/trace/core/tensor.hpp>

namespace sinter::inline SINTER_ABI::detail {

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

enum class Mismatch {
  none,
  few,        ///< Fewer arguments than parameters.
  many,       ///< More.
  constant,   ///< A const argument for a parameter that the function may change.
  temporary,  ///< A temporary for such a parameter.
  lvalue,     ///< A variable for an rvalue reference.
  type,       ///< No conversion.
  number,     ///< A tensor for a number.
  unlisted,   ///< A type that no argument may have.
  function,   ///< The callable is const, but its operator() is not.
  unknown,    ///< Of a template, or of overloads.
  callable    ///< It has no call at all.
};

struct CallMismatch {
  Mismatch kind = Mismatch::none;
  std::size_t argument = 0;  ///< From 1; 0 if no argument in particular.
};

template <class Parameter, class Argument>
constexpr Mismatch mismatch_of() {
  using Wanted = std::remove_reference_t<Parameter>;
  if constexpr (std::is_convertible_v<Argument, Parameter>) {
    return Mismatch::none;
  } else if constexpr (!std::is_same_v<std::remove_cv_t<Wanted>, std::remove_cvref_t<Argument>>) {
    constexpr bool is_number =
        std::is_arithmetic_v<Wanted> || std::is_same_v<std::remove_cv_t<Wanted>, Scalar>;
    constexpr bool is_tensor = std::is_same_v<std::remove_cvref_t<Argument>, Tensor>;
    return is_tensor && is_number ? Mismatch::number : Mismatch::type;
  } else if constexpr (std::is_rvalue_reference_v<Parameter>) {
    return Mismatch::lvalue;
  } else {
    return std::is_const_v<std::remove_reference_t<Argument>> ? Mismatch::constant
                                                              : Mismatch::temporary;
  }
}

template <class... Params, std::size_t... i, class... Args>
constexpr CallMismatch mismatch_of_call(std::type_identity<std::tuple<Params...>>,
                                        std::index_sequence<i...>, std::type_identity<Args>...) {
  CallMismatch result;
  const auto look_at = [&result](Mismatch kind, std::size_t argument) {
    if (result.kind == Mismatch::none && kind != Mismatch::none) result = {kind, argument};
  };
  using Parameters = std::tuple<Params...>;
  (look_at(mismatch_of<std::tuple_element_t<i, Parameters>, Args>(), i + 1), ...);
  return result;
}

/// The reason why a callable with these parameters does not accept arguments of these types
/// (references for lvalues). `Parameters` is a tuple, or another type if unknown.
template <class Parameters, class... Args>
constexpr CallMismatch mismatch_of_arguments() {
  if constexpr (requires { std::tuple_size<Parameters>::value; }) {
    constexpr std::size_t taken = std::tuple_size_v<Parameters>;
    if constexpr (sizeof...(Args) > taken) {
      return {Mismatch::many};
    } else {
      constexpr CallMismatch one =
          mismatch_of_call(std::type_identity<Parameters>(), std::index_sequence_for<Args...>(),
                           std::type_identity<Args>()...);
      if constexpr (one.kind != Mismatch::none) return one;
      return {sizeof...(Args) < taken ? Mismatch::few : Mismatch::unknown};
    }
  } else {
    return {Mismatch::unknown};
  }
}

// static_assert messages are literals, so each argument number has its own.
#define SINTER_REQUIRE_ARGUMENT(subject, position, name)                                        \
  static_assert(kind != Mismatch::constant || at != position, subject name                      \
                " is const, but the function takes it by a reference that is not const");       \
  static_assert(kind != Mismatch::temporary || at != position, subject name                     \
                " is a temporary, but the function takes it by a reference that is not const: " \
                "pass a variable");                                                             \
  static_assert(kind != Mismatch::lvalue || at != position, subject name                        \
                " is a variable, but the function takes an rvalue reference: use std::move");   \
  static_assert(kind != Mismatch::type || at != position,                                       \
                subject name " does not convert to the type of its parameter");                 \
  static_assert(kind != Mismatch::number || at != position, subject name                        \
                " is a tensor, which numbers become as well, but the function takes a number: " \
                "let it take a Tensor, or capture the number");                                 \
  static_assert(kind != Mismatch::unlisted || at != position, subject name                      \
                " is no tensor, number, string, module, or container of these that owns them; " \
                "list the members of a struct with SINTER_MODULE")
#define SINTER_REQUIRE_ARGUMENTS(subject)            \
  SINTER_REQUIRE_ARGUMENT(subject, 1, "argument 1"); \
  SINTER_REQUIRE_ARGUMENT(subject, 2, "argument 2"); \
  SINTER_REQUIRE_ARGUMENT(subject, 3, "argument 3"); \
  SINTER_REQUIRE_ARGUMENT(subject, 4, "argument 4"); \
  SINTER_REQUIRE_ARGUMENT(subject, 5, "argument 5"); \
  SINTER_REQUIRE_ARGUMENT(subject, 6, "argument 6"); \
  SINTER_REQUIRE_ARGUMENT(subject, 7, "argument 7"); \
  SINTER_REQUIRE_ARGUMENT(subject, 8, "an argument behind the seventh")

/// Reports exactly one error for a call of a compiled function, unless `mismatch` is none.
template <CallMismatch mismatch>
constexpr void require_fit() {
  constexpr Mismatch kind = mismatch.kind;
  constexpr std::size_t at = mismatch.argument < 8 ? mismatch.argument : 8;
  static_assert(kind != Mismatch::many,
                "sinter::Compiled: the call has more arguments than its function takes");
  static_assert(kind != Mismatch::few,
                "sinter::Compiled: the call has fewer arguments than its function takes; default "
                "arguments of a function are unknown behind its pointer: compile a lambda");
  static_assert(kind != Mismatch::function,
                "sinter::Compiled: the function, or module, is const, but its call is not");
  static_assert(kind != Mismatch::unknown,
                "sinter::Compiled requires the arguments that its function takes: no overload, or "
                "template, takes these");
  SINTER_REQUIRE_ARGUMENTS("sinter::Compiled: ");
}

/// The same for a function F passed to a transform.
template <class F, CallMismatch mismatch>
constexpr void require_fit_of() {
  constexpr Mismatch kind = mismatch.kind;
  constexpr std::size_t at = mismatch.argument < 8 ? mismatch.argument : 8;
  static_assert(kind != Mismatch::callable,
                "sinter::grad(f), vmap(f) and their like require f to be a function, a lambda, a "
                "module, or another object that can be called; a struct with forward() is a module "
                "when its members are listed with SINTER_MODULE(Type, members...)");
  static_assert(
      kind != Mismatch::many,
      "sinter::grad(f), vmap(f) and their like: the call has more arguments than f takes");
  static_assert(kind != Mismatch::few,
                "sinter::grad(f), vmap(f) and their like: the call has fewer arguments than f "
                "takes; default arguments of a function are unknown behind its pointer: write "
                "a lambda");
  static_assert(kind != Mismatch::function,
                "sinter::grad(f), vmap(f) and their like require f to have a call that is const: "
                "f may not be a mutable lambda");
  static_assert(kind != Mismatch::unknown,
                "sinter::grad(f), vmap(f) and their like require the arguments that f takes: no "
                "overload, or template, takes these");
  SINTER_REQUIRE_ARGUMENTS("sinter::grad(f), vmap(f) and their like: ");
}

/// Reports exactly one error for a transform that is called with `f` and its arguments at once.
template <class F>
constexpr void require_no_arguments() {
  static_assert(std::is_void_v<F>,  // never true: fails when instantiated
                "sinter::grad(f), vmap(f) and their like give a function, which takes the "
                "arguments of f: grad(f)(x), checkpoint(f)(x)");
}

#undef SINTER_REQUIRE_ARGUMENTS
#undef SINTER_REQUIRE_ARGUMENT

}  // namespace sinter::inline SINTER_ABI::detail
