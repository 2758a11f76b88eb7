#pragma once
// Helpers of generated C++ for arithmetic that C leaves undefined or defines differently.

#include <array>        // std::array
#include <string_view>  // std::string_view

#include <sinter/codegen/text/helper.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen::detail {

inline constexpr std::array<Helper, 27> cpp_arithmetic_helpers{{
    {"is_less", "i64", Lanes::vector,
     R"(INLINE $T is_less_$S($T a, $T b) {
  return ((a & ~b) | (~(a ^ b) & (a - b))) >> 63;  // the sign of a - b without overflow
})"},
    {"differs", "i64", Lanes::vector,
     R"(INLINE $T differs_$S($T a, $T b) {
  const $T bits = a ^ b;
  return (bits | -bits) >> 63;
})"},
    {"abs", "i8 i16 i32 i64", Lanes::any,
     R"(// Not v < 0 ? -v : v, which g++ 12 computes in bytes if only bytes of the result are used.
INLINE $T abs_$S($T v) {
  const $T sign = v >> (8 * sizeof($E) - 1);
  return (v ^ sign) - sign;
})"},
    {"abs", "u8", Lanes::any, R"(INLINE $T abs_$S($T v) { return v; })"},
    {"abs", "f32 f64", Lanes::any,
     R"(INLINE $T abs_$S($T v) {
  return __builtin_bit_cast($T, __builtin_bit_cast($U, v) & (~($U){} >> 1));
})"},
    {"sign", "u8 i8 i16 i32 i64", Lanes::any,
     R"(INLINE $T sign_$S($T v) {
  const $T one = 1 - ($T){}, none = {};
  return v > none ? one : v < none ? none - one : none;
})"},
    {"sign", "f32 f64", Lanes::any,
     R"(INLINE $T sign_$S($T v) {
  const $T one = 1 - ($T){}, none = {}, other = v == none ? none : v;
  return v > none ? one : v < none ? -one : other;
})"},
    {"maximum", "u8 i8 i16 i32 i64", Lanes::any,
     R"(INLINE $T maximum_$S($T a, $T b) { return a > b ? a : b; })"},
    {"minimum", "u8 i8 i16 i32 i64", Lanes::any,
     R"(INLINE $T minimum_$S($T a, $T b) { return a < b ? a : b; })"},
    {"maximum", "f32 f64", Lanes::any,
     R"(INLINE $T maximum_$S($T a, $T b) { return ((a > b) | (a != a)) ? a : b; })"},
    {"minimum", "f32 f64", Lanes::any,
     R"(INLINE $T minimum_$S($T a, $T b) { return ((a < b) | (a != a)) ? a : b; })"},
    {"reciprocal_scale", "f32 f64", Lanes::any,
     R"(// A power of two: the reciprocal of v times it is normal, or the same as 1 / v.
INLINE $T reciprocal_scale_$S($T v) {
  constexpr bool is_wide = sizeof($E) == 8;
  constexpr $E large = is_wide ? 0x1p+1021 : 0x1p+125, step = is_wide ? 0x1p+53 : 0x1p+24;
  const $T size = abs_$S(v), one = 1 - ($T){};
  return size > large ? one * (1 / step) : size < 1 / large ? one * step : one;
})"},
    {"shift_left", "i8 i16 i32 i64 u8", Lanes::any,
     R"(INLINE $T shift_left_$S($T a, $T b) {
  return ((b < 0) | (b >= $B)) ? ($T){} : ($T)(($U)a << ($U)(b & ($B - 1)));
})"},
    {"shift_right", "i8 i16 i32 i64", Lanes::any,
     R"(INLINE $T shift_right_$S($T a, $T b) {
  const $T all = a < 0 ? ~($T){} : ($T){}, some = a >> (b & ($B - 1));
  return ((b < 0) | (b >= $B)) ? all : some;
})"},
    {"shift_right", "u8", Lanes::any,
     R"(INLINE $T shift_right_$S($T a, $T b) {
  return b >= $B ? ($T){} : ($T)(a >> (b & ($B - 1)));
})"},
    {"floor_divide", "u8 i8 i16 i32 i64", Lanes::one,
     R"(INLINE $E floor_divide_$S($E a, $E b) {
  if (b == 0) return 0;
  if (b == ($E)-1 && ($E)-1 < 0) return -a;
  return a / b - (a % b != 0 && (a < 0) != (b < 0));
})"},
    {"remainder", "u8 i8 i16 i32 i64", Lanes::one,
     R"(INLINE $E remainder_$S($E a, $E b) {
  if (b == 0 || (b == ($E)-1 && ($E)-1 < 0)) return 0;
  const $E rest = a % b;
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
})"},
    {"remainder", "f32 f64", Lanes::one,
     R"(INLINE $E remainder_$S($E a, $E b) {
  const $E rest = __builtin_fmod$F(a, b);
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
})"},
    {"floor_divide", "f32 f64", Lanes::one,
     R"(INLINE $E floor_divide_$S($E a, $E b) {
  if (b == 0) return a / b;
  const $E rest = __builtin_fmod$F(a, b);
  $E quotient = (a - rest) / b;
  if (rest != 0 && (b < 0) != (rest < 0)) quotient -= 1;
  if (quotient == 0) return __builtin_copysign$F(0, a / b);
  const $E whole = __builtin_floor$F(quotient);
  return quotient - whole > 0.5f ? whole + 1 : whole;
})"},
    {"saturate_u8", "f32 f64", Lanes::any,
     R"(INLINE $(u8) saturate_u8_$S($T v) {
  const $T low = 0 - ($T){}, high = 255 - ($T){}, none = {};
  const $T above = v > low ? v : low, inside = above < high ? above : high;
  return $as(u8, $as(i32, v == v ? inside : none));
})"},
    {"saturate_i8", "f32 f64", Lanes::any,
     R"(INLINE $(i8) saturate_i8_$S($T v) {
  const $T low = -128 - ($T){}, high = 127 - ($T){}, none = {};
  const $T above = v > low ? v : low, inside = above < high ? above : high;
  return $as(i8, $as(i32, v == v ? inside : none));
})"},
    {"saturate_i16", "f32 f64", Lanes::any,
     R"(INLINE $(i16) saturate_i16_$S($T v) {
  const $T low = -32768 - ($T){}, high = 32767 - ($T){}, none = {};
  const $T above = v > low ? v : low, inside = above < high ? above : high;
  return $as(i16, $as(i32, v == v ? inside : none));
})"},
    {"saturate_i32", "f64", Lanes::any,
     R"(INLINE $(i32) saturate_i32_$S($T v) {
  const $T low = -2147483648.0 - ($T){}, high = 2147483647.0 - ($T){}, none = {};
  const $T above = v > low ? v : low, inside = above < high ? above : high;
  return $as(i32, $as(i32, v == v ? inside : none));
})"},
    {"saturate_i32", "f32", Lanes::any,
     R"(INLINE $(i32) saturate_i32_$S($T v) {
  const $T low = -0x1p31f - ($T){}, none = {};
  const $T above = v > low ? v : low, inside = ((v != v) | (v >= 0x1p31f)) ? none : above;
  return v >= 0x1p31f ? $k(i32, 0x7fffffff) : $as(i32, inside);
})"},
    {"saturate_i64", "f64", Lanes::any,
     R"(INLINE $(i64) saturate_i64_$S($T v) {
  const $T low = -0x1p63 - ($T){}, none = {};
  const $T above = v > low ? v : low, inside = ((v != v) | (v >= 0x1p63)) ? none : above;
  return v >= 0x1p63 ? $k(i64, 0x7fffffffffffffff) : $as(i64, inside);
})"},
    {"saturate_i64", "f32", Lanes::one,
     R"(INLINE long saturate_i64_f32(float v) { return saturate_i64_f64(v); })"},
    {"saturate_i64", "f32", Lanes::vector,
     R"(INLINE $(i64) saturate_i64_$S($T v) { return saturate_i64_f64x$N($as(f64, v)); })"},
}};

}  // namespace sinter::inline SINTER_ABI::detail::codegen::detail
