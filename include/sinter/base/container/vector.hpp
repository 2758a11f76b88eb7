#pragma once
// A vector that compiles quickly, for the library's own classes: see docs/decisions/containers.md.

#include <cstddef>           // std::size_t
#include <initializer_list>  // std::initializer_list
#include <new>               // operator new, __STDCPP_DEFAULT_NEW_ALIGNMENT__
#include <stdexcept>         // std::out_of_range
#include <type_traits>       // std::is_trivially_copyable_v, std::is_nothrow_move_constructible_v
#include <utility>           // std::move, std::swap

#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail {

/// The memory of a Vector, and what does not depend on the type of its elements but for `relocate`,
/// which moves elements to other memory and destroys them where they were; null if that is to copy
/// their bytes.
class VectorMemory {
 public:
  using Relocate = void (*)(void* to, void* from, std::size_t count) noexcept;

  void swap(VectorMemory& other) noexcept {
    const VectorMemory mine = *this;
    *this = other;
    other = mine;
  }

 protected:
  /// Memory for `capacity` elements; nothing if there is as much already.
  void allocate(std::size_t capacity, std::size_t bytes_of_element, Relocate relocate);
  /// Makes room for `count` more elements; growing at least doubles the capacity.
  void make_room(std::size_t count, std::size_t bytes_of_element, Relocate relocate) {
    if (size_ + count > capacity_) grow(size_ + count, bytes_of_element, relocate);
  }
  /// Grows the capacity to at least `size`, which is larger than it is.
  void grow(std::size_t size, std::size_t bytes_of_element, Relocate relocate);
  void forget() noexcept { *this = VectorMemory(); }

  void* memory_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

/// A growing array, with the interface of std::vector<T>. Iterators are pointers, and are valid for
/// as long as those of std::vector. push_back() and insert() take the element by value, so it may
/// be one of the vector itself; ranges must be of another vector. Only the basic guarantee of
/// exception safety holds: if an element throws, the vector has valid elements, but perhaps others.
template <class T>
class Vector : private VectorMemory {
 public:
  using value_type = T;

  Vector() = default;
  explicit Vector(std::size_t size) { resize(size); }
  Vector(std::size_t size, const T& value) : Vector() { assign(size, value); }
  Vector(std::initializer_list<T> list) : Vector(list.begin(), list.begin() + list.size()) {}
  template <class Iterator>
  requires requires(Iterator at) { *++at; }
  Vector(Iterator first, Iterator last) : Vector() { append(first, last); }
  Vector(const Vector& other) : Vector(other.begin(), other.end()) {}
  Vector(Vector&& other) noexcept : VectorMemory(other) { other.forget(); }
  Vector& operator=(const Vector& other) {
    if (this != &other) assign(other.begin(), other.end());
    return *this;
  }
  Vector& operator=(Vector&& other) noexcept {
    Vector moved(std::move(other));  // `other` may be in an element of this one
    swap(moved);
    return *this;
  }
  constexpr ~Vector() {
    if (memory_ == nullptr) return;
    if constexpr (!std::is_trivially_destructible_v<T>) shrink(0);
    ::operator delete(memory_);
  }

  T* data() { return static_cast<T*>(memory_); }
  const T* data() const { return static_cast<const T*>(memory_); }
  std::size_t size() const { return size_; }
  std::size_t capacity() const { return capacity_; }
  bool empty() const { return size_ == 0; }
  /// The element at a position of any integer type: values, groups and kernels have numbers of 32
  /// bits.
  template <class Position>
  T& operator[](Position i) {
    return static_cast<T*>(memory_)[i];
  }
  template <class Position>
  const T& operator[](Position i) const {
    return static_cast<const T*>(memory_)[i];
  }
  T* begin() { return static_cast<T*>(memory_); }
  T* end() { return static_cast<T*>(memory_) + size_; }
  const T* begin() const { return static_cast<const T*>(memory_); }
  const T* end() const { return static_cast<const T*>(memory_) + size_; }
  /// As operator[], for positions that the caller did not check. Throws std::out_of_range.
  const T& at(std::size_t i) const {
    if (i >= size_) throw std::out_of_range("Vector::at");
    return begin()[i];
  }
  T& at(std::size_t i) { return const_cast<T&>(static_cast<const Vector&>(*this).at(i)); }
  T& front() { return begin()[0]; }
  const T& front() const { return begin()[0]; }
  T& back() { return begin()[size_ - 1]; }
  const T& back() const { return begin()[size_ - 1]; }

