#pragma once
// The strip of an image: the lines that some lines of windows need, padded, in memory of a thread.

#include <cstdint>  // std::int64_t

#include <sinter/base/container/vector.hpp>
#include <sinter/codegen/cpp/nest/window_axes.hpp>
#include <sinter/codegen/cpp/product/decision.hpp>
#include <sinter/codegen/text/piece_kernel.hpp>
#include <sinter/config.hpp>
#include <sinter/schedule/loop/nest.hpp>
#include <sinter/symbol/solve/variables.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

/// The points at which windows begin, and the axes of the image that they read.
struct WindowStrip {
  Vector<Loop> lines{};               ///< The loop over lines of points, if there is one.
  Loop line{};                        ///< The loop over the points of a line.
  Vector<detail::WindowAxis> axes{};  ///< Across the lines, if there are any, and along a line.

  const detail::WindowAxis& along() const { return axes.back(); }
  std::int64_t points() const { return line.extent.number(); }
  std::int64_t all_lines() const { return lines.empty() ? 1 : lines[0].extent.number(); }

  /// How many lines of the image lie between one line of points and the next.
  std::int64_t line_step() const {
    return lines.empty() ? 0 : coefficient_of(axes[0].value, lines[0].variable)->number();
  }

  /// The number of lines of the image that `count` lines of points need.
  std::int64_t image_lines(std::int64_t count) const {
    return lines.empty() ? 1 : axes[0].count - line_step() * (all_lines() - count);
  }

  /// The index of an element in an image of the strip, in terms of the loops of the kernel.
  Extent image_index() const {
    return lines.empty() ? along().value : axes[0].value * along().count + along().value;
  }
};

namespace detail {

/// The pitch of planes that have `elements` of `size` bytes each: an odd number of cache lines, so
/// that the planes start in different sets of a cache.
inline std::int64_t spread_over_sets(std::int64_t elements, std::int64_t size) {
  const std::int64_t line = 64 / size;
  return (elements + 2 * line - 1) / (2 * line) * (2 * line) + line;
}

/// Completes `piece`, which stages the images of a strip: it gets the first and the last line of
/// the image, if there are lines, and stores an image from `plane` on.
inline void stage_images(PieceKernel& piece, const ProductDecision& how, const WindowStrip& strip,
                         Extent plane) {
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
