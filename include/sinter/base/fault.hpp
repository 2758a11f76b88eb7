#pragma once
// What a kernel notes when the data is at fault: an index outside of its axis.

#include <cstdint>  // std::int64_t

#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI {

/// Written by generated kernels, so the layout is fixed: three 64-bit integers. The first fault of
/// a call wins.
struct Fault {
  std::int64_t number = 0;  ///< 1 + the position of the bind in its kernel; 0 if there is none.
  std::int64_t index = 0;   ///< The index that was found, ...
  std::int64_t bound = 0;   ///< ... where -bound <= index < bound was needed.
};

}  // namespace sinter::inline SINTER_ABI
