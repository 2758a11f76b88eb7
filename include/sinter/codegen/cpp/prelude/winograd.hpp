#pragma once
// Helpers of generated C++ for convolutions by Winograd's algorithm F(2x2, 3x3): the transforms of
// weights, of input tiles, and of their products. [Lavin, Gray, Fast Algorithms for
// Convolutional Neural Networks, 2016]

#include <array>  // std::array

#include <sinter/codegen/text/helper.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen::detail {

inline constexpr std::array<Helper, 7> cpp_winograd_helpers{{
    {"winograd_weights", "f32", Lanes::vector,
     R"(// Turns 3 by 3 weights of each plane, of `pitch` channels, into 4 by 4: `to` has the first
// element for all planes, then the second one, and so on.
static __attribute__((noinline)) void winograd_weights_$S($E* to, const $E* from, long planes,
                                                           long pitch) {
  const $T half = $k(f32, 0.5f);
  for (long plane = 0; plane < planes; ++plane) {
    for (long c = 0; c < pitch; c += $N) {
      $T g[4][3];
      for (int j = 0; j < 3; ++j) {
        const $T a = load_$S(from + (9 * plane + j) * pitch + c);
        const $T b = load_$S(from + (9 * plane + 3 + j) * pitch + c);
        const $T d = load_$S(from + (9 * plane + 6 + j) * pitch + c);
        g[0][j] = a, g[1][j] = half * (a + b + d), g[2][j] = half * (a - b + d), g[3][j] = d;
      }
      for (int i = 0; i < 4; ++i) {
        const $T a = g[i][0], b = g[i][1], d = g[i][2];
        const $T u[4] = {a, half * (a + b + d), half * (a - b + d), d};
        for (int j = 0; j < 4; ++j) {
          store_$S(to + ((4 * i + j) * planes + plane) * pitch + c, u[j]);
        }
      }
    }
  }
})"},
    {"winograd_row", "f32", Lanes::vector,
     R"(// The transform of one line of input tiles, which begin at every second element.
INLINE void winograd_row_$S($T* v, const $E* from) {
  const $T zero = {};
  const $T a = load_evens_$S(0, $N, from, zero), b = load_evens_$S(0, $N, from + 1, zero);
  const $T c = load_evens_$S(0, $N, from + 2, zero), d = load_evens_$S(0, $N, from + 3, zero);
  v[0] = a - c, v[1] = b + c, v[2] = c - b, v[3] = b - d;
})"},
    {"winograd_column", "f32", Lanes::vector,
     R"(INLINE void winograd_column_$S($E* to, long apart, long lanes, $T a, $T b, $T c, $T d) {
  if (lanes < $N) {
    store_part_$S(lanes, to, a - c), store_part_$S(lanes, to + 4 * apart, b + c);
    store_part_$S(lanes, to + 8 * apart, c - b), store_part_$S(lanes, to + 12 * apart, b - d);
  } else {
    store_$S(to, a - c), store_$S(to + 4 * apart, b + c);
    store_$S(to + 8 * apart, c - b), store_$S(to + 12 * apart, b - d);
  }
})"},
    {"winograd_input", "f32", Lanes::vector,
     R"(// Transforms the input tiles of a plane with lines of `width` elements: the first element
// of all tiles goes to `to`, the second one `apart` after it, and so on.
static __attribute__((noinline)) void winograd_input_$S($E* to, long apart, const $E* plane,
                                                           long width, long lines, long across) {
  for (long line = 0; line < lines; ++line, to += across, plane += 2 * width) {
    for (long next = 0; next < across; next += $N) {
      // The last vector of a line overlaps the one before.
      const long x = next + $N > across && across > $N ? across - $N : next, lanes = across - x;
      const $E* const from = plane + 2 * x;
      $T a[4], b[4], c[4], d[4];
      winograd_row_$S(a, from), winograd_row_$S(b, from + width);
      winograd_row_$S(c, from + 2 * width), winograd_row_$S(d, from + 3 * width);
      winograd_column_$S(to + x, apart, lanes, a[0], b[0], c[0], d[0]);
      winograd_column_$S(to + x + apart, apart, lanes, a[1], b[1], c[1], d[1]);
      winograd_column_$S(to + x + 2 * apart, apart, lanes, a[2], b[2], c[2], d[2]);
      winograd_column_$S(to + x + 3 * apart, apart, lanes, a[3], b[3], c[3], d[3]);
    }
  }
})"},
    {"winograd_sums", "f32", Lanes::vector,
     R"(// A column of the products of a tile: the sums for its upper and its lower points.
INLINE void winograd_sums_$S(const $E* from, long apart, $T* upper, $T* lower) {
  const $T a = load_$S(from), b = load_$S(from + 4 * apart);
  const $T c = load_$S(from + 8 * apart), d = load_$S(from + 12 * apart);
  *upper = a + b + c, *lower = b - c - d;
})"},
    {"winograd_points", "f32", Lanes::vector,
     R"(INLINE void winograd_points_$S($E* to, long pitch, bool two, const $T* v) {
  store_$S(to, v[0] + v[1] + v[2]);
  if (two) store_$S(to + pitch, v[1] - v[2] - v[3]);
})"},
    {"winograd_output", "f32", Lanes::vector,
     R"(// The output transform of `lines` lines, with `points` points in each line and `pitch`
// channels at each point. The 16 products of a tile are `apart` elements from each other.
static __attribute__((noinline)) void winograd_output_$S($E* sums, const $E* products, long apart,
                                                           long lines, long points, long pitch) {
  for (long y = 0; y < lines; y += 2) {
    for (long x = 0; x < points; x += 2, products += pitch) {
      for (long c = 0; c < pitch; c += $N) {
        $T upper[4], lower[4];
        winograd_sums_$S(products + c, apart, upper, lower);
        winograd_sums_$S(products + c + apart, apart, upper + 1, lower + 1);
        winograd_sums_$S(products + c + 2 * apart, apart, upper + 2, lower + 2);
        winograd_sums_$S(products + c + 3 * apart, apart, upper + 3, lower + 3);
        $E* const to = sums + (y * points + x) * pitch + c;
        winograd_points_$S(to, pitch, x + 1 < points, upper);
        if (y + 1 < lines) winograd_points_$S(to + points * pitch, pitch, x + 1 < points, lower);
      }
    }
  }
})"},
}};

}  // namespace sinter::inline SINTER_ABI::detail::codegen::detail
