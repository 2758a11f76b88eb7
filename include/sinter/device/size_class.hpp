#pragma once
// Which sizes of memory are served alike, so that freed blocks fit the next request.

#include <algorithm>  // std::max
#include <bit>        // std::bit_width
#include <cstddef>    // std::size_t

#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI {

/// Every allocation starts at a multiple of this, and its size is rounded up to it: reading a whole
/// vector at the last element stays inside.
inline constexpr std::size_t storage_alignment = 64;

inline constexpr std::size_t size_classes = 4 * 56;

/// Four classes per power of two, so that at most a fifth of a block is unused.
constexpr std::size_t size_class(std::size_t bytes) {
  const std::size_t units = (std::max(bytes, std::size_t{1}) - 1) / storage_alignment;
  if (units < 4) return units;
  const auto top = static_cast<std::size_t>(std::bit_width(units)) - 1;
  return (top - 1) * 4 + (units >> (top - 2)) - 4;
}

/// The size of the blocks of a class: the most that it serves.
constexpr std::size_t class_bytes(std::size_t index) {
  const std::size_t units = index < 4 ? index + 1 : (index % 4 + 5) << (index / 4 - 1);
  return units * storage_alignment;
}

}  // namespace sinter::inline SINTER_ABI
