#pragma once
// Compile-time arithmetic on dimensions, for typed functions.

#include <array>    // std::array
#include <cstddef>  // std::size_t
#include <cstdint>  // std::int64_t

#include <sinter/config.hpp>
#include <sinter/symbol/dim.hpp>
#include <sinter/symbol/shape.hpp>

namespace sinter::inline SINTER_ABI::detail {

template <int... axes, std::size_t rank>
constexpr bool have_axes(const Dims<rank>&) {
  constexpr int count = static_cast<int>(rank);
  return ((axes >= -count && axes < count) && ...);
}

/// An axis that may count from the end.
template <std::size_t rank>
constexpr std::size_t place(int axis, const Dims<rank>&) {
  return static_cast<std::size_t>(axis < 0 ? axis + static_cast<int>(rank) : axis);
}

/// How many of `list` are `value`.
template <class T, std::size_t n>
constexpr std::size_t count(const std::array<T, n>& list, const T& value) {
  std::size_t result = 0;
  for (const T& element : list) result += element == value ? 1 : 0;
  return result;
}

template <int... axes, std::size_t rank>
constexpr bool differ(const Dims<rank>& dims) {
  std::array<bool, rank> named{};
  ((named[place(axes, dims)] = true), ...);
  return count(named, true) == sizeof...(axes);
}

/// A dimension that is a number known here and not in an expression.
constexpr Dim dim_of(std::int64_t size) {
  Dim result;
  result.size = size;
  return result;
}

template <std::size_t rank>
constexpr Dims<rank + 1> inserted(const Dims<rank>& dims, int axis, std::int64_t size) {
  Dims<rank + 1> result;
  const auto at = static_cast<std::size_t>(axis);
  for (std::size_t i = 0; i < result.size(); ++i) {
    result[i] = i == at ? dim_of(size) : dims[i < at ? i : i - 1];
  }
  return result;
}

/// The axes that squeeze<axes...> drops.
template <int... axes, std::size_t rank>
constexpr std::array<bool, rank> squeezed(const Dims<rank>& dims) {
  std::array<bool, rank> result{};
  ((result[place(axes, dims)] = true), ...);
  for (std::size_t i = 0; i < rank && sizeof...(axes) == 0; ++i) result[i] = dims[i].size == 1;
  return result;
}

template <std::size_t dropped, std::size_t rank>
constexpr auto without(const Dims<rank>& dims, const std::array<bool, rank>& gone) {
  Dims<rank - dropped> result;
  for (std::size_t i = 0, kept = 0; i < rank && kept < result.size(); ++i) {
    if (!gone[i]) result[kept++] = dims[i];
  }
  return result;
}

/// The product of two dimensions: numbers multiply, and 1 is neutral.
constexpr Dim times(const Dim& a, const Dim& b) {
  if (a.size == 1) return b;
  if (b.size == 1) return a;
  return a.size >= 0 && b.size >= 0 ? dim_of(a.size * b.size) : Dim();
}

template <std::size_t from, std::size_t to, std::size_t rank>
constexpr auto flattened(const Dims<rank>& dims) {
  Dims<rank - (to - from)> result;
  for (std::size_t i = 0; i < rank; ++i) {
    const std::size_t at = i <= from ? i : i <= to ? from : i - (to - from);
    result[at] = i > from && i <= to ? times(result[at], dims[i]) : dims[i];
  }
  return result;
}

constexpr bool is_name(const Dim& dim) { return dim.size < 0 && dim != dyn; }

/// How many of `dims` are neither numbers nor names of `known`.
template <std::size_t n, std::size_t m>
constexpr std::size_t unknown_dims(const Dims<n>& dims, const Dims<m>& known) {
  std::size_t result = 0;
  for (const Dim& dim : dims) {
    const bool is_there = is_name(dim) && count(known, dim) != 0;
    if (dim.size < 0 && !is_there) ++result;
  }
  return result;
}

template <std::size_t rank>
constexpr std::int64_t product_of_numbers(const Dims<rank>& dims) {
  std::int64_t result = 1;
  for (const Dim& dim : dims) result *= dim.size >= 0 ? dim.size : 1;
  return result;
}

/// False if the compiler can tell that the numbers of elements differ.
template <std::size_t n, std::size_t m>
constexpr bool same_size(const Dims<n>& a, const Dims<m>& b) {
  const auto matched = [](const auto& dims, const auto& others) {
    for (const Dim& dim : dims) {
      if (dim == dyn) return false;
      if (is_name(dim) && count(dims, dim) != count(others, dim)) return false;
    }
    return true;
  };
  if (!matched(a, b) || !matched(b, a)) return true;
  return product_of_numbers(a) == product_of_numbers(b);
}

/// The extents of `dims`: numbers, those of the names in `known`, whose extents are `extents`, and
/// -1 for what is not known.
template <auto dims, std::size_t rank>
Shape shape_of(const Dims<rank>& known, const Shape& extents) {
  Shape result;
  for (const Dim& dim : dims) {
    Extent extent = dim.size >= 0 ? Extent(dim.size) : Extent(-1);
    for (std::size_t i = 0; i < rank && is_name(dim); ++i) {
      if (known[i] == dim) extent = extents[static_cast<int>(i)];
    }
    result.push_back(extent);
  }
  return result;
}

template <std::size_t axis, std::size_t n, std::size_t m>
constexpr bool can_concatenate(const Dims<n>& a, const Dims<m>& b) {
  bool result = n == m;
  for (std::size_t i = 0; i < n && i < m; ++i) result = result && (i == axis || agree(a[i], b[i]));
  return result;
}

/// The dimensions of a concatenation along `axis`.
template <std::size_t axis, std::size_t rank, class... Rest>
constexpr Dims<rank> concatenated_dims(const Dims<rank>& first, const Rest&... rest) {
  Dims<rank> result = first;
  const auto add = [&](const Dims<rank>& next) {
    for (std::size_t i = 0; i < rank; ++i) {
      const bool sum = result[i].size >= 0 && next[i].size >= 0;
      if (i == axis) result[i] = sum ? dim_of(result[i].size + next[i].size) : Dim();
      if (i != axis && result[i] == dyn) result[i] = next[i];
    }
  };
  (add(rest), ...);
  return result;
}

/// That a target has the dimensions of the logits, or those without the classes.
template <std::size_t n, std::size_t m>
constexpr bool logits_fit(const Dims<n>& logits, const Dims<m>& target) {
  if (n == m) return n != 0 && agree(logits, target);
  if (n != m + 1) return false;
  const std::size_t classes = n == 1 ? 0 : 1;
  bool result = true;
  for (std::size_t i = 0; i < m; ++i) {
    result = result && agree(logits[i < classes ? i : i + 1], target[i]);
  }
  return result;
}

}  // namespace sinter::inline SINTER_ABI::detail
