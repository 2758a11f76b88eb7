#pragma once
// Powers in generated C++: exp(b * log(a)) with more digits than the result has, then its sign.

#include <array>        // std::array
#include <string_view>  // std::string_view

#include <sinter/codegen/text/helper.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen::detail {

inline constexpr std::array<Helper, 7> cpp_power_helpers{{
    {"pow", "f32 f64", Lanes::one,
     R"(INLINE $E pow_$S($E a, $E b) { return __builtin_pow$F(a, b); })"},
    {"power", "f32", Lanes::one,
     R"(INLINE $E power_$S($E a, $E b) { return __builtin_powf(a, b); })"},
    {"power", "f32", Lanes::vector,
     R"(// a^b for a that is not negative, in f64: 2^(b * (n + log2(1 + f))) for a = 2^n * (1 + f).
INLINE $T power_$S($T a, $T b) {
  const $(f64) x = $as(f64, a), y = $as(f64, b), none = {}, magic = 0x1.8p+52 - none;
  const $(i64) bits = __builtin_bit_cast($(i64), x) - 0x3fe6a09e667f3bcd;
  const $(i64) exponent = (bits >> 52) + __builtin_bit_cast($(i64), magic);
  const $(f64) n = __builtin_bit_cast($(f64), exponent) - magic;
  const $(i64) fraction = (bits & 0xfffffffffffff) + 0x3fe6a09e667f3bcd;
  const $(f64) m = __builtin_bit_cast($(f64), fraction), s = (m - 1) / (m + 1), z = s * s;
  const $(f64) c = (0x1.5ce91c1a94018p-2 * z + 0x1.a58d86633111bp-2) * z + 0x1.27777fd825af6p-1;
  const $(f64) finite = n + s * ((c * z + 0x1.ec709d13094a7p-1) * z + 0x1.71547652bed9dp+1);
  const $(f64) positive = x < __builtin_inf() ? finite : x;
  const $(f64) t = y * (x == none ? none - __builtin_inf() : positive);
  const $(f64) inside = at_most_f64x$N(at_least_f64x$N(t, none - 160), none + 129);
  const $(f64) whole = (inside + magic) - magic, r = inside - whole, rr = r * r;
  const $(f64) low = 0x1.ebfbe045f4d3cp-3 * rr + (0x1.62e430d034702p-1 * r + 1);
  const $(f64) middle = 0x1.3b2a1b7152befp-7 * r + 0x1.c6aecc669b6ddp-5;
  const $(f64) high = 0x1.443fffc90db59p-13 * r + 0x1.5f48c04f62e50p-10;
  return $as(f32, scale_f64x$N(low + rr * r * (high * rr + middle), whole));
})"},
    {"power", "f64", Lanes::vector,
     R"(// a^b for a that is not negative. The logarithm is a double-double, from the series of that
// of (1 + s) / (1 - s), whose first terms are double-doubles too.
INLINE $T power_$S($T a, $T b) {
  const $T none = {}, magic = 0x1.8p+52 - none, tiny = a < 0x1p-1022 ? a * 0x1p+52 : a;
  const $I bits = __builtin_bit_cast($I, tiny) - 0x3fe6a09e667f3bcd;
  const $I exponent = (bits >> 52) + __builtin_bit_cast($I, magic);
  const $T n = (__builtin_bit_cast($T, exponent) - magic) - (a < 0x1p-1022 ? none + 52 : none);
  const $T m = __builtin_bit_cast($T, (bits & 0xfffffffffffff) + 0x3fe6a09e667f3bcd);
  const $T f = m - 1, t = m + 1, inverse = 1 / t, s = f * inverse;
  const $T s_low = (fma_$S(-s, t, f) - s * (m - (t - 1))) * inverse;
  const $T z = s * s, z_low = fma_$S(s, s, -z) + 2 * s * s_low, zz = z * z;
  const $T q1 = 0x1.c71c71c7153b2p-3 * z + 0x1.2492492492497p-2;
  const $T q2 = 0x1.3b13a51cd4d2fp-3 * z + 0x1.745d175518b2dp-3;
  const $T q3 = 0x1.e01f44110e9cep-4 * z + 0x1.1115a247755e8p-3;
  const $T q = ((0x1.d9cc795cc9ae7p-4 * zz + q3) * zz + q2) * zz + q1, c = z * (0.4 + z * q);
  const $T third = 0x1.5555555555555p-1 - none, w = third + c;
  const $T w_low = ((third - w) + c) + 0x1.5555555555555p-55;
  const $T g = z * w, g_low = fma_$S(z, w, -g) + (z * w_low + z_low * w);
  const $T h = s * g, h_low = fma_$S(s, g, -h) + (s * g_low + s_low * g);
  const $T base = n * 0x1.62e42fefap-1, part = base + 2 * s, sum = part + h;
  const $T rest = ((base - part) + 2 * s) + ((part - sum) + h);
  const $T low = rest + (n * 0x1.cf79abc9e3b3ap-40 + (2 * s_low + h_low));
  const $T positive = a < __builtin_inf() ? sum : a;
  const $T log = a == none ? none - __builtin_inf() : positive;
  const $T p = b * log, p_low = fma_$S(b, log, -p) + b * low;
  const $T inside = at_most_$S(at_least_$S(p, none - 746), none + 710);
  const $T whole = (inside * 0x1.71547652b82fep+0 + magic) - magic;
  const $T near = (inside - whole * 0x1.62e42fefap-1) - whole * 0x1.cf79abc9e3b3ap-40;
  const $T r = near + (inside == p ? p_low : none);
  return scale_$S(exp_near_0_$S(r), whole);
})"},
    {"signed_power", "f32 f64", Lanes::vector,
     R"(// `value`, which is |a|^b, with its sign and the special values of IEEE.
INLINE $T signed_power_$S($T value, $T a, $T b) {
  const $T size = abs_$S(a), one = 1 - ($T){}, whole = floor_$S(b), half = b * 0.5f;
  const $I odd = (whole == b) & (floor_$S(half) != half);
  const $U sign = __builtin_bit_cast($U, a) & ~(~($U){} >> 1) & __builtin_bit_cast($U, odd);
  const $T signed_value = __builtin_bit_cast($T, __builtin_bit_cast($U, value) | sign);
  const $T infinite = __builtin_inff() - ($T){};
  const $I undefined = (a < 0) & (size < infinite) & (whole != b);
  const $I is_one = (a == one) | (b == 0) | ((size == one) & (abs_$S(b) == infinite));
  return is_one ? one : undefined ? __builtin_nanf("") - ($T){} : signed_value;
})"},
    {"pow", "f32", Lanes::vector,
     R"(// Half of the lanes at a time.
INLINE $T pow_$S($T a, $T b) {
#if defined(__FMA__)
  const $T size = abs_$S(a);
  const auto low = power_$H($low(size), $low(b)), high = power_$H($high(size), $high(b));
  $T value = {};
  __builtin_memcpy(&value, &low, sizeof(low));
  __builtin_memcpy((char*)&value + sizeof(low), &high, sizeof(high));
  return signed_power_$S(value, a, b);
#else
  for (int i = 0; i < $N; ++i) a[i] = pow_f32(a[i], b[i]);
  return a;
#endif
})"},
    {"pow", "f64", Lanes::vector,
     R"(INLINE $T pow_$S($T a, $T b) {
#if defined(__FMA__)
  return signed_power_$S(power_$S(abs_$S(a), b), a, b);
#else
  for (int i = 0; i < $N; ++i) a[i] = pow_f64(a[i], b[i]);
  return a;
#endif
})"},
}};

}  // namespace sinter::inline SINTER_ABI::detail::codegen::detail
