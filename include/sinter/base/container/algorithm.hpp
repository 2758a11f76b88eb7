#pragma once
// The algorithms that the library uses most, on ranges. They compile faster than those of
// <algorithm>, which consist of many small functions: see docs/decisions/containers.md.

#include <cstddef>  // std::size_t
#include <utility>  // std::move

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

template <class T>
void merge_sort(T* data, std::size_t size, FunctionRef<bool(const T&, const T&)> less) {
  if (size < 2) return;
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
