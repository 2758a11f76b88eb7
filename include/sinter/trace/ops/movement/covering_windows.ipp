#pragma once

#include <sinter/trace/ops/movement/covering_windows.hpp>

namespace sinter::inline SINTER_ABI::detail {

SINTER_INLINE CoveringWindows covering_windows(const WindowAxis& axis, std::int64_t size,
                                               std::int64_t count) {
  const auto steps = [&](std::int64_t elements) {
    return floor_div(Extent(elements), axis.step).number();
  };
  const std::int64_t first = steps(axis.low - axis.size + axis.step);
  const std::int64_t last = steps(axis.low + axis.step - 1);
  CoveringWindows result;
  result.steps = steps(size + axis.step - 1);
  result.axis = {.size = last - first + 1, .low = -first, .high = result.steps + last - count};
  result.skipped = axis.step * last - axis.low;
  return result;
}

}  // namespace sinter::inline SINTER_ABI::detail
