#pragma once
// Sine and cosine in generated C++.

#include <array>        // std::array
#include <string_view>  // std::string_view

#include <sinter/codegen/helper.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::codegen::detail {

inline constexpr std::array<Helper, 14> cpp_circle_helpers{{
    {"circle", "f32", Lanes::any,
     R"(// The sine of x + turn * pi / 2 for moderate x: pi / 2 in three parts.
INLINE $T circle_$S($T x, $J turn) {
  const $T shifted = x * 0x1.45f306p-1f + 0x1.8p+23f, n = shifted - 0x1.8p+23f;
  $T r = fma_$S(n, -0x1.921fb6p+0f - ($T){}, x);
  r = fma_$S(n, 0x1.777a5cp-25f - ($T){}, r);
  r = fma_$S(n, 0x1.ee59dap-50f - ($T){}, r);
  const $I quarter = __builtin_bit_cast($I, shifted) + turn;
  const $T z = r * r;
  $T s = 0x1.7cd32cp-19f - ($T){};
  s = s * z + -0x1.a05bbp-13f;
  s = s * z + 0x1.111176p-7f;
  s = s * z + -0x1.555556p-3f;
  $T c = 0x1.99e394p-16f - ($T){};
  c = c * z + -0x1.6c0c1ep-10f;
  c = c * z + 0x1.55554ap-5f;
  const $T sine = r + r * z * s, cosine = 1 + (z * z * c - 0.5f * z);
  const $T value = (quarter & 1) != 0 ? cosine : sine;
  return (quarter & 2) != 0 ? -value : value;
})"},
    {"sin", "f32", Lanes::one,
     R"(INLINE $E sin_$S($E x) {
  return __builtin_fabsf(x) < 0x1p+16f ? x == 0 ? x : circle_$S(x, 0) : __builtin_sinf(x);
})"},
    {"sin", "f32", Lanes::vector,
     R"(INLINE $T sin_$S($T x) {
  const $T size = abs_$S(x);
  $T value = circle_$S(x, 0);
  value = x == 0 ? x : value;
  const $I far = ~(size < 0x1p+16f);
  if (any_i32x$N(far)) {
    for (int i = 0; i < $N; ++i) {
      if (far[i]) value[i] = __builtin_sinf(x[i]);
    }
  }
  return value;
})"},
    {"cos", "f32", Lanes::one,
     R"(INLINE $E cos_$S($E x) {
  return __builtin_fabsf(x) < 0x1p+16f ? circle_$S(x, 1) : __builtin_cosf(x);
})"},
    {"cos", "f32", Lanes::vector,
     R"(INLINE $T cos_$S($T x) {
  const $T size = abs_$S(x);
  $T value = circle_$S(x, 1);
  const $I far = ~(size < 0x1p+16f);
  if (any_i32x$N(far)) {
    for (int i = 0; i < $N; ++i) {
      if (far[i]) value[i] = __builtin_cosf(x[i]);
    }
  }
  return value;
})"},
    {"circle", "f64", Lanes::any,
     R"(// The sine of x + turn * pi / 2 for moderate x: pi / 2 in three parts.
INLINE $T circle_$S($T x, $J turn) {
  const $T shifted = x * 0x1.45f306dc9c883p-1 + 0x1.8p+52, n = shifted - 0x1.8p+52;
  $T r = fma_$S(n, -0x1.921fb54442d18p+0 - ($T){}, x);
  r = fma_$S(n, -0x1.1a62633145c07p-54 - ($T){}, r);
  r = fma_$S(n, 0x1.f1976b7ed8p-110 - ($T){}, r);
  const $I quarter = __builtin_bit_cast($I, shifted) + turn;
  const $T z = r * r;
  $T s = -0x1.9faff93468e0cp-41 - ($T){};
  s = s * z + 0x1.61092e183a53cp-33;
  s = s * z + -0x1.ae642b89d2d6p-26;
  s = s * z + 0x1.71de3a332446ap-19;
  s = s * z + -0x1.a01a019ffe063p-13;
  s = s * z + 0x1.1111111111068p-7;
  s = s * z + -0x1.5555555555555p-3;
  $T c = -0x1.8fb0ab54a8375p-37 - ($T){};
  c = c * z + 0x1.1ee9f074af682p-29;
  c = c * z + -0x1.27e4f811acef7p-22;
  c = c * z + 0x1.a01a019cbe55bp-16;
  c = c * z + -0x1.6c16c16c15219p-10;
  c = c * z + 0x1.555555555554cp-5;
  const $T sine = r + r * z * s, cosine = 1 + (z * z * c - 0.5f * z);
  const $T value = (quarter & 1) != 0 ? cosine : sine;
  return (quarter & 2) != 0 ? -value : value;
})"},
    {"sin", "f64", Lanes::one,
     R"(INLINE $E sin_$S($E x) {
  return __builtin_fabs(x) < 0x1p+30 ? x == 0 ? x : circle_$S(x, 0) : __builtin_sin(x);
})"},
    {"sin", "f64", Lanes::vector,
     R"(INLINE $T sin_$S($T x) {
  const $T size = abs_$S(x);
  $T value = circle_$S(x, 0);
  value = x == 0 ? x : value;
  const $I far = ~(size < 0x1p+30);
  if (any_i64x$N(far)) {
    for (int i = 0; i < $N; ++i) {
      if (far[i]) value[i] = __builtin_sin(x[i]);
    }
  }
  return value;
})"},
    {"cos", "f64", Lanes::one,
     R"(INLINE $E cos_$S($E x) {
  return __builtin_fabs(x) < 0x1p+30 ? circle_$S(x, 1) : __builtin_cos(x);
})"},
    {"cos", "f64", Lanes::vector,
     R"(INLINE $T cos_$S($T x) {
  const $T size = abs_$S(x);
  $T value = circle_$S(x, 1);
  const $I far = ~(size < 0x1p+30);
  if (any_i64x$N(far)) {
    for (int i = 0; i < $N; ++i) {
      if (far[i]) value[i] = __builtin_cos(x[i]);
    }
  }
  return value;
})"},
    {"any", "i32 i64", Lanes::one, R"(INLINE bool any_$S($E v) { return v != 0; })"},
    {"any", "i32", Lanes::native,
     R"(INLINE bool any_$S($T v) {
#if defined(__AVX512VL__) && defined(__AVX512BW__)
  unsigned live;
  __asm__("vptestmd %1, %1, %0" : "=Yk"(live) : "v"(v));
  return live != 0;
#else
  return any_$H($low(v) | $high(v));
#endif
})"},
    {"any", "i64", Lanes::native,
     R"(INLINE bool any_$S($T v) {
#if defined(__AVX512VL__) && defined(__AVX512BW__)
  unsigned live;
  __asm__("vptestmq %1, %1, %0" : "=Yk"(live) : "v"(v));
  return live != 0;
#else
  return any_$H($low(v) | $high(v));
#endif
})"},
    {"any", "i32 i64", Lanes::vector,
     R"(INLINE bool any_$S($T v) { return any_$H($low(v) | $high(v)); })"},
}};

}  // namespace sinter::inline SINTER_ABI::codegen::detail
