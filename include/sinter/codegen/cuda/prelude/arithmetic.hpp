#pragma once
// CUDA helpers: arithmetic and mathematical functions.

#include <array>        // std::array
#include <string_view>  // std::string_view

#include <sinter/codegen/text/helper.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen::detail {

inline constexpr std::array<Helper, 34> cuda_arithmetic_helpers{{
    {"add", "u8 i8 i16", Lanes::one, R"(INLINE $E add_$S($E a, $E b) { return ($E)(a + b); })"},
    {"add", "i32 i64", Lanes::one,
     R"(INLINE $E add_$S($E a, $E b) { return ($E)(($U)a + ($U)b); })"},
    {"add", "f32 f64", Lanes::one, R"(INLINE $E add_$S($E a, $E b) { return a + b; })"},
    {"sub", "i32 i64", Lanes::one,
     R"(INLINE $E sub_$S($E a, $E b) { return ($E)(($U)a - ($U)b); })"},
    {"mul", "u8 i8 i16", Lanes::one, R"(INLINE $E mul_$S($E a, $E b) { return ($E)(a * b); })"},
    {"mul", "i32 i64", Lanes::one,
     R"(INLINE $E mul_$S($E a, $E b) { return ($E)(($U)a * ($U)b); })"},
    {"mul", "f32 f64", Lanes::one, R"(INLINE $E mul_$S($E a, $E b) { return a * b; })"},
    {"neg", "i32 i64", Lanes::one, R"(INLINE $E neg_$S($E v) { return ($E)(0 - ($U)v); })"},
    {"abs", "i8 i16", Lanes::one, R"(INLINE $E abs_$S($E v) { return v < 0 ? -v : v; })"},
    {"abs", "i32 i64", Lanes::one, R"(INLINE $E abs_$S($E v) { return v < 0 ? neg_$S(v) : v; })"},
    {"abs", "u8", Lanes::one, R"(INLINE $E abs_$S($E v) { return v; })"},
    {"abs", "f32 f64", Lanes::one, R"(INLINE $E abs_$S($E v) { return fabs$F(v); })"},
    {"sign", "u8 i8 i16 i32 i64", Lanes::one,
     R"(INLINE $E sign_$S($E v) { return v > 0 ? 1 : v < 0 ? -1 : 0; })"},
    {"sign", "f32 f64", Lanes::one,
     R"(INLINE $E sign_$S($E v) { return v > 0 ? 1 : v < 0 ? -1 : v == 0 ? 0 : v; })"},
    {"maximum", "u8 i8 i16 i32 i64", Lanes::one,
     R"(INLINE $E maximum_$S($E a, $E b) { return a > b ? a : b; })"},
    {"minimum", "u8 i8 i16 i32 i64", Lanes::one,
     R"(INLINE $E minimum_$S($E a, $E b) { return a < b ? a : b; })"},
    {"maximum", "f32 f64", Lanes::one,
     R"(INLINE $E maximum_$S($E a, $E b) { return a > b || a != a ? a : b; })"},
    {"minimum", "f32 f64", Lanes::one,
     R"(INLINE $E minimum_$S($E a, $E b) { return a < b || a != a ? a : b; })"},
    {"shift_left", "u8 i8 i16 i32 i64", Lanes::one,
     R"(INLINE $E shift_left_$S($E a, $E b) {
  return b < 0 || b >= $B ? 0 : ($E)(($U)a << b);
})"},
    {"shift_right", "i8 i16 i32 i64", Lanes::one,
     R"(INLINE $E shift_right_$S($E a, $E b) {
  return a >> (b < 0 || b >= $B ? $B - 1 : b);
})"},
    {"shift_right", "u8", Lanes::one,
     R"(INLINE $E shift_right_$S($E a, $E b) { return b >= $B ? 0 : a >> b; })"},
    {"floor_divide", "u8 i8 i16 i32 i64", Lanes::one,
     R"(INLINE $E floor_divide_$S($E a, $E b) {
  if (b == 0) return 0;
  if (b == ($E)-1 && ($E)-1 < 0) return ($E)(0 - ($U)a);
  const $E quotient = a / b, rest = a - quotient * b;
  return quotient - (rest != 0 && (rest < 0) != (b < 0));
})"},
    {"remainder", "u8 i8 i16 i32 i64", Lanes::one,
     R"(INLINE $E remainder_$S($E a, $E b) {
  if (b == 0 || (b == ($E)-1 && ($E)-1 < 0)) return 0;
  const $E rest = a - a / b * b;
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
})"},
    {"remainder", "f32 f64", Lanes::one,
     R"(INLINE $E remainder_$S($E a, $E b) {
  const $E rest = fmod$F(a, b);
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
})"},
    {"floor_divide", "f32 f64", Lanes::one,
     R"(INLINE $E floor_divide_$S($E a, $E b) {
  if (b == 0) return a / b;
  const $E rest = fmod$F(a, b);
  $E quotient = (a - rest) / b;
  if (rest != 0 && (b < 0) != (rest < 0)) quotient -= 1;
  if (quotient == 0) return copysign$F(($E)0, a / b);
  const $E whole = floor$F(quotient);
  return quotient - whole > 0.5f ? whole + 1 : whole;
})"},
    {"saturate_u8", "f32 f64", Lanes::one,
     R"(INLINE $(u8) saturate_u8_$S($E v) {
  return v == v ? ($(u8))fmin$F(fmax$F(v, ($E)0), ($E)255) : 0;
})"},
    {"saturate_i8", "f32 f64", Lanes::one,
     R"(INLINE $(i8) saturate_i8_$S($E v) {
  return v == v ? ($(i8))fmin$F(fmax$F(v, ($E)-128), ($E)127) : 0;
})"},
    {"saturate_i16", "f32 f64", Lanes::one,
     R"(INLINE $(i16) saturate_i16_$S($E v) {
  return v == v ? ($(i16))fmin$F(fmax$F(v, ($E)-32768), ($E)32767) : 0;
})"},
    {"saturate_i32", "f32", Lanes::one,
     R"(INLINE int saturate_i32_$S($E v) { return v == v ? __float2int_rz(v) : 0; })"},
    {"saturate_i64", "f32", Lanes::one,
     R"(INLINE long saturate_i64_$S($E v) { return v == v ? __float2ll_rz(v) : 0; })"},
    {"exp expm1 log log1p sin cos tan tanh atan erf sqrt floor", "f32 f64", Lanes::one,
     R"(INLINE $E $O_$S($E v) { return $O$F(v); })"},
    {"pow", "f32 f64", Lanes::one, R"(INLINE $E pow_$S($E a, $E b) { return pow$F(a, b); })"},
    {"saturate_i32", "f64", Lanes::one,
     R"(INLINE int saturate_i32_$S($E v) { return v == v ? __double2int_rz(v) : 0; })"},
    {"saturate_i64", "f64", Lanes::one,
     R"(INLINE long saturate_i64_$S($E v) { return v == v ? __double2ll_rz(v) : 0; })"},
}};

}  // namespace sinter::inline SINTER_ABI::detail::codegen::detail
