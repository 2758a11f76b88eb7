#pragma once
// The tensors with the lifetime of a value: direct members, not those in containers or optionals.

#include <tuple>        // std::apply
#include <type_traits>  // std::remove_const_t

#include <sinter/base/container/vector.hpp>
#include <sinter/config.hpp>
#include <sinter/trace/module/scope.hpp>
#include <sinter/trace/module/walk.hpp>
#include <sinter/trace/value/lifetime.hpp>

namespace sinter::inline SINTER_ABI::detail {

/// Adds the addresses of the tensors whose lifetime is that of `value`. Reads nothing.
template <class T>
void add_fixed_tensors(T& value, Vector<const void*>& list) {
  using Type = std::remove_const_t<T>;
  if constexpr (std::same_as<Type, Tensor>) {
    list.push_back(__builtin_addressof(value));
  } else if constexpr (std::same_as<Type, Scalar> || TypedTensor<Type>) {
    list.push_back(__builtin_addressof(value.tensor()));
  } else if constexpr (std::same_as<Type, nn::Buffer>) {
    list.push_back(__builtin_addressof(value.value));
  } else if constexpr (Module<Type>) {
    for_each_member(value, [&](const char*, auto& member) { add_fixed_tensors(member, list); });
  } else if constexpr (TupleLike<Type>) {
    std::apply([&](auto&... part) { (add_fixed_tensors(part, list), ...); }, value);
  }
}

template <class M>
void require_captured_alive(const M& module) {
  if (current_watch == nullptr || !current_watch->captures(__builtin_addressof(module))) return;
  Vector<const void*> tensors;
  add_fixed_tensors(module, tensors);
  current_watch->require_alive(tensors);
}

}  // namespace sinter::inline SINTER_ABI::detail
