#pragma once
// Arrays of the interpreter, written and read by tests element by element, without its loops.

#include <cmath>
#include <cstring>
#include <type_traits>
#include <vector>

#include <sinter/base/constant.hpp>
#include <sinter/runtime/interpreter/array.hpp>

namespace arrays {

using sinter::detail::Vector;
using sinter::detail::runtime::interpreter::Array;
using sinter::detail::runtime::interpreter::Sizes;

/// Calls visit(position) for each position of `shape` in row-major order.
template <class Visit>
void for_each_position(const Sizes& shape, const Visit& visit) {
  Sizes position;
  position.resize(shape.size());
  for (const std::int64_t size : shape) {
    if (size == 0) return;
  }
  while (true) {
    visit(static_cast<const Sizes&>(position));
    std::size_t axis = shape.size();
    while (axis > 0 && ++position[axis - 1] == shape[axis - 1]) position[--axis] = 0;
    if (axis == 0) return;
  }
}

/// The index of the element at `position` from the start of the memory of `x`.
inline std::int64_t index_of(const Array& x, const Sizes& position) {
  std::int64_t index = x.offset;
  for (std::size_t axis = 0; axis < position.size(); ++axis) {
    index += position[axis] * x.strides[axis];
  }
  return index;
}

template <class T>
T& element(const Array& x, const Sizes& position) {
  return static_cast<T*>(x.storage.data())[index_of(x, position)];
}

/// The elements of `x` in row-major order.
template <class T>
std::vector<T> elements(const Array& x) {
  std::vector<T> result;
  for_each_position(x.shape, [&](const Sizes& at) { result.push_back(element<T>(x, at)); });
  return result;
}

/// A dense array of `values`.
template <class T>
Array array_of(const std::vector<T>& values, const Sizes& shape) {
  Array x = sinter::detail::runtime::interpreter::make_dense(sinter::dtype_of<T>, shape,
                                                             sinter::Where::current());
  std::size_t next = 0;
  for_each_position(shape, [&](const Sizes& at) { element<T>(x, at) = values[next++]; });
  return x;
}

/// Arrays with the elements of `x` in different memory layouts: dense; the last axis outermost;
/// reversed along each axis; with gaps between elements and before the first.
template <class T>
Vector<Array> layouts(const Array& x) {
  const std::size_t rank = x.shape.size();
  Vector<Array> result{x};
  for (int layout = 1; layout < 4; ++layout) {
    Array y = x;
    std::int64_t stride = layout == 3 ? 2 : 1, last = 0;
    for (std::size_t i = 0; i < rank; ++i) {
      const std::size_t axis = layout == 1 ? i : rank - 1 - i;
      y.strides[axis] = layout == 2 ? -stride : stride;
      last += (x.shape[axis] - 1) * stride;
      stride *= x.shape[axis] + (layout == 3 ? 1 : 0);
    }
    y.offset = layout == 2 ? last : layout == 3 ? 3 : 0;
    if (y.offset < 0) y.offset = 0;  // no elements
    y.storage =
        sinter::detail::Storage::allocate(static_cast<std::size_t>(stride + 16) * sizeof(T));
    for_each_position(x.shape, [&](const Sizes& at) { element<T>(y, at) = element<T>(x, at); });
    result.push_back(y);
  }
  return result;
}

template <class T>
constexpr bool floating = sinter::detail::is_floating(sinter::dtype_of<T>);

/// The same bits, or both NaN.
template <class T>
bool same_bits(T a, T b) {
  if constexpr (floating<T>) {
    if (std::isnan(static_cast<double>(a))) return std::isnan(static_cast<double>(b));
  }
  return std::memcmp(&a, &b, sizeof(T)) == 0;
}

/// The position at which two lists differ by more than NaN's bits; -1 if they do not.
template <class T>
std::int64_t difference(const std::vector<T>& a, const std::vector<T>& b) {
  if (a.size() != b.size()) return static_cast<std::int64_t>(std::min(a.size(), b.size()));
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!same_bits<T>(a[i], b[i])) return static_cast<std::int64_t>(i);
  }
  return -1;
}

/// Numbers at which operations are most likely to be wrong: limits, signs, NaN, infinity,
/// subnormals.
template <class T>
std::vector<T> edge_values() {
  if constexpr (std::is_same_v<T, bool>) {
    return {false, true};
  } else if constexpr (floating<T>) {
    std::vector<T> result;
    const bool wide = std::is_same_v<T, double>;
    for (const double x : {0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 7.25, 100.0, 0x1p-14, 0x1p-24, 0x1p-126,
                           0x1p-149, 65504.0, 0x1.fffffep127, wide ? 0x1p-1074 : 0.0,
                           wide ? 0x1.fffffffffffffp1023 : 1e30, double(INFINITY)}) {
      result.push_back(static_cast<T>(
          static_cast<std::conditional_t<std::is_same_v<T, double>, double, float>>(x)));
      result.push_back(static_cast<T>(-result.back()));
    }
    result.push_back(static_cast<T>(NAN));
    return result;
  } else {
    using Limits = std::numeric_limits<T>;
    std::vector<T> result{0, 1, 2, 3, 7, 8, 15, 31, 63, 64, 100};
    if (Limits::is_signed) {
      for (const int x : {-1, -2, -3, -7, -8, -100}) result.push_back(static_cast<T>(x));
    }
    for (const T x : {Limits::min(), Limits::max()}) {
      result.push_back(x);
      result.push_back(static_cast<T>(x / 2 + 1));
    }
    return result;
  }
}

/// Calls visit(T{}) for the element type of each dtype.
template <class Visit>
void for_each_dtype(const Visit& visit) {
  for (std::size_t i = 0; i < sinter::detail::dtype_table.size(); ++i) {
    sinter::detail::visit_dtype(static_cast<sinter::DType>(i), visit);
  }
}

}  // namespace arrays
