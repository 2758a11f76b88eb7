#pragma once
// The record that a kernel writes for a data error: an index out of range, or a divisor of 0.

#include <cstdint>  // std::int64_t

#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail {

/// Written by generated kernels, so the layout is fixed: six 64-bit integers. The fault of the
/// first check wins, and for that check the first element, so that the report does not depend on
/// the number of threads.
struct Fault {
  std::int64_t number = 0;    ///< 1 + the position of the check in its kernel; 0 if there is none.
  std::int64_t value = 0;     ///< The index that was found; 0 of a divisor.
  std::int64_t bound = 0;     ///< -bound <= index < bound was needed.
  std::int64_t position = 0;  ///< Of the element, counted in row-major order.
  std::int64_t lock = 0;      ///< Held by the thread that writes.
  std::int64_t ended = 0;  ///< Threads that have completed their part of a kernel with a finalizer.
};

/// Subtracted from an index that must not count from the end: it is then out of every range, and
/// the report adds it back.
inline constexpr std::int64_t refused_index = std::int64_t{1} << 62;

}  // namespace sinter::inline SINTER_ABI::detail
