#pragma once
// A variant that compiles quickly, for the library's own classes: see docs/decisions/containers.md.

#include <concepts>          // std::same_as
#include <cstddef>           // std::size_t
#include <initializer_list>  // std::initializer_list
#include <new>               // placement new
#include <stdexcept>         // std::logic_error

#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail {

constexpr std::size_t largest(std::initializer_list<std::size_t> numbers) {
  std::size_t result = 0;
  for (const std::size_t number : numbers) result = number > result ? number : result;
  return result;
}

template <class T, class... Types>
concept OneOf = (std::same_as<T, Types> || ...);

template <class First, class...>
struct FirstOf {
  using Type = First;
};

/// A value of one of several different types, whose moves do not throw; by default T() of the
/// first.
template <class... Types>
class Variant {
 public:
  Variant() : Variant(typename FirstOf<Types...>::Type()) {}
  template <class T>
  requires OneOf<T, Types...> Variant(T value) : index_(index_of<T>()) {
    ::new (static_cast<void*>(bytes_)) T(static_cast<T&&>(value));
  }
  Variant(const Variant& other) { copy(other); }
  Variant(Variant&& other) noexcept { move(other); }
  Variant& operator=(const Variant& other) {
    if (this != &other) *this = Variant(other);
    return *this;
  }
  Variant& operator=(Variant&& other) noexcept {
    if (this == &other) return *this;
    destroy();
    move(other);
    return *this;
  }
  ~Variant() { destroy(); }

  /// The position of the type of the value.
  std::size_t index() const { return index_; }
  template <class T>
  bool is() const {
    return index_ == index_of<T>();
  }
  /// The value, if it is a T; else null.
  template <class T>
  T* get_if() {
    return is<T>() ? reinterpret_cast<T*>(bytes_) : nullptr;
  }
  template <class T>
  const T* get_if() const {
    return is<T>() ? reinterpret_cast<const T*>(bytes_) : nullptr;
  }
  /// The value. Throws std::logic_error if it is not a T.
  template <class T>
  T& get() {
    return *require(get_if<T>());
  }
  template <class T>
  const T& get() const {
    return *require(get_if<T>());
  }

  /// Calls `body` with the value.
  template <class Body>
  void visit(Body&& body) const {
    static_cast<void>(((is<Types>() && (body(*get_if<Types>()), true)) || ...));
  }

 private:
  template <class T>
  static constexpr unsigned char index_of() {
    static_assert(OneOf<T, Types...>, "the variant may be a T");
    unsigned char index = 0;
    static_cast<void>(((std::same_as<T, Types> || (++index, false)) || ...));
    return index;
  }
  template <class T>
  static T* require(T* value) {
    if (value == nullptr) throw std::logic_error("Variant::get of another type");
    return value;
  }
  void copy(const Variant& other) {
    index_ = other.index_;
    static_cast<void>(
        ((is<Types>() && ::new (static_cast<void*>(bytes_)) Types(*other.get_if<Types>())) || ...));
  }
  void move(Variant& other) noexcept {
    index_ = other.index_;
    static_cast<void>(((is<Types>() && ::new (static_cast<void*>(bytes_))
                                           Types(static_cast<Types&&>(*other.get_if<Types>()))) ||
                       ...));
  }
  void destroy() noexcept {
    static_cast<void>(((is<Types>() && (get_if<Types>()->~Types(), true)) || ...));
  }

  alignas(Types...) unsigned char bytes_[largest({sizeof(Types)...})];
  unsigned char index_ = 0;
};

}  // namespace sinter::inline SINTER_ABI::detail
