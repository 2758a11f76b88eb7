#pragma once
// A callable passed down by reference, without the cost of including <functional>.

#include <type_traits>  // std::is_function_v, std::remove_reference_t

#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail {

template <class Signature>
class FunctionRef;

template <class Callable, class Result, class... Arguments>
concept Calls = requires(Callable& callable, Arguments... arguments) {
  static_cast<Result>(callable(static_cast<Arguments&&>(arguments)...));
};

/// Refers to a callable that outlives the call to which it is passed. Never empty.
template <class Result, class... Arguments>
class FunctionRef<Result(Arguments...)> {
 public:
  template <detail::Calls<Result, Arguments...> Callable>
  FunctionRef(Callable&& callable) : call_(call<Callable>) {
    if constexpr (std::is_function_v<std::remove_reference_t<Callable>>) {
      object_ = reinterpret_cast<void*>(&callable);
    } else {
      object_ = const_cast<void*>(static_cast<const void*>(&callable));
    }
  }
  FunctionRef(const FunctionRef&) = default;
  FunctionRef(FunctionRef&) = default;
  FunctionRef(FunctionRef&&) = default;

  Result operator()(Arguments... arguments) const {
    return call_(object_, static_cast<Arguments&&>(arguments)...);
  }

 private:
  template <class Callable>
  static Result call(void* object, Arguments... arguments) {
    using Pointer = std::remove_reference_t<Callable>*;
    return (*reinterpret_cast<Pointer>(object))(static_cast<Arguments&&>(arguments)...);
  }

  void* object_;
  Result (*call_)(void*, Arguments...);
};

}  // namespace sinter::inline SINTER_ABI::detail
