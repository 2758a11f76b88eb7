#pragma once
// The windows that cover an element, for gradients of convolutions and pools.

#include <cstdint>  // std::int64_t

#include <sinter/config.hpp>
#include <sinter/trace/ops/movement/window.hpp>

namespace sinter::inline SINTER_ABI::detail {

/// Which of `count` windows along `axis` cover each of the `size` elements of an axis. Let low and
/// size be those of the result, and step that of `axis`. Element q * step + r can only be in the
/// windows q - low + v with 0 <= v < size. Window q - low + v covers it if that window exists and
/// has an element r + step * (size - 1 - v) - skipped, which it then is.
///
/// Requires   no dilation
struct CoveringWindows {
  WindowAxis axis{};         ///< Of windows over the `count` windows.
  std::int64_t steps = 0;    ///< How many values q has.
  std::int64_t skipped = 0;  ///< Elements before the first one of a window.
};
CoveringWindows covering_windows(const WindowAxis& axis, std::int64_t size, std::int64_t count);

}  // namespace sinter::inline SINTER_ABI::detail

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/ops/movement/covering_windows.ipp>
#endif
