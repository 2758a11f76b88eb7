#pragma once
// A span that compiles quickly, for the library's own functions: see docs/decisions/containers.md.

#include <cstddef>      // std::size_t
#include <type_traits>  // std::is_same_v, std::remove_cv_t

#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail {

template <class Range>
concept HasPointers = requires(Range& range) {
  static_cast<const volatile void*>(range.begin());
};

/// A pointer to the first element of a contiguous container. Declared for its type only: calling it
/// would compile one more function per container.
template <class Range>
auto first_element(Range& range) -> decltype(&*range.data());
template <HasPointers Range>
auto first_element(Range& range) -> decltype(&*range.begin());

/// Whether Span<T> can refer to the elements of a Range: they are T, but for const.
template <class Range, class T>
concept ElementsOf = requires(Range& range, T* data) {
  data = first_element(range);
  requires std::is_same_v<std::remove_cvref_t<decltype(*first_element(range))>,
                          std::remove_cv_t<T>>;
};

/// A range of elements that others own, with the interface of std::span<T>. Iterators are pointers.
/// Converts from every container that has data() or pointers as iterators, temporaries too.
template <class T>
class Span {
 public:
  using value_type = std::remove_cv_t<T>;

  constexpr Span() = default;
  constexpr Span(T* data, std::size_t size) : data_(data), size_(size) {}
  constexpr Span(T* first, T* last) : data_(first), size_(static_cast<std::size_t>(last - first)) {}
  template <std::size_t count>
  constexpr Span(T (&array)[count]) : data_(array), size_(count) {}
  template <class Range>
  requires ElementsOf<const Range, T>
  constexpr Span(const Range& range) : size_(static_cast<std::size_t>(range.size())) {
    if constexpr (HasPointers<const Range>) {
      data_ = range.begin();
    } else {
      data_ = range.data();
    }
  }
  template <ElementsOf<T> Range>
  requires(!ElementsOf<const Range, T>) constexpr Span(Range& range)
      : size_(static_cast<std::size_t>(range.size())) {
    if constexpr (HasPointers<Range>) {
      data_ = range.begin();
    } else {
      data_ = range.data();
    }
  }
  template <class Number>
  requires std::is_integral_v<Number> Span(Number, std::size_t)
  = delete;  // {0, 3} is not three elements at a null pointer

  constexpr T* data() const { return data_; }
  constexpr std::size_t size() const { return size_; }
  constexpr std::size_t size_bytes() const { return size_ * sizeof(T); }
  constexpr bool empty() const { return size_ == 0; }
  template <class Position>
  constexpr T& operator[](Position i) const {
    return data_[i];
  }
  constexpr T* begin() const { return data_; }
  constexpr T* end() const { return data_ + size_; }
  constexpr T& front() const { return data_[0]; }
  constexpr T& back() const { return data_[size_ - 1]; }

  constexpr Span first(std::size_t count) const { return {data_, count}; }
  constexpr Span last(std::size_t count) const { return {data_ + (size_ - count), count}; }
  /// The elements from `start` on.
  constexpr Span subspan(std::size_t start) const { return {data_ + start, size_ - start}; }
  constexpr Span subspan(std::size_t start, std::size_t count) const {
    return {data_ + start, count};
  }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

template <class T>
Span(T*, std::size_t) -> Span<T>;
template <class T>
Span(T*, T*) -> Span<T>;
template <class T, std::size_t count>
Span(T (&)[count]) -> Span<T>;
template <class Range>
Span(Range&& range) -> Span<std::remove_reference_t<decltype(*first_element(range))>>;

}  // namespace sinter::inline SINTER_ABI::detail
