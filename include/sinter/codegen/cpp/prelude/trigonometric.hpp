#pragma once
// Sine, cosine and tangent in generated C++.

#include <array>        // std::array
#include <string_view>  // std::string_view

#include <sinter/codegen/text/helper.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen::detail {

inline constexpr std::array<Helper, 14> cpp_trigonometric_helpers{{
    {"arc", "f32", Lanes::any,
     R"(// The sine of x - n * pi for moderate x: pi in three parts, all positive, which keeps -0.
// Rounding alone would make it larger than 1.
INLINE $T arc_$S($T x, $T n) {
  $T r = fma_$S(n, -0x1.921fb4p+1f - ($T){}, x);
  r = fma_$S(n, -0x1.4442dp-23f - ($T){}, r);
  r = fma_$S(n, -0x1.84698ap-47f - ($T){}, r);
  const $T z = r * r;
  $T s = 0x1.5dc8c4p-19f - ($T){};
  s = s * z + -0x1.9f70eep-13f;
  s = s * z + 0x1.110edap-7f;
  s = s * z + -0x1.55554cp-3f;
  return at_most_$S(at_least_$S(fma_$S(r * z, s, r), -1 - ($T){}), 1 - ($T){});
})"},
    {"arc", "f64", Lanes::any,
     R"(// The sine of x - n * pi for moderate x: pi in three parts, all positive, which keeps -0.
// Rounding alone would make it larger than 1.
INLINE $T arc_$S($T x, $T n) {
  $T r = fma_$S(n, -0x1.921fb54442d18p+1 - ($T){}, x);
  r = fma_$S(n, -0x1.1a62633145c06p-53 - ($T){}, r);
  r = fma_$S(n, -0x1.c1cd129024e09p-106 - ($T){}, r);
  const $T z = r * r;
  $T s = 0x1.8832a987f978dp-49 - ($T){};
  s = s * z + -0x1.ae4384771931fp-41;
  s = s * z + 0x1.6123cd074980fp-33;
  s = s * z + -0x1.ae6454d474667p-26;
  s = s * z + 0x1.71de3a52a0b16p-19;
  s = s * z + -0x1.a01a01a014d6fp-13;
  s = s * z + 0x1.11111111110c8p-7;
  s = s * z + -0x1.5555555555555p-3;
  return at_most_$S(at_least_$S(fma_$S(r * z, s, r), -1 - ($T){}), 1 - ($T){});
})"},
    {"half_turns", "f32 f64", Lanes::any,
     R"(// v, negated where the number in the last bits of `shifted` is odd.
INLINE $T half_turns_$S($T v, $T shifted) {
  const $U odd = __builtin_bit_cast($U, shifted) << (8 * sizeof($E) - 1);
  return __builtin_bit_cast($T, __builtin_bit_cast($U, v) ^ odd);
})"},
    {"moderate_sin", "f32", Lanes::any,
     R"(INLINE $T moderate_sin_$S($T x) {
  const $T shifted = x * 0x1.45f306p-2f + 0x1.8p+23f;
  const $T value = half_turns_$S(arc_$S(x, shifted - 0x1.8p+23f), shifted);
  return x == 0 ? x : value;
})"},
    {"moderate_sin", "f64", Lanes::any,
     R"(INLINE $T moderate_sin_$S($T x) {
  const $T shifted = x * 0x1.45f306dc9c883p-2 + 0x1.8p+52;
  const $T value = half_turns_$S(arc_$S(x, shifted - 0x1.8p+52), shifted);
  return x == 0 ? x : value;
})"},
    {"moderate_cos", "f32", Lanes::any,
     R"(INLINE $T moderate_cos_$S($T x) {
  const $T shifted = (x * 0x1.45f306p-2f + 0.5f) + 0x1.8p+23f;
  return half_turns_$S(arc_$S(x, (shifted - 0x1.8p+23f) - 0.5f), shifted);
})"},
    {"moderate_cos", "f64", Lanes::any,
     R"(INLINE $T moderate_cos_$S($T x) {
  const $T shifted = (x * 0x1.45f306dc9c883p-2 + 0.5) + 0x1.8p+52;
  return half_turns_$S(arc_$S(x, (shifted - 0x1.8p+52) - 0.5), shifted);
})"},
    {"sin cos tan", "f32 f64", Lanes::one,
     R"(INLINE $E $O_$S($E x) {
  return __builtin_fabs$F(x) < $or(0x1p+16f, 0x1p+30) ? moderate_$O_$S(x) : __builtin_$O$F(x);
})"},
    {"sin cos tan", "f32 f64", Lanes::vector,
     R"(// Where x is huge. Apart, so that what is in registers stays there in the loops around.
static __attribute__((noinline, cold)) $T huge_$O_$S($T x, $T value) {
  for (int i = 0; i < $N; ++i) {
    if (!(__builtin_fabs$F(x[i]) < $or(0x1p+16f, 0x1p+30))) value[i] = __builtin_$O$F(x[i]);
  }
  return value;
}
INLINE $T $O_$S($T x) {
  const $T value = moderate_$O_$S(x);
  return all_below_$S(abs_$S(x), $or(0x1p+16f, 0x1p+30) - ($T){}) ? value : huge_$O_$S(x, value);
})"},
    {"moderate_tan", "f32", Lanes::any,
     R"(// For x = n * pi / 2 + r and t = tan(r): t or, if n is odd, -1 / t with its rounding error.
// r is a sum of two numbers, because near a pole its last digits decide the result.
INLINE $T moderate_tan_$S($T x) {
  const $T none = {}, shifted = x * 0x1.45f306p-1f + 0x1.8p+23f, n = shifted - 0x1.8p+23f;
  const $T a = fma_$S(n, -0x1.921fb4p+0f - none, x);
  const $T b = fma_$S(n, -0x1.4442dp-24f - none, none);
  const $T b_low = fma_$S(n, -0x1.4442dp-24f - none, -b), sum = a + b, of_b = sum - a;
  const $T low = (a - (sum - of_b)) + (b - of_b);
  const $T rest = low + fma_$S(n, -0x1.84698ap-48f - none, b_low);
  const $T r = sum + rest, lost = (sum - r) + rest, z = r * r;
  $T p = 0x1.1f287ep-8f - none;
  p = p * z + 0x1.4abe22p-14f;
  p = p * z + 0x1.635616p-7f;
  p = p * z + 0x1.5ca31cp-6f;
  p = p * z + 0x1.badd12p-5f;
  p = p * z + 0x1.110d88p-3f;
  p = p * z + 0x1.55556p-2f;
  const $T tail = z * (r * p + lost) + lost, t = r + tail, less = (r - t) + tail;
  const $T inverse = -1 / t, error = fma_$S(t, inverse, 1 - ($T){}) + less * inverse;
  const $I odd = __builtin_bit_cast($I, shifted) & 1;
  const $T value = odd != 0 ? inverse + inverse * error : t;
  return x == 0 ? x : value;
})"},
    {"moderate_tan", "f64", Lanes::any,
     R"(// For x = n * pi / 2 + r and t = tan(r): t or, if n is odd, -1 / t with its rounding error.
// r is a sum of two numbers, because near a pole its last digits decide the result.
INLINE $T moderate_tan_$S($T x) {
  const $T none = {}, shifted = x * 0x1.45f306dc9c883p-1 + 0x1.8p+52, n = shifted - 0x1.8p+52;
  const $T a = fma_$S(n, -0x1.921fb54442d18p+0 - none, x);
  const $T b = fma_$S(n, -0x1.1a62633145c06p-54 - none, none);
  const $T b_low = fma_$S(n, -0x1.1a62633145c06p-54 - none, -b), sum = a + b, of_b = sum - a;
  const $T low = (a - (sum - of_b)) + (b - of_b);
  const $T rest = low + fma_$S(n, -0x1.c1cd129024e09p-107 - none, b_low);
  const $T r = sum + rest, lost = (sum - r) + rest, z = r * r;
  $T p = 0x1.5ea38adb7d56bp-16 - none;
  p = p * z + -0x1.79b7ff396bdb9p-15;
  p = p * z + 0x1.785c0dbad67a2p-14;
  p = p * z + -0x1.bfc1d1ae494fdp-16;
  p = p * z + 0x1.1ec344e8d243ep-13;
  p = p * z + 0x1.d225cf8d322cap-13;
  p = p * z + 0x1.3800eade920f2p-11;
  p = p * z + 0x1.7d5a99dcb85b1p-10;
  p = p * z + 0x1.d6d943d5c2801p-9;
  p = p * z + 0x1.226e11e7410c2p-7;
  p = p * z + 0x1.664f49ac8edcep-6;
  p = p * z + 0x1.ba1ba1b45501bp-5;
  p = p * z + 0x1.11111111184c3p-3;
  p = p * z + 0x1.55555555554fp-2;
  const $T tail = z * (r * p + lost) + lost, t = r + tail, less = (r - t) + tail;
  const $T inverse = -1 / t, error = fma_$S(t, inverse, 1 - ($T){}) + less * inverse;
  const $I odd = __builtin_bit_cast($I, shifted) & 1;
  const $T value = odd != 0 ? inverse + inverse * error : t;
  return x == 0 ? x : value;
})"},
    {"all_below", "f32 f64", Lanes::native,
     R"(INLINE bool all_below_$S($T v, $T limit) {
#if defined(__AVX512VL__) && defined(__AVX512BW__)
  unsigned above;
  __asm__("vcmpp$D $$5, %2, %1, %0" : "=Yk"(above) : "v"(v), "v"(limit));
  return above == 0;
#else
  return all_below_$H($low(v), $low(limit)) && all_below_$H($high(v), $high(limit));
#endif
})"},
    {"all_below", "f32 f64", Lanes::one,
     R"(INLINE bool all_below_$S($E v, $E limit) { return v < limit; })"},
    {"all_below", "f32 f64", Lanes::vector,
     R"(INLINE bool all_below_$S($T v, $T limit) {
  return all_below_$H($low(v), $low(limit)) && all_below_$H($high(v), $high(limit));
})"},
}};

}  // namespace sinter::inline SINTER_ABI::detail::codegen::detail
