#pragma once
// Size classes of the allocators, so that freed blocks fit later requests.

#include <bit>      // std::bit_width
#include <cstddef>  // std::size_t

#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail {

/// The alignment of every allocation; sizes are rounded up to it, so that reading a whole vector at
/// the last element stays inside.
inline constexpr std::size_t storage_alignment = 64;

// Blocks of 2 MiB or more have their own pages, and finer classes.
inline constexpr std::size_t large_units = std::size_t{1} << 15;
inline constexpr std::size_t first_large_class = 56;
inline constexpr std::size_t large_classes = 16;  // per power of two
inline constexpr std::size_t size_classes = first_large_class + large_classes * 28;

/// Four classes per power of two, so that at most 1/5 of a block is unused; sixteen for large
/// blocks, so that at most 1/17 is unused.
constexpr std::size_t size_class(std::size_t bytes) {
  const std::size_t units = (bytes == 0 ? 0 : bytes - 1) / storage_alignment;
  if (units < 4) return units;
  const auto top = static_cast<std::size_t>(std::bit_width(units)) - 1;
  if (units < large_units) return (top - 1) * 4 + (units >> (top - 2)) - 4;
  return first_large_class + (top - 15) * large_classes + (units >> (top - 4)) - large_classes;
}

/// The block size of a class, the largest request that it serves.
constexpr std::size_t class_bytes(std::size_t index) {
  if (index < 4) return (index + 1) * storage_alignment;
  if (index < first_large_class) return ((index % 4 + 5) << (index / 4 - 1)) * storage_alignment;
  const std::size_t large = index - first_large_class;
  return ((large % large_classes + 17) << (large / large_classes + 11)) * storage_alignment;
}

/// The last class whose blocks may also serve requests of class `index`; at most 1/5 of a block is
/// then unused.
constexpr std::size_t last_class_for(std::size_t index) {
  if (index < first_large_class) return index;
  return index + 4 < size_classes ? index + 4 : size_classes - 1;
}

}  // namespace sinter::inline SINTER_ABI::detail
