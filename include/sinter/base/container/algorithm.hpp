#pragma once
// The algorithms that the library uses most, on ranges. They compile faster than those of
// <algorithm>, which consist of many small functions: see docs/decisions/containers.md.

#include <cstddef>  // std::size_t
#include <utility>  // std::move, std::swap

#include <sinter/base/container/function_ref.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail {

/// The iterator of the first element of `range` for which predicate(element) is true, or its end.
template <class Range, class Predicate>
auto find_if(Range&& range, const Predicate& predicate) {
  auto at = range.begin();
  const auto end = range.end();
  while (at != end && !predicate(*at)) ++at;
  return at;
}

/// An iterator to the first element of `range` that equals `value`, or the end of `range`.
template <class Range, class T>
auto find(Range&& range, const T& value) {
  auto at = range.begin();
  const auto end = range.end();
  while (at != end && !(*at == value)) ++at;
  return at;
}
template <class Range, class T>
requires requires(const Range& range, const T& value) { *range.begin() == value; }
bool contains(const Range& range, const T& value) {
  for (const auto& each : range) {
    if (each == value) return true;
  }
  return false;
}

template <class Range, class Predicate>
bool any_of(const Range& range, const Predicate& predicate) {
  for (const auto& each : range) {
    if (predicate(each)) return true;
  }
  return false;
}

template <class Range, class Predicate>
bool none_of(const Range& range, const Predicate& predicate) {
  return !any_of(range, predicate);
}

template <class Range, class Predicate>
bool all_of(const Range& range, const Predicate& predicate) {
  for (const auto& each : range) {
    if (!predicate(each)) return false;
  }
  return true;
}

/// How many elements of `range` satisfy `predicate`.
template <class Range, class Predicate>
std::ptrdiff_t count_if(const Range& range, const Predicate& predicate) {
  std::ptrdiff_t result = 0;
  for (const auto& each : range) result += predicate(each) ? 1 : 0;
  return result;
}

/// Inserts `value`, which may be an element of `list`, before `at`.
template <class List>
void insert_at(List& list, const typename List::value_type* at,
               const typename List::value_type& value) {
  std::size_t position = list.size() - static_cast<std::size_t>(list.end() - at);
  list.push_back(value);
  for (; position + 1 < list.size(); ++position) std::swap(list[position], list.back());
}
/// Erases the element at `at`.
template <class List>
void erase_at(List& list, const typename List::value_type* at) {
  std::size_t position = static_cast<std::size_t>(at - list.begin());
  for (; position + 1 < list.size(); ++position) list[position] = std::move(list[position + 1]);
  list.pop_back();
}

/// Arrays of at most this size are sorted in place.
inline constexpr std::size_t largest_insertion_sort = 12;

/// Stable insertion sort, in place; for short arrays.
template <class T>
void insertion_sort(T* data, std::size_t size, FunctionRef<bool(const T&, const T&)> less) {
  for (std::size_t i = 1; i < size; ++i) {
    if (!less(data[i], data[i - 1])) continue;
    T moved = std::move(data[i]);
    std::size_t to = i;
    for (; to > 0 && less(moved, data[to - 1]); --to) data[to] = std::move(data[to - 1]);
    data[to] = std::move(moved);
  }
}

template <class T>
void merge_sort(T* data, std::size_t size, FunctionRef<bool(const T&, const T&)> less) {
  if (size <= largest_insertion_sort) return insertion_sort(data, size, less);
  const std::size_t half = size / 2;
  merge_sort(data, half, less);
  merge_sort(data + half, size - half, less);
  Vector<T> left;
  left.reserve(half);
  for (std::size_t i = 0; i < half; ++i) left.push_back(std::move(data[i]));
  std::size_t to = 0, right = half;
  for (T& each : left) {
    while (right < size && less(data[right], each)) data[to++] = std::move(data[right++]);
    data[to++] = std::move(each);
  }
}

/// Sorts an array or a vector by less(a, b); equal elements keep their order.
template <class Range, class Less>
void stable_sort(Range& range, const Less& less) {
  using T = typename Range::value_type;
  merge_sort<T>(range.data(), range.size(), less);
}
template <class Range>
void stable_sort(Range& range) {
  stable_sort(range, [](const auto& a, const auto& b) { return a < b; });
}

}  // namespace sinter::inline SINTER_ABI::detail
