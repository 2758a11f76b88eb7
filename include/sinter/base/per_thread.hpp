#pragma once
// Objects of a thread that are there for whatever still runs in it.

#include <utility>  // std::exchange

#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI {

/// The T of this thread, made at its first use; each T has one use.
///
/// It is destroyed when the thread ends. Destructors that run after that (those of static objects,
/// and of older thread_local objects) make another one, which is never destroyed.
template <class T>
T& per_thread() {
  static thread_local T* object = nullptr;  // without a destructor, so that it can be read later
  if (object != nullptr) [[likely]] return *object;
  object = new T;
  struct Owner {
    ~Owner() { delete std::exchange(object, nullptr); }
  };
  [[maybe_unused]] static thread_local const Owner owner;
  return *object;
}

}  // namespace sinter::inline SINTER_ABI
