#pragma once

#include <string>  // std::string

#include <sinter/trace/core/recorder.hpp>
#include <sinter/trace/ops/movement/concatenate.hpp>
#include <sinter/trace/ops/movement/movement.hpp>
#include <sinter/trace/ops/movement/pad.hpp>

namespace sinter::inline SINTER_ABI {

namespace detail {

[[noreturn]] SINTER_INLINE void throw_short(const Tensor& x, int axis, Extent width, PadMode mode,
                                            Where where) {
  const char* rule = mode == PadMode::reflect    ? "reflect: a width is below the extent"
                     : mode == PadMode::circular ? "circular: a width is at most the extent"
                                                 : "replicate: there is an element to repeat";
  throw ShapeError({.op = "pad",
                    .what = "an axis has too few elements for what is around it",
                    .facts = {{"x", to_string(x)},
                              {"axis", text(axis)},
                              {"width", to_string(concrete({width})[0])}},
                    .rule = rule,
                    .fix = "pad less, or twice",
                    .where = where});
}

SINTER_INLINE void require_elements(const Tensor& x, int axis, Extent width, PadMode mode,
                                    Where where) {
  if (is_size(width, 0, where)) return;
  const Extent size = x.shape()[axis];
  const Extent needed = mode == PadMode::reflect    ? width + 1
                        : mode == PadMode::circular ? width
                                                    : Extent(1);
  if (LocatedExtent{size, where} < needed) throw_short(x, axis, width, mode, where);
}

// The padding before or after `axis`.
SINTER_INLINE Tensor border(const Tensor& x, int axis, Extent width, bool in_front, PadMode mode,
                            Where where) {
  const Extent size = x.shape()[axis];
  if (mode == PadMode::circular) {
    return part(x, axis, in_front ? size - width : Extent(0), width, where);
  }
  if (mode == PadMode::reflect) {
    const Extent start = in_front ? Extent(1) : size - 1 - width;
    return flip({part(x, axis, start, width, where), where}, axis);
  }
  const Tensor edge = part(x, axis, in_front ? Extent(0) : size - 1, 1, where);
  Shape shape = x.shape();
  shape[axis] = width;
  return expand({edge, where}, shape);
}

}  // namespace detail

SINTER_INLINE Tensor pad(Operand x, std::vector<std::pair<Extent, Extent>> widths, PadMode mode) {
  const detail::PublicCall call("pad", x.where);
  if (mode == PadMode::constant) return pad(x, std::move(widths));
  const Where where = x.where;
  Tensor result = x.tensor();
  detail::require_widths(result, widths, where);
  for (int axis = 0; axis < result.ndim(); ++axis) {
    const auto [before, after] = widths[static_cast<std::size_t>(axis)];
    detail::require_elements(result, axis, before, mode, where);
    detail::require_elements(result, axis, after, mode, where);
    std::vector<Tensor> parts;
    const bool in_front = !detail::same(before, Extent(0)),
               behind = !detail::same(after, Extent(0));
    if (in_front) parts.push_back(detail::border(result, axis, before, true, mode, where));
    parts.push_back(result);
    if (behind) parts.push_back(detail::border(result, axis, after, false, mode, where));
    if (parts.size() > 1) result = concatenate({parts, where}, axis);
  }
  return result;
}

}  // namespace sinter::inline SINTER_ABI
