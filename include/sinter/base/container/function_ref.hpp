#pragma once
// A callable passed down by reference, without the cost of including <functional>.

#include <memory>       // std::addressof
#include <type_traits>  // std::is_invocable_r_v
#include <utility>      // std::forward

#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail {

template <class Signature>
class FunctionRef;

template <class Callable, class Result, class... Arguments>
concept Calls = std::is_invocable_r_v<Result, Callable&, Arguments...>;

/// Refers to a callable that outlives the call to which it is passed. Never empty.
template <class Result, class... Arguments>
class FunctionRef<Result(Arguments...)> {
 public:
  template <detail::Calls<Result, Arguments...> Callable>
  FunctionRef(Callable&& callable) : object_(address_of(callable)), call_(call<Callable>) {}
  FunctionRef(const FunctionRef&) = default;
  FunctionRef(FunctionRef&) = default;
  FunctionRef(FunctionRef&&) = default;

  Result operator()(Arguments... arguments) const {
    return call_(object_, std::forward<Arguments>(arguments)...);
  }

 private:
  template <class Callable>
  static void* address_of(Callable& callable) {
    if constexpr (std::is_function_v<Callable>) {
      return reinterpret_cast<void*>(&callable);
    } else {
      return const_cast<void*>(static_cast<const void*>(std::addressof(callable)));
    }
  }
  template <class Callable>
  static Result call(void* object, Arguments... arguments) {
    using Pointer = std::remove_reference_t<Callable>*;
    return (*reinterpret_cast<Pointer>(object))(std::forward<Arguments>(arguments)...);
  }

  void* object_;
  Result (*call_)(void*, Arguments...);
};

}  // namespace sinter::inline SINTER_ABI::detail
