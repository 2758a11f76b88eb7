#pragma once
// The order of numbers, by its definition.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include <sinter/base/constant.hpp>

namespace sorted {

inline bool is_less(const sinter::detail::Constant& a, const sinter::detail::Constant& b) {
  if (!sinter::detail::is_floating(a.dtype)) return a.integer() < b.integer();
  const double x = a.floating(), y = b.floating();
  return x < y || (std::isnan(y) && !std::isnan(x));
}

/// The positions of `keys` in their order; equal ones stay in theirs.
inline std::vector<std::int64_t> positions(const std::vector<sinter::detail::Constant>& keys,
                                           bool descending) {
  std::vector<std::int64_t> result(keys.size());
  std::iota(result.begin(), result.end(), 0);
  std::stable_sort(result.begin(), result.end(), [&](std::int64_t a, std::int64_t b) {
    const auto& x = keys[static_cast<std::size_t>(a)];
    const auto& y = keys[static_cast<std::size_t>(b)];
    return descending ? is_less(y, x) : is_less(x, y);
  });
  return result;
}

}  // namespace sorted
