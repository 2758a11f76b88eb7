#pragma once

#include <algorithm>    // std::copy_n, std::fill, std::min
#include <concepts>     // std::integral
#include <cstring>      // std::memcpy
#include <type_traits>  // std::conditional_t, std::make_unsigned_t

#include <sinter/base/container/algorithm.hpp>
#include <sinter/runtime/interpreter/contraction.hpp>

namespace sinter::inline SINTER_ABI::detail::runtime::interpreter {

namespace detail {

// The axes of an array in another order.
SINTER_INLINE Array reordered(const Array& x, const Sizes& order) {
  Array result = x;
  for (std::size_t axis = 0; axis < order.size(); ++axis) {
    result.shape[axis] = x.shape[static_cast<std::size_t>(order[axis])];
    result.strides[axis] = x.strides[static_cast<std::size_t>(order[axis])];
  }
  return result;
}

// Appends to `order` the axes of an array of this rank that are in neither list.
SINTER_INLINE void append_free(Sizes& order, std::size_t rank, const Sizes& a, const Sizes& b) {
  for (std::int64_t axis = 0; axis < static_cast<std::int64_t>(rank); ++axis) {
    const bool free = !contains(a, axis) && !contains(b, axis);
    if (free) order.push_back(axis);
  }
}

SINTER_INLINE void append(Sizes& order, const Sizes& axes) {
  for (const std::int64_t axis : axes) order.push_back(axis);
}

// The product of the extents of the axes of `x` from `first` on, `size` of them.
SINTER_INLINE std::int64_t extent_of(const Array& x, std::size_t first, std::size_t size) {
  std::int64_t result = 1;
  for (std::size_t axis = first; axis < first + size; ++axis) result *= x.shape[axis];
  return result;
}

// The elements of `x` in row-major order as numbers of T.
template <class T>
Array computed(const Array& x, Where where) {
  if (x.dtype == dtype_of<T>) return to_dense(x, where);
  const Array result = make_dense(dtype_of<T>, x.shape, where);
  Reader elements(x);
  const std::int64_t total = count(x.shape);
  T* const to = reinterpret_cast<T*>(result.data());
  using Read = std::conditional_t<std::is_floating_point_v<T>, float, T>;
  for (std::int64_t done = 0; done < total; done += chunk) {
    const std::int64_t size = std::min(chunk, total - done);
    std::copy_n(elements.next<Read>(size), size, to + done);
  }
  return result;
}

// A 32-byte vector type of the compiler.
template <class T>
struct VectorOf {
  static constexpr std::int64_t size = 32 / sizeof(T);
  using Type __attribute__((__vector_size__(32))) = T;
};

// rows x depth times depth x columns, all of them row-major without gaps.
struct Product {
  std::int64_t rows, depth, columns;
};

inline constexpr std::int64_t tile_rows = 4;     // accumulators of a tile stay in registers
inline constexpr std::int64_t block_panels = 8;  // panels packed at a time: whole cache lines

// Packs the columns from `column` on into panels of depth x vector width, padded with zeros after
// the last column.
template <class T>
[[gnu::always_inline]] inline void pack_panels(const T* rhs, const Product& size,
                                               std::int64_t column, T* panels) {
  constexpr std::int64_t width = VectorOf<T>::size;
  const std::int64_t columns = std::min(block_panels * width, size.columns - column);
  for (std::int64_t k = 0; k < size.depth; ++k) {
    const T* const row = rhs + k * size.columns + column;
    for (std::int64_t first = 0; first < columns; first += width) {
      T* const to = panels + first * size.depth + k * width;
      const std::int64_t count = std::min(width, columns - first);
      if (count == width) {
        std::memcpy(to, row + first, sizeof(T) * width);
      } else {
        std::fill(std::copy_n(row + first, count, to), to + width, T(0));
      }
    }
  }
}

// Multiplies `rows` rows of the left operand by `width` columns of a panel, into `to`.
template <class T>
[[gnu::always_inline]] inline void multiply_tile(const T* lhs, std::int64_t rows, const T* panel,
                                                 std::int64_t width, const Product& size, T* to) {
  using Vector = typename VectorOf<T>::Type;
  constexpr std::int64_t lanes = VectorOf<T>::size;
  const T* row[tile_rows];
  for (std::int64_t i = 0; i < tile_rows; ++i) row[i] = lhs + std::min(i, rows - 1) * size.depth;
  Vector sums[tile_rows] = {};
  for (std::int64_t k = 0; k < size.depth; ++k) {
    Vector columns;
    std::memcpy(&columns, panel + k * lanes, sizeof(columns));
    sums[0] += row[0][k] * columns;
    sums[1] += row[1][k] * columns;
    sums[2] += row[2][k] * columns;
    sums[3] += row[3][k] * columns;
  }
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t j = 0; j < width; ++j) to[i * size.columns + j] = sums[i][j];
  }
}

