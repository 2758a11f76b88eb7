#pragma once
// Helpers of generated C++ that are precise near zero: expm1, log1p and atan.

#include <array>        // std::array
#include <string_view>  // std::string_view

#include <sinter/codegen/text/helper.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen::detail {

inline constexpr std::array<Helper, 6> cpp_near_zero_helpers{{
    {"expm1", "f32", Lanes::any,
     R"(// 2^n * (p(r) + 1) - 1 for x = n * log(2) + r, from half of 2^n, which does not overflow.
INLINE $T expm1_$S($T x) {
  const $T inside = at_most_$S(at_least_$S(x, -20 - ($T){}), 89 - ($T){});
  const $T n = (inside * 0x1.715476p+0f + 0x1.8p+23f) - 0x1.8p+23f;
  const $T t = inside - n * 0x1.62e4p-1f, rest = n * 0x1.7f7d1cp-20f;
  const $T r = t - rest, lost = (t - r) - rest, rr = r * r, half = scale_$S(0.5f - ($T){}, n);
  const $T a = 0x1.555556p-3f * r + 0x1p-1f, b = 0x1.11109p-7f * r + 0x1.5554aep-5f;
  const $T c = 0x1.a1a18cp-13f * r + 0x1.6d74acp-10f, p = (c * rr + b) * rr + a;
  const $T value = 2 * (((half - 0.5f) + half * r) + half * (rr * p + lost));
  return abs_$S(x) < 0x1p-26f ? x : value;
})"},
    {"expm1", "f64", Lanes::any,
     R"(// 2^n * (p(r) + 1) - 1 for x = n * log(2) + r, from half of 2^n, which does not overflow.
INLINE $T expm1_$S($T x) {
  const $T inside = at_most_$S(at_least_$S(x, -40 - ($T){}), 710 - ($T){});
  const $T n = (inside * 0x1.71547652b82fep+0 + 0x1.8p+52) - 0x1.8p+52;
  const $T t = inside - n * 0x1.62e42fefap-1, rest = n * 0x1.cf79abc9e3b3ap-40;
  const $T r = t - rest, lost = (t - r) - rest, rr = r * r, half = scale_$S(0.5 - ($T){}, n);
  const $T a = 0x1.555555555555bp-3 * r + 0x1p-1;
  const $T b = 0x1.111111110edacp-7 * r + 0x1.555555555553ap-5;
  const $T c = 0x1.a01a01b3183f1p-13 * r + 0x1.6c16c16c22e9ap-10;
  const $T d = 0x1.71ddf0efe06ebp-19 * r + 0x1.a01a016652c49p-16;
  const $T e = 0x1.af6abc45433d3p-26 * r + 0x1.27e56411213c9p-22;
  const $T f = 0x1.1ea3e2c96f7a4p-29 * rr + e, rrrr = rr * rr;
  const $T p = ((f * rr + d) * rrrr + (c * rr + b)) * rr + a;
  const $T value = 2 * (((half - 0.5) + half * r) + half * (rr * p + lost));
  return abs_$S(x) < 0x1p-55 ? x : value;
})"},
    {"log1p", "f32", Lanes::any,
     R"(// 1 + x = 2^n * (1 + f), corrected by the rounding error of 1 + x to a few digits.
INLINE $T log1p_$S($T x) {
  const $T u = 1 + x, n = exponent_of_$S(u), f = fraction_of_$S(u) - 1, square = f * f;
  const $T rest = u - 1, lost = scale_$S((1 - (u - rest)) + (x - rest), -n);
  const $T a = -0x1.000026p-2f * f + 0x1.555556p-2f, b = -0x1.5536aap-3f * f + 0x1.999a56p-3f;
  const $T c = -0x1.02da64p-3f * f + 0x1.243704p-3f, d = -0x1.87a1eap-4f * f + 0x1.de70d4p-4f;
  const $T p = (((0x1.5f350ep-5f * square + d) * square + c) * square + b) * square + a;
  const $T low = n * 0x1.7f7d1cp-20f + lost * ((1 - f) + square);
  const $T small = f * square * p + (low - 0.5f * square);
  return with_sign_$S(log_ends_$S(n * 0x1.62e4p-1f + (f + small), u), x);
})"},
    {"log1p", "f64", Lanes::any,
     R"(// 1 + x = 2^n * (1 + f), corrected by the rounding error of 1 + x to a few digits.
INLINE $T log1p_$S($T x) {
  const $T u = 1 + x, n = exponent_of_$S(u), m = fraction_of_$S(u), f = m - 1, half = 0.5 * f * f;
  const $T rest = u - 1, lost = scale_$S((1 - (u - rest)) + (x - rest), -n);
  const $T s = f / (m + 1), z = s * s, zz = z * z;
  const $T p1 = 0x1.9999999999f18p-2 * z + 0x1.5555555555555p-1;
  const $T p2 = 0x1.c71c72df7cf9dp-3 * z + 0x1.24924923de528p-2;
  const $T p3 = 0x1.3b29d20b4b924p-3 * z + 0x1.745cac3874569p-3;
  const $T p4 = 0x1.169d45f561cc7p-3 * z + 0x1.0e8c32bc710e5p-3;
  const $T p = (p4 * zz + p3) * (zz * zz) + (p2 * zz + p1);
  const $T low = n * 0x1.cf79abc9e3b3ap-40 + lost * ((1 - f) + f * f);
  const $T small = (s * z) * p + (s * half + low);
  return with_sign_$S(log_ends_$S(n * 0x1.62e42fefap-1 - ((half - small) - f), u), x);
})"},
    {"atan", "f32", Lanes::any,
     R"(// t + t^3 * p(t^2) for t = |x| up to 1, else pi / 2 minus the same for t = 1 / |x|.
INLINE $T atan_$S($T x) {
  const $T size = abs_$S(x), t = size > 1 ? 1 / size : size, z = t * t;
  $T p = 0x1.22fcb8p-10f - ($T){};
  p = p * z + -0x1.de6802p-8f;
  p = p * z + 0x1.70b1ap-6f;
  p = p * z + -0x1.6dc45ap-5f;
  p = p * z + 0x1.14068p-4f;
  p = p * z + -0x1.68db98p-4f;
  p = p * z + 0x1.c4ef28p-4f;
  p = p * z + -0x1.247346p-3f;
  p = p * z + 0x1.9997dep-3f;
  p = p * z + -0x1.55555p-2f;
  const $T near = t + t * z * p, far = 0x1.921fb6p+0f - (near - -0x1.777a5cp-25f);
  const $U sign = __builtin_bit_cast($U, x) & ~(~($U){} >> 1);
  return __builtin_bit_cast($T, __builtin_bit_cast($U, size > 1 ? far : near) | sign);
})"},
    {"atan", "f64", Lanes::any,
     R"(// t + t^3 * p(t^2) for t = |x| up to 1, else pi / 2 minus the same for t = 1 / |x|.
INLINE $T atan_$S($T x) {
  const $T size = abs_$S(x), t = size > 1 ? 1 / size : size, z = t * t, zz = z * z, zzzz = zz * zz;
  const $T a = 0x1.99999999954efp-3 * z + -0x1.5555555555525p-2;
  const $T b = 0x1.c71c717f30c79p-4 * z + -0x1.249249237ca69p-3;
  const $T c = 0x1.3b136615b321ep-4 * z + -0x1.745d11a354f86p-4;
  const $T d = 0x1.e1bb71cf85eedp-5 * z + -0x1.110e4cd48b161p-4;
  const $T e = 0x1.82d797c6b2536p-5 * z + -0x1.ae5d8321d33b3p-5;
  const $T f = 0x1.2c1c45333d8b3p-5 * z + -0x1.599b4b9bbee9p-5;
  const $T g = 0x1.67f3913cf9c34p-6 * z + -0x1.e9bf8ebafb39ep-6;
  const $T h = 0x1.d6eee470f2c4ep-8 * z + -0x1.c703634319224p-7;
  const $T i = 0x1.b2cb1df07ff9ep-11 * z + -0x1.7965f1ab33667p-9;
  const $T j = 0x1.ba3bb3ef9be8bp-17 * z + -0x1.3e2b461b6daadp-13;
  const $T even = (((i * zzzz + g) * zzzz + e) * zzzz + c) * zzzz + a;
  const $T odd = (((j * zzzz + h) * zzzz + f) * zzzz + d) * zzzz + b, p = odd * zz + even;
  const $T near = t + t * z * p, far = 0x1.921fb54442d18p+0 - (near - 0x1.1a62633145c07p-54);
  const $U sign = __builtin_bit_cast($U, x) & ~(~($U){} >> 1);
  return __builtin_bit_cast($T, __builtin_bit_cast($U, size > 1 ? far : near) | sign);
})"},
}};

}  // namespace sinter::inline SINTER_ABI::detail::codegen::detail
