#pragma once
// Helpers of generated C++ for exp, log, tanh, sqrt, floor and fma.

#include <array>        // std::array
#include <string_view>  // std::string_view

#include <sinter/codegen/text/helper.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen::detail {

inline constexpr std::array<Helper, 14> cpp_math_helpers{{
    {"fma", "f32 f64", Lanes::one,
     R"(INLINE $E fma_$S($E a, $E b, $E c) { return __builtin_fma$F(a, b, c); })"},
    {"fma", "f32 f64", Lanes::native,
     R"(// a * b + c, rounded once.
INLINE $T fma_$S($T a, $T b, $T c) {
#if defined(__FMA__) && ($N * $B <= 256 || defined(__AVX512F__))
  __asm__("vfmadd213p$D %2, %1, %0" : "+v"(a) : "v"(b), "v"(c));
#else
  for (int i = 0; i < $N; ++i) a[i] = fma_$1(a[i], b[i], c[i]);
#endif
  return a;
})"},
    {"fma", "f32 f64", Lanes::vector,
     R"(INLINE $T fma_$S($T a, $T b, $T c) {
  for (int i = 0; i < $N; ++i) a[i] = fma_$1(a[i], b[i], c[i]);
  return a;
})"},
    {"exp", "f32", Lanes::any,
     R"(// 2^n * p(x - n * log(2))
INLINE $T exp_$S($T x) {
  const $T inside = at_most_$S(at_least_$S(x, -104.0f - ($T){}), 89.0f - ($T){});
  const $T n = (inside * 0x1.715476p+0f + 0x1.8p+23f) - 0x1.8p+23f;
  const $T r = (inside - n * 0x1.62e4p-1f) - n * 0x1.7f7d1cp-20f, rr = r * r;
  const $T low = 0x1.555492p-3f * r + 0x1.fffffcp-2f, high = 0x1.1239ap-7f * r + 0x1.5558b4p-5f;
  const $T p = (0x1.6a496p-10f * rr + high) * rr + low;
  return scale_$S(1 + (r + rr * p), n);
})"},
    {"exp_near_0", "f64", Lanes::any,
     R"(// exp(r) for r between -log(2) / 2 and log(2) / 2
INLINE $T exp_near_0_$S($T r) {
  const $T rr = r * r, rrrr = rr * rr, a = 0x1.555555555555bp-3 * r + 0x1p-1;
  const $T b = 0x1.111111110edacp-7 * r + 0x1.555555555553ap-5;
  const $T c = 0x1.a01a01b3183f1p-13 * r + 0x1.6c16c16c22e9ap-10;
  const $T d = 0x1.71ddf0efe06ebp-19 * r + 0x1.a01a016652c49p-16;
  const $T e = 0x1.af6abc45433d3p-26 * r + 0x1.27e56411213c9p-22;
  const $T f = 0x1.1ea3e2c96f7a4p-29 * rr + e;
  return 1 + (r + rr * (((f * rr + d) * rrrr + (c * rr + b)) * rr + a));
})"},
    {"exp", "f64", Lanes::any,
     R"(// 2^n * p(x - n * log(2))
INLINE $T exp_$S($T x) {
  const $T inside = at_most_$S(at_least_$S(x, -746.0 - ($T){}), 710.0 - ($T){});
  const $T n = (inside * 0x1.71547652b82fep+0 + 0x1.8p+52) - 0x1.8p+52;
  const $T r = (inside - n * 0x1.62e42fefap-1) - n * 0x1.cf79abc9e3b3ap-40;
  return scale_$S(exp_near_0_$S(r), n);
})"},
    {"log", "f32", Lanes::any,
     R"(// x = 2^n * (1 + f)
INLINE $T log_$S($T x) {
  const $T n = exponent_of_$S(x), f = fraction_of_$S(x) - 1, square = f * f;
  const $T a = -0x1.000026p-2f * f + 0x1.555556p-2f, b = -0x1.5536aap-3f * f + 0x1.999a56p-3f;
  const $T c = -0x1.02da64p-3f * f + 0x1.243704p-3f, d = -0x1.87a1eap-4f * f + 0x1.de70d4p-4f;
  const $T p = (((0x1.5f350ep-5f * square + d) * square + c) * square + b) * square + a;
  const $T small = f * square * p + (n * 0x1.7f7d1cp-20f - 0.5f * square);
  return log_ends_$S(n * 0x1.62e4p-1f + (f + small), x);
})"},
    {"log", "f64", Lanes::any,
     R"(// x = 2^n * (1 + f)
INLINE $T log_$S($T x) {
  const $T n = exponent_of_$S(x), m = fraction_of_$S(x), f = m - 1;
  const $T s = f / (m + 1), z = s * s, half = 0.5 * f * f;
  const $T p1 = 0x1.9999999999f18p-2 * z + 0x1.5555555555555p-1;
  const $T p2 = 0x1.c71c72df7cf9dp-3 * z + 0x1.24924923de528p-2;
  const $T p3 = 0x1.3b29d20b4b924p-3 * z + 0x1.745cac3874569p-3;
  const $T p4 = 0x1.169d45f561cc7p-3 * z + 0x1.0e8c32bc710e5p-3, zz = z * z;
  const $T p = ((p4 * zz + p3) * zz + p2) * zz + p1;
  const $T small = s * (half + z * p) + n * 0x1.cf79abc9e3b3ap-40;
  return log_ends_$S(n * 0x1.62e42fefap-1 - ((half - small) - f), x);
})"},
    {"tanh", "f32", Lanes::any,
     R"(// (e^2|x| - 1) / (e^2|x| + 1), which is 1 from 9.1 on: a quotient, and what it lacks.
INLINE $T tanh_$S($T x) {
  const $T size = abs_$S(x), inside = at_most_$S(size + size, 18.2f - ($T){});
  const $T n = (inside * 0x1.715476p+0f + 0x1.8p+23f) - 0x1.8p+23f, power = scale_$S(1 - ($T){}, n);
  const $T r = (inside - n * 0x1.62e4p-1f) - n * 0x1.7f7d1cp-20f, rr = r * r;
  const $T a = 0x1.555556p-3f * r + 0x1p-1f, b = 0x1.11109p-7f * r + 0x1.5554aep-5f;
  const $T c = 0x1.a1a18cp-13f * r + 0x1.6d74acp-10f;
  const $T up = power * (r + rr * ((c * rr + b) * rr + a)) + (power - 1);
  const $T down = up + 2, lost = up - (down - 2), inverse = 1 / down, quotient = up * inverse;
  const $T rest = fma_$S(-quotient, down, up) - quotient * lost;
  return with_sign_$S(quotient + rest * inverse, x);
})"},
    {"tanh", "f64", Lanes::any,
     R"(// (e^2|x| - 1) / (e^2|x| + 1), which is 1 from 20 on: a quotient, and what it lacks.
INLINE $T tanh_$S($T x) {
  const $T size = abs_$S(x), inside = at_most_$S(size + size, 40 - ($T){});
  const $T n = (inside * 0x1.71547652b82fep+0 + 0x1.8p+52) - 0x1.8p+52;
  const $T power = scale_$S(1 - ($T){}, n), base = power - 1;
  const $T t = inside - n * 0x1.62e42fefap-1, shift = n * 0x1.cf79abc9e3b3ap-40;
  const $T r = t - shift, r_low = (t - r) - shift, rr = r * r;
  const $T a = 0x1.555555555555bp-3 * r + 0x1p-1;
  const $T b = 0x1.111111110edacp-7 * r + 0x1.555555555553ap-5;
  const $T c = 0x1.a01a01b3183f1p-13 * r + 0x1.6c16c16c22e9ap-10;
  const $T d = 0x1.71ddf0efe06ebp-19 * r + 0x1.a01a016652c49p-16;
  const $T e = 0x1.af6abc45433d3p-26 * r + 0x1.27e56411213c9p-22;
  const $T f = 0x1.1ea3e2c96f7a4p-29 * rr + e, rrrr = rr * rr;
  const $T p = rr * (((f * rr + d) * rrrr + (c * rr + b)) * rr + a) + r_low;
  const $T sum = base + power * r, tail = ((base - sum) + power * r) + power * p;
  const $T up = sum + tail, up_low = (sum - up) + tail, down = up + 2;
  const $T lost = (up - (down - 2)) + up_low, inverse = 1 / down, quotient = up * inverse;
  const $T rest = fma_$S(-quotient, down, up) + (up_low - quotient * lost);
  return with_sign_$S(quotient + rest * inverse, x);
})"},
    {"sqrt", "f32 f64", Lanes::one, R"(INLINE $E sqrt_$S($E x) { return __builtin_sqrt$F(x); })"},
    {"sqrt", "f32 f64", Lanes::native,
     R"(INLINE $T sqrt_$S($T x) {
#if defined(__AVX__) && ($N * $B <= 256 || defined(__AVX512F__))
  __asm__("vsqrtp$D %1, %0" : "=v"(x) : "v"(x));
#else
  for (int i = 0; i < $N; ++i) x[i] = sqrt_$1(x[i]);
#endif
  return x;
})"},
    {"floor", "f32 f64", Lanes::one,
     R"(INLINE $E floor_$S($E x) { return __builtin_floor$F(x); })"},
    {"floor", "f32 f64", Lanes::native,
     R"(INLINE $T floor_$S($T x) {
#if defined(__AVX512VL__)
  __asm__("vrndscalep$D $$1, %1, %0" : "=v"(x) : "v"(x));
#elif defined(__AVX__) && ($N * $B <= 256 || defined(__AVX512F__))
  __asm__("vroundp$D $$1, %1, %0" : "=x"(x) : "x"(x));
#else
  for (int i = 0; i < $N; ++i) x[i] = floor_$1(x[i]);
#endif
  return x;
})"},
}};

}  // namespace sinter::inline SINTER_ABI::detail::codegen::detail
