#pragma once

#include <sinter/codegen/cpp/window/strip.hpp>
#include <sinter/schedule/loop/nest.hpp>
#include <sinter/symbol/solve/variables.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

SINTER_INLINE std::int64_t WindowStrip::line_step() const {
  return lines.empty() ? 0 : coefficient_of(axes[0].value, lines[0].variable)->number();
}

SINTER_INLINE std::int64_t WindowStrip::image_lines(std::int64_t count) const {
  return lines.empty() ? 1 : axes[0].count - line_step() * (all_lines() - count);
}

SINTER_INLINE Extent WindowStrip::image_index() const {
  return lines.empty() ? along().value : axes[0].value * along().count + along().value;
}

namespace detail {

SINTER_INLINE std::int64_t spread_over_sets(std::int64_t elements, std::int64_t size) {
  const std::int64_t line = 64 / size;
  return (elements + 2 * line - 1) / (2 * line) * (2 * line) + line;
}

SINTER_INLINE void stage_images(PieceKernel& piece, const ProductDecision& how,
                                const WindowStrip& strip, Extent plane) {
  const Vector<Extent> places = places_of(how.kernel, strip.axes);
  if (!strip.lines.empty()) {
    const Loop lines{places[0], strip.axes[0].count};
    plane += (places[0] - piece.add(lines, LoopRange::part)) * strip.along().count;
  }
  piece.add({places.back(), strip.along().count}, LoopRange::whole);
  const ValueId value = piece.copy(how.kernel, {how.left_value}, -1, 0)[0];
  for (Instruction& one : piece.kernel.instructions) {
    schedule::for_each_extent(one,
                              [&](Extent& extent) { extent = placed(extent, strip.axes, places); });
  }
  piece.store(value, plane + places.back());
}

}  // namespace detail

}  // namespace sinter::inline SINTER_ABI::detail::codegen
