#pragma once
// A vector of trivial elements that keeps the first few in place, so that most nodes of a graph
// need no memory of their own.

#include <cstddef>           // std::size_t
#include <cstdint>           // std::uint32_t
#include <initializer_list>  // std::initializer_list
#include <type_traits>       // std::is_trivially_copyable_v
#include <utility>           // std::exchange, std::move

#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail {

template <class T, std::uint32_t inline_capacity>
class SmallVector {
  static_assert(std::is_trivially_copyable_v<T>, "SmallVector<T, n> requires T to be trivial");

 public:
  using value_type = T;

  SmallVector() {}
  SmallVector(std::initializer_list<T> list) { assign(list.begin(), list.begin() + list.size()); }
  SmallVector(const T* first, const T* last) { assign(first, last); }
  SmallVector(const SmallVector& other) { assign(other.begin(), other.end()); }
  SmallVector(SmallVector&& other) noexcept { *this = std::move(other); }
  ~SmallVector() { delete[] heap_; }
  SmallVector& operator=(const SmallVector& other) {
    if (this != &other) assign(other.begin(), other.end());
    return *this;
  }
  SmallVector& operator=(SmallVector&& other) noexcept {
    if (this == &other) return *this;
    delete[] heap_;
    heap_ = std::exchange(other.heap_, nullptr);
    if (heap_ == nullptr) copy_to(local(), other.local(), other.local() + other.size_);
    size_ = other.size_;
    capacity_ = other.capacity_;
    other.size_ = 0;
    other.capacity_ = inline_capacity;
    return *this;
  }

  void assign(const T* first, const T* last) { clear(), append(first, last); }
  /// Appends elements of another range.
  void append(const T* first, const T* last) {
    const auto size = size_ + static_cast<std::uint32_t>(last - first);
    if (size > capacity_) reserve(size > 2 * capacity_ ? size : 2 * capacity_);
    copy_to(end(), first, last);
    size_ = size;
  }
  void push_back(const T& value) {
    if (size_ == capacity_) return push_back_to_larger(value);
    data()[size_++] = value;
  }
  void reserve(std::uint32_t capacity) {
    if (capacity <= capacity_) return;
    T* const grown = new T[capacity];
    copy_to(grown, begin(), end());
    delete[] heap_;
    heap_ = grown;
    capacity_ = capacity;
  }
  void resize(std::size_t size) {
    reserve(static_cast<std::uint32_t>(size));
    for (; size_ < size; ++size_) data()[size_] = T{};
    size_ = static_cast<std::uint32_t>(size);
  }
  void clear() { size_ = 0; }
  void pop_back() { --size_; }

  T* data() { return heap_ != nullptr ? heap_ : local(); }
  const T* data() const { return const_cast<SmallVector*>(this)->data(); }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  template <class Position>
  T& operator[](Position i) {
    return data()[i];
  }
  template <class Position>
  const T& operator[](Position i) const {
    return data()[i];
  }
  T* begin() { return data(); }
  T* end() { return data() + size_; }
  const T* begin() const { return data(); }
  const T* end() const { return data() + size_; }
  T& back() { return data()[size_ - 1]; }
  const T& back() const { return data()[size_ - 1]; }

  friend bool operator==(const SmallVector& a, const SmallVector& b) {
    if (a.size_ != b.size_) return false;
    for (std::uint32_t i = 0; i < a.size_; ++i) {
      if (!(a[i] == b[i])) return false;
    }
    return true;
  }

 private:
  static void copy_to(T* to, const T* first, const T* last) {
    while (first != last) *to++ = *first++;
  }
  T* local() { return reinterpret_cast<T*>(local_); }
  void push_back_to_larger(T value) {  // a copy, since it may be an element
    reserve(2 * capacity_);
    data()[size_++] = value;
  }

  alignas(T) unsigned char local_[inline_capacity * sizeof(T)];  // uninitialized beyond size_
  T* heap_ = nullptr;  // instead of the first ones; a std::unique_ptr compiles more slowly
  std::uint32_t size_ = 0;
  std::uint32_t capacity_ = inline_capacity;
};

}  // namespace sinter::inline SINTER_ABI::detail
