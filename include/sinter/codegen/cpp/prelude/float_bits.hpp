#pragma once
// Helpers of generated C++ that clamp numbers and split them into exponent, fraction and sign.

#include <array>        // std::array
#include <string_view>  // std::string_view

#include <sinter/codegen/text/helper.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen::detail {

inline constexpr std::array<Helper, 20> cpp_float_bits_helpers{{
    {"at_most", "f32 f64", Lanes::native,
     R"(// v, but no more than `limit`; NaN stays.
INLINE $T at_most_$S($T v, $T limit) {
#if defined(__AVX__) && ($N * $B <= 256 || defined(__AVX512F__))
  __asm__("vminp$D %0, %1, %0" : "+v"(v) : "v"(limit));
  return v;
#else
  return v > limit ? limit : v;
#endif
})"},
    {"at_most", "f32 f64", Lanes::any,
     R"(// v, but no more than `limit`; NaN stays.
INLINE $T at_most_$S($T v, $T limit) { return v > limit ? limit : v; })"},
    {"at_least", "f32 f64", Lanes::native,
     R"(// v, but no less than `limit`; NaN stays.
INLINE $T at_least_$S($T v, $T limit) {
#if defined(__AVX__) && ($N * $B <= 256 || defined(__AVX512F__))
  __asm__("vmaxp$D %0, %1, %0" : "+v"(v) : "v"(limit));
  return v;
#else
  return v < limit ? limit : v;
#endif
})"},
    {"at_least", "f32 f64", Lanes::any,
     R"(// v, but no less than `limit`; NaN stays.
INLINE $T at_least_$S($T v, $T limit) { return v < limit ? limit : v; })"},
    {"scale", "f32 f64", Lanes::native,
     R"(// v * 2^n, rounded once.
INLINE $T scale_$S($T v, $T n) {
#if defined(__AVX512VL__)
  __asm__("vscalefp$D %1, %0, %0" : "+v"(v) : "v"(n));
  return v;
#else
  return scale_by_bits_$S(v, n);
#endif
})"},
    {"scale", "f32 f64", Lanes::any,
     R"(INLINE $T scale_$S($T v, $T n) { return scale_by_bits_$S(v, n); })"},
    {"scale_by_bits", "f32", Lanes::any,
     R"(// v * 2^n for n down to -250: twice half of n, so that results may be subnormal.
INLINE $T scale_by_bits_$S($T v, $T n) {
  const $T magic = 0x1.8p+23f - ($T){};
  const $I whole = __builtin_bit_cast($I, n + magic) - __builtin_bit_cast($I, magic);
  const $I half = whole >> 1, rest = whole - half;
  const $T first = __builtin_bit_cast($T, (half + 127) << 23);
  return v * first * __builtin_bit_cast($T, (rest + 127) << 23);
})"},
    {"scale_by_bits", "f64", Lanes::any,
     R"(// v * 2^n for n down to -2000: twice half of n, so that results may be subnormal.
INLINE $T scale_by_bits_$S($T v, $T n) {
  const $T magic = 0x1.8p+52 - ($T){};
  const $I whole = __builtin_bit_cast($I, n + magic) - __builtin_bit_cast($I, magic);
  const $I half = whole >> 1, rest = whole - half;
  const $T first = __builtin_bit_cast($T, (half + 1023) << 52);
  return v * first * __builtin_bit_cast($T, (rest + 1023) << 52);
})"},
    {"with_sign", "f32 f64", Lanes::any,
     R"(// `size`, which is not negative, with the sign of `of`.
INLINE $T with_sign_$S($T size, $T of) {
  const $U sign = __builtin_bit_cast($U, of) & ~(~($U){} >> 1);
  return __builtin_bit_cast($T, __builtin_bit_cast($U, size) | sign);
})"},
    {"exponent_of", "f32 f64", Lanes::native,
     R"(// n, where a positive x is 2^n * m for m from 3 / 4 to 3 / 2.
INLINE $T exponent_of_$S($T x) {
#if defined(__AVX512VL__)
  $T m, less;
  __asm__("vgetmantp$D $$3, %1, %0" : "=v"(m) : "v"(x));
  __asm__("vgetexpp$D %1, %0" : "=v"(less) : "v"(m));
  __asm__("vgetexpp$D %0, %0" : "+v"(x));
  return x - less;
#else
  return exponent_by_bits_$S(x);
#endif
})"},
    {"exponent_of", "f32 f64", Lanes::any,
     R"(INLINE $T exponent_of_$S($T x) { return exponent_by_bits_$S(x); })"},
    {"exponent_by_bits", "f32", Lanes::any,
     R"(INLINE $T exponent_by_bits_$S($T x) {
  const $T none = {}, magic = 0x1.8p+23f - none, normal = x < 0x1p-126f ? x * 0x1p+23f : x;
  const $I whole = (__builtin_bit_cast($I, normal) - 0x3f400000) >> 23;
  const $T n = __builtin_bit_cast($T, whole + __builtin_bit_cast($I, magic)) - magic;
  return n - (x < 0x1p-126f ? none + 23 : none);
})"},
    {"exponent_by_bits", "f64", Lanes::any,
     R"(INLINE $T exponent_by_bits_$S($T x) {
  const $T none = {}, magic = 0x1.8p+52 - none, normal = x < 0x1p-1022 ? x * 0x1p+52 : x;
  const $I whole = (__builtin_bit_cast($I, normal) - 0x3fe8000000000000) >> 52;
  const $T n = __builtin_bit_cast($T, whole + __builtin_bit_cast($I, magic)) - magic;
  return n - (x < 0x1p-1022 ? none + 52 : none);
})"},
    {"fraction_of", "f32 f64", Lanes::native,
     R"(// m, where a positive x is 2^n * m for m from 3 / 4 to 3 / 2.
INLINE $T fraction_of_$S($T x) {
#if defined(__AVX512VL__)
  $T m;
  __asm__("vgetmantp$D $$3, %1, %0" : "=v"(m) : "v"(x));  // as in exponent_of: one instruction
  return m;
#else
  return fraction_by_bits_$S(x);
#endif
})"},
    {"fraction_of", "f32 f64", Lanes::any,
     R"(INLINE $T fraction_of_$S($T x) { return fraction_by_bits_$S(x); })"},
    {"fraction_by_bits", "f32", Lanes::any,
     R"(INLINE $T fraction_by_bits_$S($T x) {
  const $T normal = x < 0x1p-126f ? x * 0x1p+23f : x;
  const $I fraction = (__builtin_bit_cast($I, normal) - 0x3f400000) & 0x7fffff;
  return __builtin_bit_cast($T, fraction + 0x3f400000);
})"},
    {"fraction_by_bits", "f64", Lanes::any,
     R"(INLINE $T fraction_by_bits_$S($T x) {
  const $T normal = x < 0x1p-1022 ? x * 0x1p+52 : x;
  const $I fraction = (__builtin_bit_cast($I, normal) - 0x3fe8000000000000) & 0xfffffffffffff;
  return __builtin_bit_cast($T, fraction + 0x3fe8000000000000);
})"},
    {"log_ends", "f32 f64", Lanes::native,
     R"(// `value`, the logarithm of x, corrected where x is 0, negative, infinite or NaN.
INLINE $T log_ends_$S($T value, $T x) {
#if defined(__AVX512VL__)
  const $I answers = 0x03530422 - ($I){};
  __asm__("vfixupimmp$D $$0, %2, %1, %0" : "+v"(value) : "v"(x), "v"(answers));
  return value;
#else
  return log_special_$S(value, x);
#endif
})"},
    {"log_ends", "f32 f64", Lanes::any,
     R"(INLINE $T log_ends_$S($T value, $T x) { return log_special_$S(value, x); })"},
    {"log_special", "f32 f64", Lanes::any,
     R"(INLINE $T log_special_$S($T value, $T x) {
  const $T none = {}, undefined = __builtin_nanf("") - none, infinite = __builtin_inff() - none;
  const $T finite = x < infinite ? value : x, negative = x < none ? undefined : x;
  return x > none ? finite : x == none ? -infinite : negative;
})"},
}};

}  // namespace sinter::inline SINTER_ABI::detail::codegen::detail
