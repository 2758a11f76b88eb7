#pragma once

#include <algorithm>    // std::copy_n, std::fill, std::min
#include <cstddef>      // std::size_t
#include <cstdint>      // std::uint64_t
#include <numeric>      // std::iota
#include <type_traits>  // std::conditional_t, std::is_floating_point_v
#include <utility>      // std::swap
#include <vector>       // std::vector

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/runtime/interpreter/scan_and_sort.hpp>

namespace sinter::inline SINTER_ABI::detail::runtime::interpreter {

namespace detail {

// The shape of a dense array around an axis: outer x length x inner.
struct RowLayout {
  std::int64_t outer = 1, length = 1, inner = 1;
};

SINTER_INLINE RowLayout rows_along(const Sizes& shape, std::int64_t axis) {
  RowLayout result;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const auto at = static_cast<std::int64_t>(i);
    (at < axis ? result.outer : at == axis ? result.length : result.inner) *= shape[i];
  }
  return result;
}

// `x`, dense, in the type in which its elements are computed.
template <class T>
Array widened(const Array& x, Where where) {
  const Array result = make_dense(dtype_of<T>, x.shape, where);
  T* to = reinterpret_cast<T*>(result.data());
  const std::int64_t all = count(x.shape);
  if (all == 0) return result;
  Reader elements(x);
  for (std::int64_t done = 0; done < all; done += chunk) {
    const std::int64_t size = std::min(chunk, all - done);
    std::copy_n(elements.next<T>(size), size, to + done);
  }
  return result;
}

template <class T>
void cumulate_rows(Op op, const Array& rows, const RowLayout& layout) {
  using Total = std::conditional_t<std::is_floating_point_v<T>, double, std::uint64_t>;
  Vector<Total> totals(static_cast<std::size_t>(layout.inner));
  T* row = reinterpret_cast<T*>(rows.data());
  for (std::int64_t outer = 0; outer < layout.outer; ++outer) {
    std::fill(totals.begin(), totals.end(), static_cast<Total>(op == Op::cumprod ? 1 : 0));
    for (std::int64_t at = 0; at < layout.length; ++at, row += layout.inner) {
      for (std::size_t i = 0; i < totals.size(); ++i) {
        const auto element = static_cast<Total>(row[i]);
        totals[i] = op == Op::cumprod ? totals[i] * element : totals[i] + element;
        row[i] = static_cast<T>(totals[i]);
      }
    }
  }
}

// Whether `a` comes before `b`; NaN is the largest.
template <class T>
bool is_before(T a, T b, bool descending) {
  if (descending) std::swap(a, b);
  return a < b || (b != b && a == a);
}

template <class T>
void sort_rows(const T* keys, const RowLayout& layout, bool descending, std::int64_t* to) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(layout.length));
  for (std::int64_t outer = 0; outer < layout.outer; ++outer) {
    for (std::int64_t inner = 0; inner < layout.inner; ++inner) {
      const std::int64_t first = outer * layout.length * layout.inner + inner;
      std::iota(order.begin(), order.end(), std::int64_t{0});
      stable_sort(order, [&](std::int64_t a, std::int64_t b) {
        return is_before(keys[first + a * layout.inner], keys[first + b * layout.inner],
                         descending);
      });
      for (std::int64_t at = 0; at < layout.length; ++at) {
        to[first + at * layout.inner] = order[static_cast<std::size_t>(at)];
      }
    }
  }
}

}  // namespace detail

SINTER_INLINE Array cumulate(Op op, const Array& x, std::int64_t axis, Where where) {
  return visit_computed(x.dtype, [&]<class T>(T) {
    const Array wide = detail::widened<T>(x, where);
    detail::cumulate_rows<T>(op, wide, detail::rows_along(x.shape, axis));
    if (wide.dtype == x.dtype) return wide;
    const Array result = make_dense(x.dtype, x.shape, where);
    store(x.dtype, reinterpret_cast<const T*>(wide.data()), count(x.shape), result.data());
    return result;
  });
}

SINTER_INLINE Array argsort(const Array& x, std::int64_t axis, bool descending, Where where) {
  const Array result = make_dense(i64, x.shape, where);
  visit_computed(x.dtype, [&]<class T>(T) {
    const Array keys = detail::widened<T>(x, where);
    detail::sort_rows(reinterpret_cast<const T*>(keys.data()), detail::rows_along(x.shape, axis),
                      descending, reinterpret_cast<std::int64_t*>(result.data()));
  });
  return result;
}

}  // namespace sinter::inline SINTER_ABI::detail::runtime::interpreter
