#pragma once
// The mathematical functions of generated C++, but for sine, cosine and those of cpp_near_zero.hpp.

#include <array>        // std::array
#include <string_view>  // std::string_view

#include <sinter/codegen/helper.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::codegen::detail {

inline constexpr std::array<Helper, 27> cpp_math_helpers{{
    {"fma", "f32", Lanes::one,
     R"(INLINE $E fma_$S($E a, $E b, $E c) { return __builtin_fmaf(a, b, c); })"},
    {"fma", "f32", Lanes::native,
     R"(// a * b + c, rounded once.
INLINE $T fma_$S($T a, $T b, $T c) {
#if defined(__FMA__)
  __asm__("vfmadd213ps %2, %1, %0" : "+v"(a) : "v"(b), "v"(c));
#else
  for (int i = 0; i < $N; ++i) a[i] = fma_f32(a[i], b[i], c[i]);
#endif
  return a;
})"},
    {"fma", "f32", Lanes::vector,
     R"(INLINE $T fma_$S($T a, $T b, $T c) {
  for (int i = 0; i < $N; ++i) a[i] = fma_f32(a[i], b[i], c[i]);
  return a;
})"},
    {"fma", "f64", Lanes::one,
     R"(INLINE $E fma_$S($E a, $E b, $E c) { return __builtin_fma(a, b, c); })"},
    {"fma", "f64", Lanes::native,
     R"(// a * b + c, rounded once.
INLINE $T fma_$S($T a, $T b, $T c) {
#if defined(__FMA__)
  __asm__("vfmadd213pd %2, %1, %0" : "+v"(a) : "v"(b), "v"(c));
#else
  for (int i = 0; i < $N; ++i) a[i] = fma_f64(a[i], b[i], c[i]);
#endif
  return a;
})"},
    {"fma", "f64", Lanes::vector,
     R"(INLINE $T fma_$S($T a, $T b, $T c) {
  for (int i = 0; i < $N; ++i) a[i] = fma_f64(a[i], b[i], c[i]);
  return a;
})"},
    {"exp", "f32", Lanes::any,
     R"(// 2^n * p(x - n * log(2)); twice half of n, so that results may be subnormal.
INLINE $T exp_$S($T x) {
  const $T low = -104.0f - ($T){}, high = 89.0f - ($T){};
  const $T above = x < low ? low : x, inside = above > high ? high : above;
  const $T shifted = inside * 0x1.715476p+0f + 0x1.8p+23f, n = shifted - 0x1.8p+23f;
  const $T r = (inside - n * 0x1.62e4p-1f) - n * 0x1.7f7d1cp-20f;
  $T p = 0x1.6a496p-10f - ($T){};
  p = p * r + 0x1.1239ap-7f;
  p = p * r + 0x1.5558b4p-5f;
  p = p * r + 0x1.555492p-3f;
  p = p * r + 0x1.fffffcp-2f;
  const $I whole = __builtin_bit_cast($I, shifted) - __builtin_bit_cast($I, 0x1.8p+23f - ($T){});
  const $I half = whole >> 1, rest = whole - half;
  const $T scale = __builtin_bit_cast($T, (half + 127) << 23);
  return (1 + (r + r * r * p)) * scale * __builtin_bit_cast($T, (rest + 127) << 23);
})"},
    {"exp", "f64", Lanes::any,
     R"(// 2^n * p(x - n * log(2)); twice half of n, so that results may be subnormal.
INLINE $T exp_$S($T x) {
  const $T low = -746.0 - ($T){}, high = 710.0 - ($T){};
  const $T above = x < low ? low : x, inside = above > high ? high : above;
  const $T shifted = inside * 0x1.71547652b82fep+0 + 0x1.8p+52, n = shifted - 0x1.8p+52;
  const $T r = (inside - n * 0x1.62e42fefap-1) - n * 0x1.cf79abc9e3b3ap-40;
  $T p = 0x1.1ea3e2c96f7a4p-29 - ($T){};
  p = p * r + 0x1.af6abc45433d3p-26;
  p = p * r + 0x1.27e56411213c9p-22;
  p = p * r + 0x1.71ddf0efe06ebp-19;
  p = p * r + 0x1.a01a016652c49p-16;
  p = p * r + 0x1.a01a01b3183f1p-13;
  p = p * r + 0x1.6c16c16c22e9ap-10;
  p = p * r + 0x1.111111110edacp-7;
  p = p * r + 0x1.555555555553ap-5;
  p = p * r + 0x1.555555555555bp-3;
  p = p * r + 0x1p-1;
  const $I whole = __builtin_bit_cast($I, shifted) - __builtin_bit_cast($I, 0x1.8p+52 - ($T){});
  const $I half = whole >> 1, rest = whole - half;
  const $T scale = __builtin_bit_cast($T, (half + 1023) << 52);
  return (1 + (r + r * r * p)) * scale * __builtin_bit_cast($T, (rest + 1023) << 52);
})"},
    {"log", "f32", Lanes::any,
     R"(// x = 2^n * (1 + f), with 1 + f between the roots of 1/2 and of 2.
INLINE $T log_$S($T x) {
  const $T none = {}, undefined = __builtin_nanf("") - none;
  const $T normal = x < 0x1p-126f ? x * 0x1p+23f : x, dropped = x < 0x1p-126f ? 23.0f - none : none;
  const $I bits = __builtin_bit_cast($I, normal) - 0x3f3504f3;
  const $T n = $as(f32, bits >> 23) - dropped;
  const $T f = __builtin_bit_cast($T, (bits & ((($J)1 << 23) - 1)) + 0x3f3504f3) - 1;
  $T p = 0x1.1490dcp-4f - ($T){};
  p = p * f + -0x1.de395ep-4f;
  p = p * f + 0x1.e6d0f2p-4f;
  p = p * f + -0x1.fc229cp-4f;
  p = p * f + 0x1.233a64p-3f;
  p = p * f + -0x1.555c58p-3f;
  p = p * f + 0x1.99a48p-3f;
  p = p * f + -0x1.000006p-2f;
  p = p * f + 0x1.555548p-2f;
  const $T square = f * f;
  const $T small = f * square * p + (n * 0x1.7f7d1cp-20f - 0.5f * square);
  const $T value = n * 0x1.62e4p-1f + (f + small);
  const $T finite = x < __builtin_inff() ? value : x, negative = x < none ? undefined : x;
  const $T special = x == none ? none - __builtin_inff() : negative;
  return x > none ? finite : special;
})"},
    {"log", "f64", Lanes::any,
     R"(// x = 2^n * (1 + f), with 1 + f between the roots of 1/2 and of 2.
INLINE $T log_$S($T x) {
  const $T none = {}, undefined = __builtin_nan("") - none;
  const $T normal = x < 0x1p-1022 ? x * 0x1p+52 : x, dropped = x < 0x1p-1022 ? 52.0 - none : none;
  const $I bits = __builtin_bit_cast($I, normal) - 0x3fe6a09e667f3bcd;
  const $T n = $as(f64, bits >> 52) - dropped;
  const $T f = __builtin_bit_cast($T, (bits & ((($J)1 << 52) - 1)) + 0x3fe6a09e667f3bcd) - 1;
  const $T s = f / (2 + f), z = s * s, half = 0.5 * f * f;
  $T p = 0x1.2f333f4933d87p-3 - ($T){};
  p = p * z + 0x1.399d5e0366e31p-3;
  p = p * z + 0x1.746668414ebabp-3;
  p = p * z + 0x1.c71c51497eae9p-3;
  p = p * z + 0x1.24924942d11d3p-2;
  p = p * z + 0x1.999999997eec3p-2;
  p = p * z + 0x1.5555555555595p-1;
  const $T value =
      n * 0x1.62e42fefap-1 - ((half - (s * (half + z * p) + n * 0x1.cf79abc9e3b3ap-40)) - f);
  const $T finite = x < __builtin_inf() ? value : x, negative = x < none ? undefined : x;
  const $T special = x == none ? none - __builtin_inf() : negative;
  return x > none ? finite : special;
})"},
    {"tanh", "f32", Lanes::any,
     R"(INLINE $T tanh_$S($T x) {
  const $T size = abs_$S(x), z = x * x;
  $T p = 0x1.193126p-9f - ($T){};
  p = p * z + -0x1.0c23dep-7f;
  p = p * z + 0x1.639b6ap-6f;
  p = p * z + -0x1.b9f0dap-5f;
  p = p * z + 0x1.111078p-3f;
  p = p * z + -0x1.555554p-2f;
  const $T small = x + x * z * p, large = 1 - 2 / (exp_$S(size + size) + 1);
  return size < 0.63f ? small : x < 0 ? -large : large;
})"},
    {"tanh", "f64", Lanes::any,
     R"(// (e^2|x| - 1) / (e^2|x| + 1), which is 1 from 20 on: a quotient, and what it lacks.
INLINE $T tanh_$S($T x) {
  const $T size = abs_$S(x), most = 20 - ($T){}, inside = size > most ? most : size;
  const $T up = expm1_$S(inside + inside), down = up + 2, inverse = 1 / down;
  const $T quotient = up * inverse, lost = up - (down - 2);
  const $T rest = fma_$S(-quotient, down, up) - quotient * lost;
  const $T value = quotient + rest * inverse;
  const $U sign = __builtin_bit_cast($U, x) & ~(~($U){} >> 1);
  return __builtin_bit_cast($T, __builtin_bit_cast($U, value) | sign);
})"},
    {"erf", "f32", Lanes::any,
     R"(// A polynomial in x near 0, and 1 - exp(q(|x|)) elsewhere.
INLINE $T erf_$S($T x) {
  const $T size = abs_$S(x), four = 4 - ($T){}, z = x * x;
  $T p = 0x1.4e46c6p-14f - ($T){};
  p = p * z + -0x1.a5bac8p-11f;
  p = p * z + 0x1.54427p-8f;
  p = p * z + -0x1.b8008p-6f;
  p = p * z + 0x1.ce2d6p-4f;
  p = p * z + -0x1.81274p-2f;
  p = p * z + 0x1.06eba8p-3f;
  const $T t = size > four ? four : size;
  $T q = -0x1.4b5c9cp-18f - ($T){};
  q = q * t + 0x1.7e4d2cp-15f;
  q = q * t + 0x1.a04bc2p-15f;
  q = q * t + -0x1.801392p-9f;
  q = q * t + 0x1.737f02p-6f;
  q = q * t + -0x1.af282p-4f;
  q = q * t + -0x1.4570aap-1f;
  q = q * t + -0x1.074626p-3f;
  const $T small = x + x * p, large = 1 - exp_$S(t * q - t);
  return size < 0.93f ? small : x < 0 ? -large : x == x ? large : x;
})"},
    {"erf", "f64", Lanes::one, R"(INLINE $E erf_$S($E x) { return __builtin_erf(x); })"},
    {"sqrt", "f32", Lanes::one, R"(INLINE $E sqrt_$S($E x) { return __builtin_sqrtf(x); })"},
    {"sqrt", "f32", Lanes::native,
     R"(INLINE $T sqrt_$S($T x) {
#if defined(__AVX__)
  __asm__("vsqrtps %1, %0" : "=v"(x) : "v"(x));
#else
  for (int i = 0; i < $N; ++i) x[i] = sqrt_f32(x[i]);
#endif
  return x;
})"},
    {"floor", "f32", Lanes::one, R"(INLINE $E floor_$S($E x) { return __builtin_floorf(x); })"},
    {"floor", "f32", Lanes::native,
     R"(INLINE $T floor_$S($T x) {
#if defined(__AVX512VL__)
  __asm__("vrndscaleps $$1, %1, %0" : "=v"(x) : "v"(x));
#elif defined(__AVX__)
  __asm__("vroundps $$1, %1, %0" : "=x"(x) : "x"(x));
#else
  for (int i = 0; i < $N; ++i) x[i] = floor_f32(x[i]);
#endif
  return x;
})"},
    {"pow", "f32", Lanes::one, R"(INLINE $E pow_$S($E a, $E b) { return __builtin_powf(a, b); })"},
    {"power", "f32", Lanes::one,
     R"(INLINE $E power_$S($E a, $E b) { return __builtin_powf(a, b); })"},
    {"power", "f32", Lanes::vector,
     R"(INLINE $T power_$S($T a, $T b) {
  return $as(f32, exp_f64x$N($as(f64, b) * log_f64x$N($as(f64, a))));
})"},
    {"pow", "f32", Lanes::vector,
     R"(// Through f64, half of the lanes at a time; then signs and special values as IEEE says.
INLINE $T pow_$S($T a, $T b) {
#if defined(__AVX512F__)
  const $T size = abs_$S(a), one = 1 - ($T){}, infinite = __builtin_inff() - ($T){};
  const auto low = power_$H($low(size), $low(b)), high = power_$H($high(size), $high(b));
  $T value = {};
  __builtin_memcpy(&value, &low, sizeof(low));
  __builtin_memcpy((char*)&value + sizeof(low), &high, sizeof(high));
  const $T whole = floor_$S(b);
  const $I odd = (whole == b) & (2 * floor_$S(0.5f * b) != b);
  const $U sign = __builtin_bit_cast($U, a) & ~(~($U){} >> 1) & __builtin_bit_cast($U, odd);
  const $T signed_value = __builtin_bit_cast($T, __builtin_bit_cast($U, value) | sign);
  const $I undefined = (a < 0) & (size < infinite) & (whole != b);
  const $I is_one = (a == one) | (b == 0) | ((size == one) & (abs_$S(b) == infinite));
  return is_one ? one : undefined ? __builtin_nanf("") - ($T){} : signed_value;
#else
  for (int i = 0; i < $N; ++i) a[i] = pow_f32(a[i], b[i]);
  return a;
#endif
})"},
    {"sqrt", "f64", Lanes::one, R"(INLINE $E sqrt_$S($E x) { return __builtin_sqrt(x); })"},
    {"sqrt", "f64", Lanes::native,
     R"(INLINE $T sqrt_$S($T x) {
#if defined(__AVX__)
  __asm__("vsqrtpd %1, %0" : "=v"(x) : "v"(x));
#else
  for (int i = 0; i < $N; ++i) x[i] = sqrt_f64(x[i]);
#endif
  return x;
})"},
    {"floor", "f64", Lanes::one, R"(INLINE $E floor_$S($E x) { return __builtin_floor(x); })"},
    {"floor", "f64", Lanes::native,
     R"(INLINE $T floor_$S($T x) {
#if defined(__AVX512VL__)
  __asm__("vrndscalepd $$1, %1, %0" : "=v"(x) : "v"(x));
#elif defined(__AVX__)
  __asm__("vroundpd $$1, %1, %0" : "=x"(x) : "x"(x));
#else
  for (int i = 0; i < $N; ++i) x[i] = floor_f64(x[i]);
#endif
  return x;
})"},
    {"pow", "f64", Lanes::one, R"(INLINE $E pow_$S($E a, $E b) { return __builtin_pow(a, b); })"},
}};

}  // namespace sinter::inline SINTER_ABI::codegen::detail
