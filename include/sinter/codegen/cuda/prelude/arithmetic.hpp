#pragma once
// CUDA helpers: arithmetic and mathematical functions.

#include <array>        // std::array
#include <string_view>  // std::string_view

#include <sinter/codegen/text/helper.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen::detail {

inline constexpr std::array<Helper, 64> cuda_arithmetic_helpers{{
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
    {"abs", "f32", Lanes::one, R"(INLINE $E abs_$S($E v) { return fabsf(v); })"},
    {"abs", "f64", Lanes::one, R"(INLINE $E abs_$S($E v) { return fabs(v); })"},
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
    {"remainder", "f32", Lanes::one,
     R"(INLINE $E remainder_$S($E a, $E b) {
  const $E rest = fmodf(a, b);
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
})"},
    {"floor_divide", "f32", Lanes::one,
     R"(INLINE $E floor_divide_$S($E a, $E b) {
  if (b == 0) return a / b;
  const $E rest = fmodf(a, b);
  $E quotient = (a - rest) / b;
  if (rest != 0 && (b < 0) != (rest < 0)) quotient -= 1;
  if (quotient == 0) return copysignf(($E)0, a / b);
  const $E whole = floorf(quotient);
  return quotient - whole > 0.5f ? whole + 1 : whole;
})"},
    {"saturate_u8", "f32", Lanes::one,
     R"(INLINE $(u8) saturate_u8_$S($E v) {
  return v == v ? ($(u8))fminf(fmaxf(v, ($E)0), ($E)255) : 0;
})"},
    {"saturate_i8", "f32", Lanes::one,
     R"(INLINE $(i8) saturate_i8_$S($E v) {
  return v == v ? ($(i8))fminf(fmaxf(v, ($E)-128), ($E)127) : 0;
})"},
    {"saturate_i16", "f32", Lanes::one,
     R"(INLINE $(i16) saturate_i16_$S($E v) {
  return v == v ? ($(i16))fminf(fmaxf(v, ($E)-32768), ($E)32767) : 0;
})"},
    {"saturate_i32", "f32", Lanes::one,
     R"(INLINE int saturate_i32_$S($E v) { return v == v ? __float2int_rz(v) : 0; })"},
    {"saturate_i64", "f32", Lanes::one,
     R"(INLINE long saturate_i64_$S($E v) { return v == v ? __float2ll_rz(v) : 0; })"},
    {"exp", "f32", Lanes::one, R"(INLINE $E exp_$S($E v) { return expf(v); })"},
    {"expm1", "f32", Lanes::one, R"(INLINE $E expm1_$S($E v) { return expm1f(v); })"},
    {"log", "f32", Lanes::one, R"(INLINE $E log_$S($E v) { return logf(v); })"},
    {"log1p", "f32", Lanes::one, R"(INLINE $E log1p_$S($E v) { return log1pf(v); })"},
    {"sin", "f32", Lanes::one, R"(INLINE $E sin_$S($E v) { return sinf(v); })"},
    {"cos", "f32", Lanes::one, R"(INLINE $E cos_$S($E v) { return cosf(v); })"},
    {"tan", "f32", Lanes::one, R"(INLINE $E tan_$S($E v) { return tanf(v); })"},
    {"tanh", "f32", Lanes::one, R"(INLINE $E tanh_$S($E v) { return tanhf(v); })"},
    {"atan", "f32", Lanes::one, R"(INLINE $E atan_$S($E v) { return atanf(v); })"},
    {"erf", "f32", Lanes::one, R"(INLINE $E erf_$S($E v) { return erff(v); })"},
    {"sqrt", "f32", Lanes::one, R"(INLINE $E sqrt_$S($E v) { return sqrtf(v); })"},
    {"floor", "f32", Lanes::one, R"(INLINE $E floor_$S($E v) { return floorf(v); })"},
    {"pow", "f32", Lanes::one, R"(INLINE $E pow_$S($E a, $E b) { return powf(a, b); })"},
    {"remainder", "f64", Lanes::one,
     R"(INLINE $E remainder_$S($E a, $E b) {
  const $E rest = fmod(a, b);
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
})"},
    {"floor_divide", "f64", Lanes::one,
     R"(INLINE $E floor_divide_$S($E a, $E b) {
  if (b == 0) return a / b;
  const $E rest = fmod(a, b);
  $E quotient = (a - rest) / b;
  if (rest != 0 && (b < 0) != (rest < 0)) quotient -= 1;
  if (quotient == 0) return copysign(($E)0, a / b);
  const $E whole = floor(quotient);
  return quotient - whole > 0.5f ? whole + 1 : whole;
})"},
    {"saturate_u8", "f64", Lanes::one,
     R"(INLINE $(u8) saturate_u8_$S($E v) {
  return v == v ? ($(u8))fmin(fmax(v, ($E)0), ($E)255) : 0;
})"},
    {"saturate_i8", "f64", Lanes::one,
     R"(INLINE $(i8) saturate_i8_$S($E v) {
  return v == v ? ($(i8))fmin(fmax(v, ($E)-128), ($E)127) : 0;
})"},
    {"saturate_i16", "f64", Lanes::one,
     R"(INLINE $(i16) saturate_i16_$S($E v) {
  return v == v ? ($(i16))fmin(fmax(v, ($E)-32768), ($E)32767) : 0;
})"},
    {"saturate_i32", "f64", Lanes::one,
     R"(INLINE int saturate_i32_$S($E v) { return v == v ? __double2int_rz(v) : 0; })"},
    {"saturate_i64", "f64", Lanes::one,
     R"(INLINE long saturate_i64_$S($E v) { return v == v ? __double2ll_rz(v) : 0; })"},
    {"exp", "f64", Lanes::one, R"(INLINE $E exp_$S($E v) { return exp(v); })"},
    {"expm1", "f64", Lanes::one, R"(INLINE $E expm1_$S($E v) { return expm1(v); })"},
    {"log", "f64", Lanes::one, R"(INLINE $E log_$S($E v) { return log(v); })"},
    {"log1p", "f64", Lanes::one, R"(INLINE $E log1p_$S($E v) { return log1p(v); })"},
    {"sin", "f64", Lanes::one, R"(INLINE $E sin_$S($E v) { return sin(v); })"},
    {"cos", "f64", Lanes::one, R"(INLINE $E cos_$S($E v) { return cos(v); })"},
    {"tan", "f64", Lanes::one, R"(INLINE $E tan_$S($E v) { return tan(v); })"},
    {"tanh", "f64", Lanes::one, R"(INLINE $E tanh_$S($E v) { return tanh(v); })"},
    {"atan", "f64", Lanes::one, R"(INLINE $E atan_$S($E v) { return atan(v); })"},
    {"erf", "f64", Lanes::one, R"(INLINE $E erf_$S($E v) { return erf(v); })"},
    {"sqrt", "f64", Lanes::one, R"(INLINE $E sqrt_$S($E v) { return sqrt(v); })"},
    {"floor", "f64", Lanes::one, R"(INLINE $E floor_$S($E v) { return floor(v); })"},
    {"pow", "f64", Lanes::one, R"(INLINE $E pow_$S($E a, $E b) { return pow(a, b); })"},
}};

}  // namespace sinter::inline SINTER_ABI::detail::codegen::detail
