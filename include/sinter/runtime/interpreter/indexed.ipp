#pragma once

#include <algorithm>    // std::copy_n
#include <cstring>      // std::memcpy
#include <type_traits>  // std::conditional_t
#include <vector>       // std::vector

#include <sinter/base/container/vector.hpp>
#include <sinter/base/error.hpp>
#include <sinter/runtime/interpreter/data_error.hpp>
#include <sinter/runtime/interpreter/indexed.hpp>

namespace sinter::inline SINTER_ABI::detail::runtime::interpreter {

namespace detail {

// The shape of `x` around the gathered axis: outer x extent x inner.
struct Rows {
  std::int64_t outer = 1, extent = 0, inner = 1;
};

SINTER_INLINE Rows rows_of(const Sizes& shape, std::int64_t axis) {
  Rows rows{.extent = shape[static_cast<std::size_t>(axis)]};
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (static_cast<std::int64_t>(i) < axis) rows.outer *= shape[i];
    if (static_cast<std::int64_t>(i) > axis) rows.inner *= shape[i];
  }
  return rows;
}

// The row of each index, bounds-checked; negative indices count from the end.
SINTER_INLINE std::vector<std::int64_t> named_rows(Op op, const Array& indices, std::int64_t extent,
                                                   Where where) {
  const Array dense = to_dense(indices, where);
  std::vector<std::int64_t> rows(static_cast<std::size_t>(count(indices.shape)));
  std::copy_n(reinterpret_cast<const std::int64_t*>(dense.data()), rows.size(), rows.begin());
  for (std::size_t position = 0; position < rows.size(); ++position) {
    const std::int64_t index = rows[position];
    if (index < -extent || index >= extent) {
      throw_out_of_range(op, index, extent, static_cast<std::int64_t>(position), where);
    }
    if (index < 0) rows[position] += extent;
  }
  return rows;
}

// Converts the elements of `x` to accumulators.
template <class T, class Total>
void accumulate(const Array& x, Total* to) {
  Reader elements(x);
  const std::int64_t total = count(x.shape);
  for (std::int64_t done = 0; done < total; done += chunk) {
    const std::int64_t size = std::min(chunk, total - done);
    const T* const from = elements.next<T>(size);
    for (std::int64_t i = 0; i < size; ++i) to[done + i] = static_cast<Total>(from[i]);
  }
}

template <class T>
Array scatter_add(const Array& x, const std::vector<std::int64_t>& named, const Array& y,
                  const Rows& rows, Where where) {
  constexpr bool floating = std::is_floating_point_v<T>;
  using Total = std::conditional_t<floating, double, std::uint64_t>;
  using Stored = std::conditional_t<floating, double, std::int64_t>;
  Vector<Total> totals(static_cast<std::size_t>(count(x.shape)));
  Vector<Total> added(static_cast<std::size_t>(count(y.shape)));
  accumulate<T>(x, totals.data());
  accumulate<T>(y, added.data());
  const Total* from = added.data();
  for (std::int64_t outer = 0; outer < rows.outer; ++outer) {
    for (const std::int64_t row : named) {
      Total* const to = totals.data() + (outer * rows.extent + row) * rows.inner;
      for (std::int64_t i = 0; i < rows.inner; ++i) to[i] += *from++;
    }
  }
  const Array result = make_dense(x.dtype, x.shape, where);
  store(x.dtype, reinterpret_cast<const Stored*>(totals.data()), count(x.shape), result.data());
  return result;
}

}  // namespace detail

SINTER_INLINE Array gather(const Array& x, const Array& indices, std::int64_t axis, Where where) {
  const detail::Rows rows = detail::rows_of(x.shape, axis);
  const auto named = detail::named_rows(Op::gather, indices, rows.extent, where);
  Sizes shape;
  for (std::size_t i = 0; i < x.shape.size(); ++i) {
    if (static_cast<std::int64_t>(i) != axis) {
      shape.push_back(x.shape[i]);
      continue;
    }
    for (const std::int64_t size : indices.shape) shape.push_back(size);
  }
  const Array dense = to_dense(x, where), result = make_dense(x.dtype, shape, where);
  const auto bytes = rows.inner * static_cast<std::int64_t>(info(x.dtype).size);
  std::byte* to = result.data();
  for (std::int64_t outer = 0; outer < rows.outer; ++outer) {
    for (const std::int64_t row : named) {
      std::memcpy(to, dense.data() + (outer * rows.extent + row) * bytes,
                  static_cast<std::size_t>(bytes));
      to += bytes;
    }
  }
  return result;
}

SINTER_INLINE Array scatter_add(const Array& x, const Array& indices, const Array& y,
                                std::int64_t axis, Where where) {
  const detail::Rows rows = detail::rows_of(x.shape, axis);
  const auto named = detail::named_rows(Op::scatter_add, indices, rows.extent, where);
  return visit_computed(
      x.dtype, [&]<class T>(T) { return detail::scatter_add<T>(x, named, y, rows, where); });
}

SINTER_INLINE Array concatenate(Span<const Array> parts, std::int64_t axis, const Sizes& shape,
                                Where where) {
  const Array result = make_dense(parts[0].dtype, shape, where);
  Array to = result;
  for (const Array& part : parts) {
    to.shape = part.shape;
    copy(part, to);
    const auto at = static_cast<std::size_t>(axis);
    to.offset += part.shape[at] * to.strides[at];
  }
  return result;
}

}  // namespace sinter::inline SINTER_ABI::detail::runtime::interpreter
