#pragma once

#include <algorithm>  // std::max
#include <utility>    // std::pair

#include <sinter/base/public_call.hpp>
#include <sinter/nn/function/padding.hpp>
#include <sinter/trace/core/cast.hpp>
#include <sinter/trace/ops/movement/movement.hpp>

namespace sinter::inline SINTER_ABI::nn::detail {

SINTER_INLINE std::vector<std::int64_t> widths_of(const Operand& x,
                                                  const std::vector<std::int64_t>& padding,
                                                  int axes) {
  const auto count = static_cast<std::size_t>(2 * axes);
  if (padding.size() == 1) return std::vector<std::int64_t>(count, padding[0]);
  if (padding.size() == count) return padding;
  throw ShapeError({.op = "pad",
                    .what = "there are not two widths for each axis",
                    .facts = {{"x", to_string(x)}, {"padding", sinter::detail::text(padding)}},
                    .rule = sinter::detail::text("one number, or ", count,
                                                 ": {before, after} of the last axis first"),
                    .fix = "write one number if all widths are alike",
                    .where = x.where});
}

SINTER_INLINE void require_spatial(const Operand& x, int axes) {
  const int rank = x.shape().size();
  if (rank == axes + 1 || rank == axes + 2) return;
  throw ShapeError(
      {.op = "pad",
       .what = "the input has the wrong rank",
       .facts = {{"x", to_string(x)}},
       .rule = sinter::detail::text("x is (batch, channels, ", axes,
                                    " spatial axes) or (channels, ", axes, " spatial axes)"),
       .fix = "use pad(x, widths, mode) for other axes",
       .where = x.where});
}

SINTER_INLINE Tensor pad_last(const Operand& x, const std::vector<std::int64_t>& padding, int axes,
                              PadMode mode, double value) {
  const Where at = x.where;
  const sinter::detail::PublicCall call("pad", at);
  require_spatial(x, axes);
  const std::vector<std::int64_t> list = widths_of(x, padding, axes);
  const int rank = x.shape().size();
  std::vector<std::pair<Extent, Extent>> widths(static_cast<std::size_t>(rank), {0, 0});
  Tensor result = x.tensor();
  for (int i = 0; i < axes; ++i) {
    const auto place = static_cast<std::size_t>(2 * i);
    const std::int64_t before = list[place], after = list[place + 1];
    const int axis = rank - 1 - i;
    widths[static_cast<std::size_t>(axis)] = {std::max<std::int64_t>(before, 0),
                                              std::max<std::int64_t>(after, 0)};
    if (before >= 0 && after >= 0) continue;
    const std::int64_t start = std::max<std::int64_t>(-before, 0);
    result =
        slice({result, at}, axis, start, result.shape()[axis] - std::max<std::int64_t>(-after, 0));
  }
  return mode == PadMode::constant ? pad({result, at}, widths, {value, at})
                                   : pad({result, at}, widths, mode);
}

}  // namespace sinter::inline SINTER_ABI::nn::detail