// `panels` has room for block_panels panels.
template <class T>
[[gnu::always_inline]] inline void multiply_here(const T* lhs, const T* rhs, T* to,
                                                 const Product& size, T* panels) {
  constexpr std::int64_t lanes = VectorOf<T>::size, block = block_panels * lanes;
  for (std::int64_t first = 0; first < size.columns; first += block) {
    const std::int64_t end = std::min(size.columns, first + block);
    pack_panels(rhs, size, first, panels);
    for (std::int64_t row = 0; row < size.rows; row += tile_rows) {
      const std::int64_t rows = std::min(tile_rows, size.rows - row);
      for (std::int64_t column = first; column < end; column += lanes) {
        multiply_tile(lhs + row * size.depth, rows, panels + (column - first) * size.depth,
                      std::min(lanes, end - column), size, to + row * size.columns + column);
      }
    }
  }
}

#ifdef __x86_64__
// The same with AVX2, but without FMA, so that the results have the same bits.
template <class T>
[[gnu::target("avx2")]] void multiply_with_avx2(const T* lhs, const T* rhs, T* to,
                                                const Product& size, T* panels) {
  multiply_here(lhs, rhs, to, size, panels);
}
#endif

template <class T>
void multiply(const T* lhs, const T* rhs, T* to, const Product& size, T* panels) {
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx2")) return multiply_with_avx2(lhs, rhs, to, size, panels);
#endif
  multiply_here(lhs, rhs, to, size, panels);
}

// Integers are computed without sign, where overflow is defined to wrap.
template <class T>
struct Unsigned {
  using Type = T;
};
template <std::integral T>
struct Unsigned<T> {
  using Type = std::make_unsigned_t<T>;
};

// Operands with the axes batch, rows, depth and batch, depth, columns.
template <class T>
Array multiply_batches(const Array& lhs, const Array& rhs, std::int64_t batches,
                       const Product& size, const Sizes& shape, Where where) {
  using Wrapping = typename Unsigned<T>::Type;
  const Array x = computed<T>(lhs, where), y = computed<T>(rhs, where);
  const Array result = make_dense(lhs.dtype, shape, where);
  const Array products = lhs.dtype == dtype_of<T> ? result : make_dense(dtype_of<T>, shape, where);
  const Array panels =
      make_dense(dtype_of<T>, {block_panels, size.depth, VectorOf<T>::size}, where);
  for (std::int64_t batch = 0; batch < batches; ++batch) {
    multiply(reinterpret_cast<const Wrapping*>(x.data()) + batch * size.rows * size.depth,
             reinterpret_cast<const Wrapping*>(y.data()) + batch * size.depth * size.columns,
             reinterpret_cast<Wrapping*>(products.data()) + batch * size.rows * size.columns, size,
             reinterpret_cast<Wrapping*>(panels.data()));
  }
  if (lhs.dtype != dtype_of<T>) {
    store(lhs.dtype, reinterpret_cast<const T*>(products.data()), count(shape), result.data());
  }
  return result;
}

}  // namespace detail

SINTER_INLINE Array dot_general(const Array& lhs, const Array& rhs, const PairedAxes& axes,
                                Where where) {
  const std::size_t batch = axes.lhs_batch.size(), contract = axes.lhs_contract.size();
  Sizes lhs_order = axes.lhs_batch, rhs_order = axes.rhs_batch;
  detail::append_free(lhs_order, lhs.shape.size(), axes.lhs_batch, axes.lhs_contract);
  detail::append(lhs_order, axes.lhs_contract);
  detail::append(rhs_order, axes.rhs_contract);
  detail::append_free(rhs_order, rhs.shape.size(), axes.rhs_batch, axes.rhs_contract);
  const Array x = detail::reordered(lhs, lhs_order), y = detail::reordered(rhs, rhs_order);
  const std::size_t rows = x.shape.size() - batch - contract;
  const std::size_t columns = y.shape.size() - batch - contract;
  Sizes shape(x.shape.begin(), x.shape.begin() + batch + rows);
  for (std::size_t axis = batch + contract; axis < y.shape.size(); ++axis) {
    shape.push_back(y.shape[axis]);
  }
  const detail::Product size{detail::extent_of(x, batch, rows),
                             detail::extent_of(x, batch + rows, contract),
                             detail::extent_of(y, batch + contract, columns)};
  // Floating-point sums accumulate in f64, in order, and are rounded once, like Op::sum.
  return visit_computed(lhs.dtype, [&]<class T>(T) {
    using Sum = std::conditional_t<std::is_floating_point_v<T>, double, T>;
    return detail::multiply_batches<Sum>(x, y, detail::extent_of(x, 0, batch), size, shape, where);
  });
}

}  // namespace sinter::inline SINTER_ABI::detail::runtime::interpreter
