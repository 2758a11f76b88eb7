#pragma once
// Helpers of generated C++ that transpose tiles in registers.

#include <array>        // std::array
#include <string_view>  // std::string_view

#include <sinter/codegen/text/helper.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen::detail {

inline constexpr std::array<Helper, 4> cpp_transpose_helpers{{
    {"turn", "u8 i8 i16 u16 i32 f32", Lanes::one,
     R"(// Transposes eight columns, `stride` apart, to eight rows, `step` apart.
INLINE void turn_$S($E* to, long step, const $E* from, long stride) {
  const $Sx8 a = load_$Sx8(from), b = load_$Sx8(from + stride);
  const $Sx8 c = load_$Sx8(from + 2 * stride), d = load_$Sx8(from + 3 * stride);
  const $Sx8 e = load_$Sx8(from + 4 * stride), f = load_$Sx8(from + 5 * stride);
  const $Sx8 g = load_$Sx8(from + 6 * stride), h = load_$Sx8(from + 7 * stride);
#define EVEN(x, y) __builtin_shufflevector(x, y, 0, 8, 1, 9, 4, 12, 5, 13)
#define ODD(x, y) __builtin_shufflevector(x, y, 2, 10, 3, 11, 6, 14, 7, 15)
  const $Sx8 ab = EVEN(a, b), ab2 = ODD(a, b), cd = EVEN(c, d), cd2 = ODD(c, d);
  const $Sx8 ef = EVEN(e, f), ef2 = ODD(e, f), gh = EVEN(g, h), gh2 = ODD(g, h);
#undef EVEN
#undef ODD
#define EVEN(x, y) __builtin_shufflevector(x, y, 0, 1, 8, 9, 4, 5, 12, 13)
#define ODD(x, y) __builtin_shufflevector(x, y, 2, 3, 10, 11, 6, 7, 14, 15)
  const $Sx8 p = EVEN(ab, cd), q = ODD(ab, cd), r = EVEN(ab2, cd2), s = ODD(ab2, cd2);
  const $Sx8 t = EVEN(ef, gh), u = ODD(ef, gh), v = EVEN(ef2, gh2), w = ODD(ef2, gh2);
#undef EVEN
#undef ODD
#define LOW(x, y) __builtin_shufflevector(x, y, 0, 1, 2, 3, 8, 9, 10, 11)
#define HIGH(x, y) __builtin_shufflevector(x, y, 4, 5, 6, 7, 12, 13, 14, 15)
  store_$Sx8(to, LOW(p, t));
  store_$Sx8(to + step, LOW(q, u));
  store_$Sx8(to + 2 * step, LOW(r, v));
  store_$Sx8(to + 3 * step, LOW(s, w));
  store_$Sx8(to + 4 * step, HIGH(p, t));
  store_$Sx8(to + 5 * step, HIGH(q, u));
  store_$Sx8(to + 6 * step, HIGH(r, v));
  store_$Sx8(to + 7 * step, HIGH(s, w));
#undef LOW
#undef HIGH
})"},
    {"turn", "i64 f64", Lanes::one,
     R"(// Transposes four columns, `stride` apart, to four rows, `step` apart.
INLINE void turn_$S($E* to, long step, const $E* from, long stride) {
  const $Sx4 a = load_$Sx4(from), b = load_$Sx4(from + stride);
  const $Sx4 c = load_$Sx4(from + 2 * stride), d = load_$Sx4(from + 3 * stride);
  const $Sx4 ab = __builtin_shufflevector(a, b, 0, 4, 2, 6);
  const $Sx4 ab2 = __builtin_shufflevector(a, b, 1, 5, 3, 7);
  const $Sx4 cd = __builtin_shufflevector(c, d, 0, 4, 2, 6);
  const $Sx4 cd2 = __builtin_shufflevector(c, d, 1, 5, 3, 7);
  store_$Sx4(to, __builtin_shufflevector(ab, cd, 0, 1, 4, 5));
  store_$Sx4(to + step, __builtin_shufflevector(ab2, cd2, 0, 1, 4, 5));
  store_$Sx4(to + 2 * step, __builtin_shufflevector(ab, cd, 2, 3, 6, 7));
  store_$Sx4(to + 3 * step, __builtin_shufflevector(ab2, cd2, 2, 3, 6, 7));
})"},
    {"transpose", "u8 i8 i16 u16 i32 f32", Lanes::one,
     R"(// Transposes columns, `stride` apart in memory, to rows of a tile, `step` apart.
static __attribute__((noinline)) void transpose_$S($E* tile, long step, const $E* from,
                                                   long stride, long columns, long rows) {
  long column = 0;
  for (; column + 8 <= columns; column += 8) {
    const long ahead = column + 16 <= columns ? 8 * stride : 0;
    long row = 0;
    for (; row + 8 <= rows; row += 8) {
      const $E* const next = from + column * stride + row + ahead;
      for (int i = 0; i < 8; ++i) __builtin_prefetch(next + i * stride);
      turn_$S(tile + row * step + column, step, from + column * stride + row, stride);
    }
    for (; row < rows; ++row) {
      for (long i = column; i < column + 8; ++i) tile[row * step + i] = from[i * stride + row];
    }
  }
  for (; column < columns; ++column) {
    for (long row = 0; row < rows; ++row) tile[row * step + column] = from[column * stride + row];
  }
})"},
    {"transpose", "i64 f64", Lanes::one,
     R"(// Transposes columns, `stride` apart in memory, to rows of a tile, `step` apart.
static __attribute__((noinline)) void transpose_$S($E* tile, long step, const $E* from,
                                                   long stride, long columns, long rows) {
  long column = 0;
  for (; column + 4 <= columns; column += 4) {
    const long ahead = column + 8 <= columns ? 4 * stride : 0;
    long row = 0;
    for (; row + 4 <= rows; row += 4) {
      const $E* const next = from + column * stride + row + ahead;
      for (int i = 0; i < 4; ++i) __builtin_prefetch(next + i * stride);
      turn_$S(tile + row * step + column, step, from + column * stride + row, stride);
    }
    for (; row < rows; ++row) {
      for (long i = column; i < column + 4; ++i) tile[row * step + i] = from[i * stride + row];
    }
  }
  for (; column < columns; ++column) {
    for (long row = 0; row < rows; ++row) tile[row * step + column] = from[column * stride + row];
  }
})"},
}};

}  // namespace sinter::inline SINTER_ABI::detail::codegen::detail
