#pragma once
// The helpers of generated C++ for matrix products: tiles of sums that stay in registers.

#include <array>        // std::array
#include <string>       // std::string
#include <string_view>  // std::string_view

#include <sinter/codegen/helper.hpp>
#include <sinter/codegen/helper_text.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::codegen {

/// The text of "multiply_6x4_f32x16", where `name` is "multiply_6x4": it adds to a tile of 6 rows
/// and 4 vectors, or starts one unless there is `more` of it,
///
///     sums[i * pitch + j] = sum over k of left[i * row + k * step] * right[k * width + j]
///
/// in the order of k. Only the first `height` rows of `left` are read; those of `sums` behind them
/// are written, with what nobody needs. "multiply_rounded_6x4" rounds each product before it adds
/// it. Empty if `name` is no such name.
std::string multiply_tile(std::string_view name, const Laned& type);

namespace detail {

inline constexpr std::array<Helper, 4> cpp_product_helpers{{
    {"least", "", Lanes::any, R"(INLINE long least(long a, long b) { return a < b ? a : b; })"},
    {"Part", "", Lanes::any,
     R"(// What one of the threads does of a product: of its batches if there are enough of
// them, else of its longer side.
struct Part {
  long batch = 0, batches, row = 0, rows, column = 0, columns;
  Part(long all, long height, long high, long width, long wide, long thread, long threads)
      : batches(all), rows(height), columns(width) {
    const bool by_rows = (height + high - 1) / high > (width + wide - 1) / wide;
    long &first = all >= threads ? batch : by_rows ? row : column;
    long &last = all >= threads ? batches : by_rows ? rows : columns;
    const long extent = last, step = all >= threads ? 1 : by_rows ? high : wide;
    first = share(extent, step, thread, threads);
    last = share(extent, step, thread + 1, threads);
  }
};)"},
    {"multiply_rows", "i8 i16 u8 i32 i64 f32 f64", Lanes::vector,
     R"(// Few rows of sums, from the rows of `right`, four at a time, where they are.
static __attribute__((noinline)) void multiply_rows_$S($E* sums, long pitch, const $E* left,
    long row, long step, long height, const $E* right, long stride, long width, long depth) {
  for (long i = 0; i < height; ++i) {
    for (long j = 0; j < width; j += $N) store_$S(sums + i * pitch + j, ($T){});
  }
  long k = 0;
  for (; k + 4 <= depth; k += 4, right += 4 * stride) {
    for (long i = 0; i < height; ++i) {
      const $E* const a = left + i * row + k * step;
      const $E* const next = right + (height > 1 ? 4 + i % 4 : 0) * stride;
      $E* const s = sums + i * pitch;
      const $T a0 = splat_$S(a[0]), a1 = splat_$S(a[step]);
      const $T a2 = splat_$S(a[2 * step]), a3 = splat_$S(a[3 * step]);
      long j = 0;
      for (; j + $N <= width; j += $N) {
        const $E* const b = right + j;
        __builtin_prefetch(next + j);
        $T c = load_$S(s + j) + a0 * load_$S(b);
        c = c + a1 * load_$S(b + stride);
        c = c + a2 * load_$S(b + 2 * stride);
        store_$S(s + j, c + a3 * load_$S(b + 3 * stride));
      }
      if (j < width) {
        const $E* const b = right + j;
        const long rest = width - j;
        $T c = load_$S(s + j) + a0 * load_part_$S(rest, b);
        c = c + a1 * load_part_$S(rest, b + stride);
        c = c + a2 * load_part_$S(rest, b + 2 * stride);
        store_$S(s + j, c + a3 * load_part_$S(rest, b + 3 * stride));
      }
    }
  }
  for (; k < depth; ++k, right += stride) {
    for (long i = 0; i < height; ++i) {
      $E* const s = sums + i * pitch;
      const $T a = splat_$S(left[i * row + k * step]);
      long j = 0;
      for (; j + $N <= width; j += $N) store_$S(s + j, load_$S(s + j) + a * load_$S(right + j));
      if (j < width) {
        store_$S(s + j, load_$S(s + j) + a * load_part_$S(width - j, right + j));
      }
    }
  }
})"},
    {"multiply_dots", "i8 i16 u8 i32 i64 f32 f64", Lanes::vector,
     R"(// Few rows of sums, each that of the lanes of a row of `left` times a column of `right`,
// both of which lie along the depth: four rows and two columns at a time, of the depth so much
// that the rows stay near.
static __attribute__((noinline)) void multiply_dots_$S($E* sums, long pitch, const $E* left,
    long row, long height, const $E* right, long stride, long width, long depth) {
  const long most = height > 2 ? 16384 / (long)sizeof($E) / height / $N * $N : depth;
  long from = 0;
  do {
    const long to = depth - from > most ? from + most : depth;
    for (long j = 0; j < width; j += 2) {
      const $E* const b0 = right + j * stride;
      const $E* const b1 = b0 + (j + 1 < width ? stride : 0);
      for (long i = 0; i < height; i += 4) {
        const $E* const a0 = left + i * row;
        const $E* const a1 = a0 + (i + 1 < height ? row : 0);
        const $E* const a2 = a1 + (i + 2 < height ? row : 0);
        const $E* const a3 = a2 + (i + 3 < height ? row : 0);
        $T c00 = {}, c01 = {}, c10 = {}, c11 = {}, c20 = {}, c21 = {}, c30 = {}, c31 = {};
        long k = from;
        for (; k + $N <= to; k += $N) {
          const $T b = load_$S(b0 + k), d = load_$S(b1 + k);
          __builtin_prefetch(b0 + k + 2 * stride), __builtin_prefetch(b1 + k + 2 * stride);
          const $T w = load_$S(a0 + k), x = load_$S(a1 + k);
          const $T y = load_$S(a2 + k), z = load_$S(a3 + k);
          c00 = c00 + w * b, c01 = c01 + w * d, c10 = c10 + x * b, c11 = c11 + x * d;
          c20 = c20 + y * b, c21 = c21 + y * d, c30 = c30 + z * b, c31 = c31 + z * d;
        }
        if (k < to) {
          const long rest = to - k;
          const $T b = load_part_$S(rest, b0 + k), d = load_part_$S(rest, b1 + k);
          const $T w = load_part_$S(rest, a0 + k), x = load_part_$S(rest, a1 + k);
          const $T y = load_part_$S(rest, a2 + k), z = load_part_$S(rest, a3 + k);
          c00 = c00 + w * b, c01 = c01 + w * d, c10 = c10 + x * b, c11 = c11 + x * d;
          c20 = c20 + y * b, c21 = c21 + y * d, c30 = c30 + z * b, c31 = c31 + z * d;
        }
        $E* s = sums + i * pitch + j;
        const $T all[4][2] = {{c00, c01}, {c10, c11}, {c20, c21}, {c30, c31}};
        for (long at = 0; at < 4 && i + at < height; ++at, s += pitch) {
          s[0] = (from > 0 ? s[0] : 0) + sum_lanes_$S(all[at][0]);
          s[1] = (from > 0 ? s[1] : 0) + sum_lanes_$S(all[at][1]);
        }
      }
    }
    from = to;
  } while (from < depth);
})"},
}};

}  // namespace detail

}  // namespace sinter::inline SINTER_ABI::codegen

#ifdef SINTER_DEFINITIONS
#include <sinter/codegen/cpp_product.ipp>
#endif
