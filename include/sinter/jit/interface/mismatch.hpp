#pragma once
// Compile-time errors for callables that compile() cannot take and for calls that do not fit them,
// one error per reason.

#include <cstddef>      // std::size_t
#include <type_traits>  // std::is_invocable_v

#include <sinter/config.hpp>
#include <sinter/jit/interface/parameters.hpp>
#include <sinter/trace/module/mismatch.hpp>
#include <sinter/trace/module/module.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

using sinter::detail::CallMismatch;
using sinter::detail::Mismatch;
using sinter::detail::require_fit;

/// True if F can be called. Otherwise one compile-time error that says what is missing.
template <class F>
constexpr bool require_callable() {
  constexpr bool is_module = Module<F>, can_be_called = sinter::detail::has_call<F>();
  constexpr bool is_complete = !is_module || sinter::detail::has_forward<F>();
  constexpr bool is_listed = can_be_called || !sinter::detail::has_forward<F>();
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

/// Why F cannot be called with arguments of these types, references for lvalues.
template <class F, class... Args>
constexpr CallMismatch mismatch() {
  constexpr bool are_known[] = {is_argument<std::remove_cvref_t<Args>>..., true};
  for (std::size_t i = 0; i < sizeof...(Args); ++i) {
    if (!are_known[i]) return {Mismatch::unlisted, i + 1};
  }
  if constexpr (std::is_invocable_v<F&, Args...>) {
    return {};
  } else if constexpr (std::is_invocable_v<std::remove_const_t<F>&, Args...>) {
    return {Mismatch::function};
  } else {
    return sinter::detail::mismatch_of_arguments<
        typename decltype(detail::declared_parameters<F>())::type, Args...>();
  }
}

}  // namespace sinter::inline SINTER_ABI::detail::jit
