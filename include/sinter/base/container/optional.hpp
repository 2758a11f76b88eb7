#pragma once
// An optional that compiles quickly, for the library's own classes: see
// docs/decisions/containers.md.

#include <new>       // placement new
#include <optional>  // std::nullopt, std::bad_optional_access

#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail {

/// A value or none, with the interface of std::optional<T>.
template <class T>
class Optional {
 public:
  Optional() {}
  Optional(std::nullopt_t) {}
  Optional(T value) { construct(static_cast<T&&>(value)); }
  Optional(const Optional& other) {
    if (other.has_value_) construct(other.value_);
  }
  Optional(Optional&& other) noexcept {
    if (other.has_value_) construct(static_cast<T&&>(other.value_));
  }
  Optional& operator=(const Optional& other) {
    if (this == &other) return *this;
    reset();
    if (other.has_value_) construct(other.value_);
    return *this;
  }
  Optional& operator=(Optional&& other) noexcept {
    if (this == &other) return *this;
    reset();
    if (other.has_value_) construct(static_cast<T&&>(other.value_));
    return *this;
  }
  ~Optional() { reset(); }

  bool has_value() const { return has_value_; }
  explicit operator bool() const { return has_value_; }
  T& operator*() & { return value_; }
  const T& operator*() const& { return value_; }
  T&& operator*() && { return static_cast<T&&>(value_); }
  T* operator->() { return &value_; }
  const T* operator->() const { return &value_; }
  /// As *, but throws std::bad_optional_access if there is none.
  const T& value() const {
    if (!has_value_) throw std::bad_optional_access();
    return value_;
  }
  T value_or(T other) const& { return has_value_ ? value_ : other; }
  T value_or(T other) && { return static_cast<T&&>(has_value_ ? value_ : other); }

  template <class... Arguments>
  T& emplace(Arguments&&... arguments) {
    reset();
    construct(static_cast<Arguments&&>(arguments)...);
    return value_;
  }
  void reset() {
    if (!has_value_) return;
    has_value_ = false;
    value_.~T();
  }

  friend bool operator==(const Optional& a, const Optional& b) {
    return a.has_value_ == b.has_value_ && (!a.has_value_ || a.value_ == b.value_);
  }
  friend bool operator==(const Optional& a, const T& b) { return a.has_value_ && a.value_ == b; }
  friend bool operator==(const Optional& a, std::nullopt_t) { return !a.has_value_; }

 private:
  template <class... Arguments>
  void construct(Arguments&&... arguments) {
    ::new (static_cast<void*>(&value_)) T(static_cast<Arguments&&>(arguments)...);
    has_value_ = true;
  }

  union {
    T value_;
  };
  bool has_value_ = false;
};

}  // namespace sinter::inline SINTER_ABI::detail
