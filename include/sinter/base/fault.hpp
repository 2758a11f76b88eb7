#pragma once
// What a kernel notes when the data is at fault: an index outside of its axis, a divisor that is 0.

#include <cstdint>  // std::int64_t

#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail {

/// Written by generated kernels, so the layout is fixed: six 64-bit integers. Of the faults of a
/// kernel the first check wins, and of its faults that of the first element, so that what is
/// reported does not depend on the number of threads.
struct Fault {
  std::int64_t number = 0;    ///< 1 + the position of the check in its kernel; 0 if there is none.
  std::int64_t value = 0;     ///< The index that was found; 0 of a divisor.
  std::int64_t bound = 0;     ///< -bound <= index < bound was needed.
  std::int64_t position = 0;  ///< Of the element, counted in row-major order.
  std::int64_t lock = 0;      ///< Held by the thread that writes.
  std::int64_t ended = 0;     ///< Threads that have done their part of a kernel that has a finish.
};

/// Subtracted from an index that must not count from the end, or stands for none: it is out of
/// every range then, and the report names what it was before.
inline constexpr std::int64_t refused_index = std::int64_t{1} << 62;

}  // namespace sinter::inline SINTER_ABI::detail