  void reserve(std::size_t capacity) { allocate(capacity, sizeof(T), relocate_of()); }
  void push_back(T value) {
    make_room(1, sizeof(T), relocate_of());
    ::new (static_cast<void*>(end())) T(std::move(value));
    ++size_;
  }
  template <class... Arguments>
  T& emplace_back(Arguments&&... arguments) {
    if (size_ == capacity_) {  // what the arguments refer to may be about to move
      push_back(T(static_cast<Arguments&&>(arguments)...));
    } else {
      ::new (static_cast<void*>(end())) T(static_cast<Arguments&&>(arguments)...);
      ++size_;
    }
    return back();
  }
  template <class Iterator>
  void append(Iterator first, Iterator last) {
    if constexpr (requires { static_cast<std::size_t>(last - first); }) {
      make_room(static_cast<std::size_t>(last - first), sizeof(T), relocate_of());
    }
    for (; first != last; ++first) push_back(*first);
  }
  void pop_back() { begin()[--size_].~T(); }
  void clear() { shrink(0); }
  void resize(std::size_t size) {
    shrink(size);
    make_room(size - size_, sizeof(T), relocate_of());
    for (; size_ < size; ++size_) ::new (static_cast<void*>(end())) T();
  }
  void resize(std::size_t size, const T& value) {
    if (size < size_) return shrink(size);
    const T copy = value;
    make_room(size - size_, sizeof(T), relocate_of());
    while (size_ < size) push_back(copy);
  }
  void assign(std::size_t size, const T& value) {
    const T copy = value;
    clear();
    resize(size, copy);
  }
  template <class Iterator>
  requires requires(Iterator at) { *++at; }
  void assign(Iterator first, Iterator last) {
    T* to = begin();
    for (; first != last && to != end(); ++first, ++to) *to = *first;
    shrink(index_of(to));
    append(first, last);
  }

  T* insert(const T* at, T value) {
    const std::size_t position = index_of(at);
    push_back(std::move(value));
    for (std::size_t i = size_ - 1; i > position; --i) std::swap(begin()[i], begin()[i - 1]);
    return begin() + position;
  }
  template <class Iterator>
  requires requires(Iterator at) { *++at; }
  T* insert(const T* at, Iterator first, Iterator last) {
    const std::size_t position = index_of(at);
    Vector tail;
    for (std::size_t i = position; i < size_; ++i) tail.push_back(std::move(begin()[i]));
    shrink(position);
    append(first, last);
    for (T& each : tail) push_back(std::move(each));
    return begin() + position;
  }
  T* erase(const T* at) { return erase(at, at + 1); }
  T* erase(const T* first, const T* last) {
    T* to = begin() + index_of(first);
    T* const result = to;
    if (first == last) return result;
    for (T* from = begin() + index_of(last); from != end(); ++from, ++to) *to = std::move(*from);
    shrink(index_of(to));
    return result;
  }

  void swap(Vector& other) noexcept { VectorMemory::swap(other); }

  friend bool operator==(const Vector& a, const Vector& b) {
    if (a.size_ != b.size_) return false;
    for (std::size_t i = 0; i < a.size_; ++i) {
      if (!(a[i] == b[i])) return false;
    }
    return true;
  }

 private:
  static consteval Relocate relocate_of() {
    static_assert(alignof(T) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__, "operator new aligns for T");
    static_assert(std::is_nothrow_move_constructible_v<T>, "T moves without throwing");
    if constexpr (std::is_trivially_copyable_v<T>) {
      return nullptr;
    } else {
      return relocate;
    }
  }
  // Moves must not throw: an element would be lost.
  static void relocate(void* to, void* from, std::size_t count) noexcept {
    for (std::size_t i = 0; i < count; ++i) {
      T& each = static_cast<T*>(from)[i];
      ::new (static_cast<void*>(static_cast<T*>(to) + i)) T(std::move(each));
      each.~T();
    }
  }
  std::size_t index_of(const T* at) const { return static_cast<std::size_t>(at - begin()); }
  void shrink(std::size_t size) {
    if constexpr (std::is_trivially_destructible_v<T>) {
      if (size < size_) size_ = size;
    } else {
      while (size_ > size) begin()[--size_].~T();
    }
  }
};

/// Removes the elements for which predicate(element) is true, keeps the order of the others, and
/// returns how many it removed.
template <class T, class Predicate>
std::size_t erase_if(Vector<T>& from, Predicate predicate) {
  T* to = from.begin();
  for (T& each : from) {
    if (predicate(each)) continue;
    if (to != &each) *to = std::move(each);
    ++to;
  }
  const std::size_t size = from.size();
  from.erase(to, from.end());
  return size - from.size();
}

}  // namespace sinter::inline SINTER_ABI::detail

#ifdef SINTER_DEFINITIONS
#include <sinter/base/container/vector.ipp>
#endif
