#pragma once

#include <string_view>  // std::string_view

#include <sinter/trace/core/cast.hpp>
#include <sinter/trace/functional/pixel_shuffle.hpp>
#include <sinter/trace/ops/movement/movement.hpp>

namespace sinter::inline SINTER_ABI {

namespace detail {

SINTER_INLINE void require_pixels(std::string_view op, const Operand& x, std::int64_t factor) {
  if (factor < 1) {
    throw ValueError({.op = op,
                      .what = "the factor is below 1",
                      .facts = {{"x", to_string(x)}, {"factor", text(factor)}},
                      .rule = "factor >= 1",
                      .fix = "use pixel_shuffle to enlarge, pixel_unshuffle to reduce",
                      .where = x.where});
  }
  if (x.shape().size() >= 3) return;
  throw ShapeError({.op = op,
                    .what = "the input has no channels",
                    .facts = {{"x", to_string(x)}},
                    .rule = "x is (..., channels, height, width)",
                    .fix = "unsqueeze the axes that are missing",
                    .where = x.where});
}

// Throws unless `divisor` divides `extent`.
SINTER_INLINE void require_divisible(std::string_view op, const Operand& x, Extent extent,
                                     std::int64_t divisor, std::string_view rule) {
  if (divides(divisor, extent, x.where)) return;
  throw ShapeError({.op = op,
                    .what = "the factor does not divide the input",
                    .facts = {{"x", to_string(x)}, {"divisor", text(divisor)}},
                    .rule = rule,
                    .fix = "pad the input, or use another factor",
                    .where = x.where});
}

}  // namespace detail

SINTER_INLINE Tensor pixel_shuffle(Operand x, std::int64_t upscale_factor) {
  const Where at = x.where;
  const detail::PublicCall call("pixel_shuffle", at);
  detail::require_pixels("pixel_shuffle", x, upscale_factor);
  const std::int64_t f = upscale_factor;
  const Shape from = x.shape();
  const int rank = from.size(), batch = rank - 3;
  detail::require_divisible("pixel_shuffle", x, from[batch], f * f, "channels % factor^2 == 0");
  Shape parted, result;
  std::vector<int> order;
  for (int i = 0; i < batch; ++i) {
    parted.push_back(from[i]), result.push_back(from[i]), order.push_back(i);
  }
  const Extent channels = floor_div(from[batch], f * f);
  for (const Extent& extent : Shape{channels, f, f, from[rank - 2], from[rank - 1]}) {
    parted.push_back(extent);
  }
  for (const int axis : {0, 3, 1, 4, 2}) order.push_back(batch + axis);
  for (const Extent& extent : Shape{channels, from[rank - 2] * f, from[rank - 1] * f}) {
    result.push_back(extent);
  }
  return reshape({permute({reshape(x, parted), at}, order), at}, result);
}

SINTER_INLINE Tensor pixel_unshuffle(Operand x, std::int64_t downscale_factor) {
  const Where at = x.where;
  const detail::PublicCall call("pixel_unshuffle", at);
  detail::require_pixels("pixel_unshuffle", x, downscale_factor);
  const std::int64_t f = downscale_factor;
  const Shape from = x.shape();
  const int rank = from.size(), batch = rank - 3;
  for (const int axis : {rank - 2, rank - 1}) {
    detail::require_divisible("pixel_unshuffle", x, from[axis], f,
                              "height % factor == 0 and width % factor == 0");
  }
  const Extent height = floor_div(from[rank - 2], f), width = floor_div(from[rank - 1], f);
  Shape parted, result;
  std::vector<int> order;
  for (int i = 0; i < batch; ++i) {
    parted.push_back(from[i]), result.push_back(from[i]), order.push_back(i);
  }
  for (const Extent& extent : Shape{from[batch], height, f, width, f}) parted.push_back(extent);
  for (const int axis : {0, 2, 4, 1, 3}) order.push_back(batch + axis);
  for (const Extent& extent : Shape{from[batch] * (f * f), height, width}) {
    result.push_back(extent);
  }
  return reshape({permute({reshape(x, parted), at}, order), at}, result);
}

}  // namespace sinter::inline SINTER_ABI
