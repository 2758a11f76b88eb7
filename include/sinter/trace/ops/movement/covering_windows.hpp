#pragma once
// The windows that have an element, for gradients of convolutions and pools.

#include <cstdint>  // std::int64_t

#include <sinter/config.hpp>
#include <sinter/trace/ops/movement/window.hpp>

namespace sinter::inline SINTER_ABI::detail {

/// The windows that the elements of an axis of `size` elements are in, of `count` windows along
/// `axis`. Element q * step + r may be in the windows q - low + v, for each v below the size of the
/// result. In such a window it is element r + step * (size - 1 - v) - skipped, if there is one.
///
/// Requires   no dilation
struct CoveringWindows {
  WindowAxis axis{};         ///< Along the windows.
  std::int64_t steps = 0;    ///< How many values q has.
  std::int64_t skipped = 0;  ///< Elements before the first one of a window.
};
CoveringWindows covering_windows(const WindowAxis& axis, std::int64_t size, std::int64_t count);

}  // namespace sinter::inline SINTER_ABI::detail

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/ops/movement/covering_windows.ipp>
#endif
