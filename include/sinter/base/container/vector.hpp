#pragma once
// A vector that compiles quickly, for the library's own classes: see docs/decisions/containers.md.

#include <cstddef>           // std::size_t
#include <initializer_list>  // std::initializer_list
#include <new>               // operator new, __STDCPP_DEFAULT_NEW_ALIGNMENT__
#include <stdexcept>         // std::out_of_range
#include <utility>           // std::move, std::swap

#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail {

/// A growing array, with the interface of std::vector<T>. Iterators are pointers, and are valid for
/// as long as those of std::vector. push_back() and insert() take the element by value, so it may
/// be one of the vector itself; ranges must be of another vector. Only the basic guarantee of
/// exception safety holds: if an element throws, the vector has valid elements, but perhaps others.
template <class T>
class Vector {
 public:
  using value_type = T;

  Vector() = default;
  explicit Vector(std::size_t size) { resize(size); }
  Vector(std::size_t size, const T& value) : Vector() { assign(size, value); }
  Vector(std::initializer_list<T> list) : Vector(list.begin(), list.end()) {}
  template <class Iterator>
  requires requires(Iterator at) { *++at; }
  Vector(Iterator first, Iterator last) : Vector() { append(first, last); }
  Vector(const Vector& other) : Vector(other.begin(), other.end()) {}
  Vector(Vector&& other) noexcept
      : data_(other.data_), size_(other.size_), capacity_(other.capacity_) {
    other.data_ = nullptr;
    other.size_ = other.capacity_ = 0;
  }
  Vector& operator=(const Vector& other) {
    if (this != &other) assign(other.begin(), other.end());
    return *this;
  }
  Vector& operator=(Vector&& other) noexcept {
    Vector moved(std::move(other));
    swap(moved);
    return *this;
  }
  constexpr ~Vector() {
    if (data_ == nullptr) return;
    clear();
    ::operator delete(data_);
  }

  T* data() { return data_; }
  const T* data() const { return data_; }
  std::size_t size() const { return size_; }
  std::size_t capacity() const { return capacity_; }
  bool empty() const { return size_ == 0; }
  T& operator[](std::size_t i) { return data_[i]; }
  const T& operator[](std::size_t i) const { return data_[i]; }
  T* begin() { return data_; }
  T* end() { return data_ + size_; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }
  /// As operator[], for positions that the caller did not check. Throws std::out_of_range.
  const T& at(std::size_t i) const {
    if (i >= size_) throw std::out_of_range("Vector::at");
    return data_[i];
  }
  T& front() { return data_[0]; }
  const T& front() const { return data_[0]; }
  T& back() { return data_[size_ - 1]; }
  const T& back() const { return data_[size_ - 1]; }

  void reserve(std::size_t capacity) {
    static_assert(alignof(T) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__, "operator new aligns for T");
    if (capacity <= capacity_) return;
    Vector grown;
    grown.data_ = static_cast<T*>(::operator new(capacity * sizeof(T)));
    grown.capacity_ = capacity;
    for (; grown.size_ < size_; ++grown.size_) {
      ::new (static_cast<void*>(grown.end())) T(std::move(data_[grown.size_]));
    }
    swap(grown);
  }
  void push_back(T value) {
    make_room_for(1);
    ::new (static_cast<void*>(end())) T(std::move(value));
    ++size_;
  }
  template <class... Arguments>
  T& emplace_back(Arguments&&... arguments) {
    push_back(T(static_cast<Arguments&&>(arguments)...));
    return back();
  }
  template <class Iterator>
  void append(Iterator first, Iterator last) {
    if constexpr (requires { static_cast<std::size_t>(last - first); }) {
      make_room_for(static_cast<std::size_t>(last - first));
    }
    for (; first != last; ++first) push_back(*first);
  }
  void pop_back() { data_[--size_].~T(); }
  void clear() { shrink(0); }
  void resize(std::size_t size) {
    shrink(size);
    make_room_for(size - size_);
    for (; size_ < size; ++size_) ::new (static_cast<void*>(end())) T();
  }
  void resize(std::size_t size, const T& value) {
    if (size < size_) return shrink(size);
    const T copy = value;
    reserve(size);
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
    for (std::size_t i = size_ - 1; i > position; --i) std::swap(data_[i], data_[i - 1]);
    return data_ + position;
  }
  template <class Iterator>
  requires requires(Iterator at) { *++at; }
  T* insert(const T* at, Iterator first, Iterator last) {
    const std::size_t position = index_of(at);
    Vector tail;
    for (std::size_t i = position; i < size_; ++i) tail.push_back(std::move(data_[i]));
    shrink(position);
    append(first, last);
    for (T& each : tail) push_back(std::move(each));
    return data_ + position;
  }
  T* erase(const T* at) { return erase(at, at + 1); }
  T* erase(const T* first, const T* last) {
    T* to = data_ + index_of(first);
    T* const result = to;
    if (first == last) return result;
    for (T* from = data_ + index_of(last); from != end(); ++from, ++to) *to = std::move(*from);
    shrink(index_of(to));
    return result;
  }

  void swap(Vector& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
  }

  friend bool operator==(const Vector& a, const Vector& b) {
    if (a.size_ != b.size_) return false;
    for (std::size_t i = 0; i < a.size_; ++i) {
      if (!(a.data_[i] == b.data_[i])) return false;
    }
    return true;
  }

 private:
  std::size_t index_of(const T* at) const { return static_cast<std::size_t>(at - data_); }
  void make_room_for(std::size_t count) {
    const std::size_t size = size_ + count;
    if (size > capacity_) reserve(size > 2 * capacity_ ? size : 2 * capacity_);
  }
  void shrink(std::size_t size) {
    while (size_ > size) pop_back();
  }

  T* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
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
