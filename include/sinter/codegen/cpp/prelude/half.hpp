#pragma once
// Helpers of generated C++ that convert 16-bit numbers.

#include <array>        // std::array
#include <string_view>  // std::string_view

#include <sinter/codegen/text/helper.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen::detail {

inline constexpr std::array<Helper, 15> cpp_half_helpers{{
    {"f32_of", "i8", Lanes::native,
     R"(// In assembly, because g++ converts such a vector lane by lane.
INLINE $(f32) f32_of_$S($T v) {
#if $N == 16 && defined(__AVX512F__)
  $(i32) wide;
  __asm__("vpmovsxbd %1, %0" : "=v"(wide) : "v"(v));
  return __builtin_convertvector(wide, $(f32));
#else
  return __builtin_convertvector(
      __builtin_convertvector(__builtin_convertvector(v, $(i16)), $(i32)), $(f32));
#endif
})"},
    {"f32_of", "u8 i8", Lanes::vector,
     R"(INLINE $(f32) f32_of_$S($T v) {
  return __builtin_convertvector(
      __builtin_convertvector(__builtin_convertvector(v, $(i16)), $(i32)), $(f32));
})"},
    {"f32_of", "bf16", Lanes::native,
     R"(INLINE $(f32) f32_of_$S($(u16) v) {
#if $N == 8 && defined(__AVX2__) || $N == 16 && defined(__AVX512F__)
  $(u32) wide;
  __asm__("vpmovzxwd %1, %0" : "=v"(wide) : "v"(v));
#else
  const $(u32) wide = $as(u32, v);
#endif
  return __builtin_bit_cast($(f32), wide << 16);
})"},
    {"f32_of", "bf16", Lanes::any,
     R"(INLINE $(f32) f32_of_$S($(u16) v) {
  return __builtin_bit_cast($(f32), $as(u32, v) << 16);
})"},
    {"bf16_of", "f32", Lanes::any,
     R"(INLINE $(u16) bf16_of_$S($T v) {
  const $U bits = __builtin_bit_cast($U, v);
  const $U rounded = bits + 0x7fff + (bits >> 16 & 1);
  return $as(u16, ((bits & 0x7fffffff) > 0x7f800000 ? bits | 0x400000 : rounded) >> 16);
})"},
    {"f32_of", "f16", Lanes::native,
     R"(// The same as from the bits, except that signalling NaNs become quiet.
INLINE $(f32) f32_of_$S($(u16) v) {
#if $N == 8 && defined(__F16C__) || $N == 16 && defined(__AVX512F__)
  $(f32) wide;
  __asm__("vcvtph2ps %1, %0" : "=v"(wide) : "v"(v));
  return wide;
#else
  return f32_of_bits_$S(v);
#endif
})"},
    {"f32_of", "f16", Lanes::any,
     R"(INLINE $(f32) f32_of_$S($(u16) v) { return f32_of_bits_$S(v); })"},
    {"f32_of_bits", "f16", Lanes::any,
     R"(INLINE $(f32) f32_of_bits_$S($(u16) v) {
  const $(u32) wide = $as(u32, v), sign = (wide & 0x8000) << 16, magnitude = (wide & 0x7fff) << 13;
  const $(u32) normal = magnitude + 0x38000000, special = magnitude + 0x70000000;
  const $(u32) tiny = __builtin_bit_cast($(u32), $as(f32, wide & 0x7fff) * 0x1p-24f);
  const $(u32) finite = magnitude >= 0x00800000 ? normal : tiny;
  return __builtin_bit_cast($(f32), sign | (magnitude >= 0x0f800000 ? special : finite));
})"},
    {"f16_of", "f32", Lanes::native,
     R"(INLINE $(u16) f16_of_$S($T v) {
#if $N == 8 && defined(__F16C__) || $N == 16 && defined(__AVX512F__)
  const $U sign = __builtin_bit_cast($U, v) & 0x80000000;
  const $T number = v == v ? v : __builtin_bit_cast($T, sign | 0x7fc00000);
  $(u16) narrow;
  __asm__("vcvtps2ph $$0, %1, %0" : "=v"(narrow) : "v"(number));
  return narrow;
#else
  return f16_of_bits_$S(v);
#endif
})"},
    {"f16_of", "f32", Lanes::any, R"(INLINE $(u16) f16_of_$S($T v) { return f16_of_bits_$S(v); })"},
    {"f16_of_bits", "f32", Lanes::any,
     R"(INLINE $(u16) f16_of_bits_$S($T v) {
  const $U bits = __builtin_bit_cast($U, v), magnitude = bits & 0x7fffffff;
  const $U tiny = __builtin_bit_cast($U, __builtin_bit_cast($T, magnitude) + 0.5f) - 0x3f000000;
  const $U normal = (magnitude - 0x38000000 + 0xfff + (magnitude >> 13 & 1)) >> 13;
  const $U finite = magnitude < 0x38800000 ? tiny : normal;
  const $U large = magnitude > 0x7f800000 ? $k(u32, 0x7e00) : $k(u32, 0x7c00);
  return $as(u16, (bits >> 16 & 0x8000) | (magnitude >= 0x477ff000 ? large : finite));
})"},
    {"round", "f16", Lanes::one,
     R"(INLINE float round_f16(float v) { return f32_of_f16(f16_of_f32(v)); })"},
    {"round", "f16", Lanes::vector,
     R"(INLINE $(f32) round_$S($(f32) v) { return f32_of_$S(f16_of_f32x$N(v)); })"},
    {"round", "bf16", Lanes::one,
     R"(INLINE float round_bf16(float v) { return f32_of_bf16(bf16_of_f32(v)); })"},
    {"round", "bf16", Lanes::vector,
     R"(INLINE $(f32) round_$S($(f32) v) { return f32_of_$S(bf16_of_f32x$N(v)); })"},
}};

}  // namespace sinter::inline SINTER_ABI::detail::codegen::detail
