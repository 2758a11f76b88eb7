#pragma once

#include <algorithm>  // std::min
#include <cstddef>    // std::size_t

#include <sinter/base/container/vector.hpp>
#include <sinter/dist/collective/reduce.hpp>

namespace sinter::inline SINTER_ABI {

SINTER_INLINE std::string_view dist::to_string(Reduce reduce) {
  constexpr std::string_view names[]{"sum", "mean", "min", "max"};
  return names[static_cast<std::size_t>(reduce)];
}

namespace detail::collective {

// The elements of a block, which stays in the cache between the levels of the tree.
inline constexpr std::int64_t reduced_at_once = 2048;

template <class T>
T larger(T a, T b) {
  return a != a || a > b ? a : b;
}
template <class T>
T smaller(T a, T b) {
  return a != a || a < b ? a : b;
}

// x[i] = combine(x[i], y[i])
template <class T, class Combine>
void combine_into(T* x, const T* y, std::int64_t count, Combine combine) {
  for (std::int64_t i = 0; i < count; ++i) x[i] = static_cast<T>(combine(x[i], y[i]));
}

template <class T>
void combine_into(dist::Reduce reduce, T* x, const T* y, std::int64_t count) {
  if (reduce == dist::Reduce::min) return combine_into(x, y, count, smaller<T>);
  if (reduce == dist::Reduce::max) return combine_into(x, y, count, larger<T>);
  if constexpr (std::is_same_v<T, bool>) {
    combine_into(x, y, count, larger<T>);
  } else if constexpr (std::is_integral_v<T>) {  // overflow wraps
    using Unsigned = std::make_unsigned_t<T>;
    combine_into(x, y, count, [](T a, T b) {
      return static_cast<Unsigned>(static_cast<Unsigned>(a) + static_cast<Unsigned>(b));
    });
  } else {
    combine_into(x, y, count, [](T a, T b) { return a + b; });
  }
}

// Reduces parts with elements of type T block by block; it adds in the type Wide.
template <class T, class Wide>
class PartsReducer {
 public:
  PartsReducer(dist::Reduce reduce, Span<const void* const> parts)
      : reduce_(reduce), parts_(parts), rows_(parts.size() * reduced_at_once) {}

  void run(void* result, std::int64_t count) {
    for (std::int64_t begin = 0; begin < count; begin += reduced_at_once) {
      block(static_cast<T*>(result), begin, std::min(reduced_at_once, count - begin));
    }
  }

 private:
  Wide* row(std::size_t part) { return rows_.data() + part * reduced_at_once; }

  void block(T* result, std::int64_t begin, std::int64_t count) {
    for (std::size_t part = 0; part < parts_.size(); ++part) {
      const T* const from = static_cast<const T*>(parts_[part]) + begin;
      std::copy(from, from + count, row(part));
    }
    for (std::size_t step = 1; step < parts_.size(); step *= 2) {
      for (std::size_t part = 0; part + step < parts_.size(); part += 2 * step) {
        combine_into(reduce_, row(part), row(part + step), count);
      }
    }
    const Wide* const total = row(0);
    if constexpr (std::is_floating_point_v<Wide>) {
      if (reduce_ == dist::Reduce::mean) {
        const Wide divisor = static_cast<Wide>(parts_.size());
        for (std::int64_t i = 0; i < count; ++i) result[begin + i] = T(total[i] / divisor);
        return;
      }
    }
    for (std::int64_t i = 0; i < count; ++i) result[begin + i] = T(total[i]);
  }

  dist::Reduce reduce_;
  Span<const void* const> parts_;
  Vector<Wide> rows_;
};

SINTER_INLINE void reduce_parts(dist::Reduce reduce, DType dtype, Span<const void* const> parts,
                                void* result, std::int64_t count) {
  visit_dtype(dtype, [&]<class T>(T) {
    constexpr bool is_narrow = std::is_same_v<T, half> || std::is_same_v<T, bfloat16>;
    using Wide = std::conditional_t<is_narrow, float, T>;
    PartsReducer<T, Wide>(reduce, parts).run(result, count);
  });
}

}  // namespace detail::collective

}  // namespace sinter::inline SINTER_ABI
