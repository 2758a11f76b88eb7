#pragma once
// A unique pointer that compiles quickly, for the library's own classes: see
// docs/decisions/containers.md.

#include <concepts>  // std::convertible_to
#include <cstddef>   // std::nullptr_t

#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail {

/// Owns an object that `new` created, with the interface of std::unique_ptr<T>.
template <class T>
class UniquePtr {
 public:
  UniquePtr() = default;
  UniquePtr(std::nullptr_t) {}
  explicit UniquePtr(T* object) : object_(object) {}
  UniquePtr(UniquePtr&& other) noexcept : object_(other.release()) {}
  template <class Derived>
  requires std::convertible_to<Derived*, T*> UniquePtr(UniquePtr<Derived>&& other)
      : object_(other.release()) {}
  UniquePtr& operator=(UniquePtr&& other) noexcept {
    reset(other.release());
    return *this;
  }
  ~UniquePtr() {
    static_assert(sizeof(T) > 0, "T is complete");
    delete object_;
  }

  T* get() const { return object_; }
  T* operator->() const { return object_; }
  T& operator*() const { return *object_; }
  explicit operator bool() const { return object_ != nullptr; }
  friend bool operator==(const UniquePtr& pointer, std::nullptr_t) {
    return pointer.object_ == nullptr;
  }

  /// Gives the object away.
  T* release() {
    T* const object = object_;
    object_ = nullptr;
    return object;
  }
  void reset(T* object = nullptr) {
    T* const old = object_;
    object_ = object;
    if (old != object) delete old;
  }

 private:
  T* object_ = nullptr;
};

template <class T, class... Arguments>
UniquePtr<T> make_unique_ptr(Arguments&&... arguments) {
  return UniquePtr<T>(new T(static_cast<Arguments&&>(arguments)...));
}

}  // namespace sinter::inline SINTER_ABI::detail
